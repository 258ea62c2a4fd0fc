/* packed.c: see packed.h. */
#include "experiment/packed/packed.h"

#include "experiment/packed/frame.h"
#include "format/retry.h"
#include "format/seekable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 << 10, /* of the table, which is read piece by piece */ SLOTS_MAX = 64 };

/* Where a frame begins; a last one stands for the end. */
struct frame {
	uint64_t at, plain; /* in the file, and in the plain file */
};

/* A frame that was decompressed. */
struct slot {
	size_t frame;
	uint64_t used; /* when it was used last, 0: it has no frame */
	uint8_t *bytes;
	size_t capacity;
};

struct exp_packed {
	int fd;
	struct frame *frames; /* frames[count + 1] */
	size_t count;
	struct exp_unpacker *unpacker;
	uint8_t *input; /* a compressed frame */
	size_t input_capacity;
	struct slot slots[SLOTS_MAX];
	size_t slot_count; /* so many are used */
	struct slot *last; /* the one that was read last; NULL: none */
	uint64_t clock;
	uint64_t work; /* bytes that may still be decompressed */
};

/* Returns 0, -ENODATA (the file is shorter) or -errno. */
static int read_whole(int fd, uint8_t *to, size_t size, uint64_t at)
{
	unsigned tries = 0;

	while (size > 0) {
		ssize_t got = pread(fd, to, size, (off_t)at);

		if (retry_call(got, &tries))
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		to += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

/* ---- the table ---- */

/* Add the frames of a piece of the table. Returns 0 or -EBADMSG. */
static int take_entries(struct exp_packed *packed, const uint8_t *bytes, size_t count,
                        uint32_t entry_size)
{
	for (size_t i = 0; i < count; i++) {
		struct frame *frame = &packed->frames[packed->count];
		struct seekable_entry entry;

		seekable_entry_get(bytes + i * entry_size, &entry);
		if (entry.packed < SEEKABLE_ENTRY || entry.plain > EXP_FRAME_MAX ||
		    entry.packed > exp_packed_most(EXP_FRAME_MAX))
			return -EBADMSG;
		frame[1] = (struct frame){frame->at + entry.packed, frame->plain + entry.plain};
		packed->count++;
	}
	return 0;
}

/* Read the entries, which begin at `at`. */
static int read_entries(struct exp_packed *packed, uint64_t at,
                        const struct seekable_footer *footer)
{
	size_t at_once = PIECE / footer->entry_size;
	uint8_t *piece = malloc(PIECE);
	int rc = !piece ? -ENOMEM : 0;

	while (rc == 0 && packed->count < footer->count) {
		size_t left = footer->count - packed->count;
		size_t count = left < at_once ? left : at_once;

		rc = read_whole(packed->fd, piece, count * footer->entry_size, at);
		if (rc == 0)
			rc = take_entries(packed, piece, count, footer->entry_size);
		at += count * footer->entry_size;
	}
	free(piece);
	return rc;
}

/* Returns 0; -EBADMSG: there is none, or it does not fit the file; or another -errno. */
static int read_table(struct exp_packed *packed, uint64_t size)
{
	uint8_t bytes[SEEKABLE_FOOTER];
	struct seekable_footer footer;
	uint64_t table;
	int rc;

	if (size < SEEKABLE_HEAD + SEEKABLE_FOOTER)
		return -EBADMSG;
	rc = read_whole(packed->fd, bytes, SEEKABLE_FOOTER, size - SEEKABLE_FOOTER);
	if (rc == 0)
		rc = seekable_footer_get(bytes, &footer);
	if (rc != 0)
		return rc;
	/* No frame is shorter than its entry, so the memory for frames is bounded by the size of
	 * the file, whatever the footer says. */
	table = seekable_size(&footer);
	if (table > size || (uint64_t)footer.count * SEEKABLE_ENTRY > size - table)
		return -EBADMSG;
	rc = read_whole(packed->fd, bytes, SEEKABLE_HEAD, size - table);
	if (rc == 0)
		rc = seekable_head_get(bytes, &footer);
	if (rc != 0)
		return rc;
	packed->frames = calloc((size_t)footer.count + 1, sizeof(*packed->frames));
	if (!packed->frames)
		return -ENOMEM;
	rc = read_entries(packed, size - table + SEEKABLE_HEAD, &footer);
	if (rc == 0 && packed->frames[packed->count].at != size - table)
		rc = -EBADMSG;
	return rc;
}

int exp_packed_open(int fd, uint64_t size, struct exp_packed **out, const char **why)
{
	struct exp_packed *packed = calloc(1, sizeof(*packed));
	int rc = !packed ? -ENOMEM : 0;

	*why = "its table of frames is damaged or missing";
	if (rc == 0) {
		packed->fd = fd;
		rc = read_table(packed, size);
	}
	if (rc == -ENODATA)
		rc = -EBADMSG; /* it has become shorter */
	if (rc == 0 && exp_packed_size(packed) / EXP_PACKED_RATIO > size) {
		*why = "it claims to be more than 1024 times as large when decompressed";
		rc = -EBADMSG;
	}
	if (rc == 0) {
		packed->work = EXP_PACKED_AGAIN * exp_packed_size(packed) + EXP_PACKED_KEPT;
		packed->unpacker = exp_unpacker_create();
		rc = !packed->unpacker ? -ENOMEM : 0;
	}
	if (rc != 0)
		exp_packed_close(packed);
	else
		*out = packed;
	return rc;
}

void exp_packed_close(struct exp_packed *packed)
{
	if (!packed)
		return;
	for (size_t i = 0; i < packed->slot_count; i++)
		free(packed->slots[i].bytes);
	exp_unpacker_destroy(packed->unpacker);
	free(packed->input);
	free(packed->frames);
	free(packed);
}

uint64_t exp_packed_size(const struct exp_packed *packed)
{
	return packed->frames[packed->count].plain;
}

/* ---- frames ---- */

static size_t size_of(const struct exp_packed *packed, size_t frame)
{
	return (size_t)(packed->frames[frame + 1].plain - packed->frames[frame].plain);
}

/* The frame with the byte `at`, which is before the end of the plain file. */
static size_t find_frame(const struct exp_packed *packed, uint64_t at)
{
	size_t low = 0, high = packed->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (packed->frames[middle].plain <= at)
			low = middle;
		else
			high = middle;
	}
	/* Frames may be empty: of those that begin at the same place, the last is found. */
	return low;
}

static int reserve(uint8_t **bytes, size_t *capacity, size_t size)
{
	if (size <= *capacity)
		return 0;
	free(*bytes);
	*capacity = 0;
	*bytes = malloc(size);
	if (!*bytes)
		return -ENOMEM;
	*capacity = size;
	return 0;
}

/* Room for one more frame of `size` bytes: a new slot, or the one that was not used for longest. */
static struct slot *take_slot(struct exp_packed *packed, size_t size)
{
	struct slot *oldest = packed->slots;
	uint64_t kept = size;

	for (size_t i = 0; i < packed->slot_count; i++) {
		kept += packed->slots[i].capacity;
		if (packed->slots[i].used < oldest->used)
			oldest = &packed->slots[i];
	}
	if (packed->slot_count == 0 || (packed->slot_count < SLOTS_MAX && kept <= EXP_PACKED_KEPT))
		return &packed->slots[packed->slot_count++];
	return oldest;
}

/* Read and decompress a frame. Returns 0 or -errno. */
static int unpack(struct exp_packed *packed, size_t frame, struct slot *slot)
{
	size_t size = size_of(packed, frame);
	size_t input = (size_t)(packed->frames[frame + 1].at - packed->frames[frame].at);
	int rc = size <= packed->work ? 0 : -EBADMSG;

	if (rc == 0)
		rc = reserve(&slot->bytes, &slot->capacity, size);
	if (rc == 0)
		rc = reserve(&packed->input, &packed->input_capacity, input);
	if (rc == 0)
		rc = read_whole(packed->fd, packed->input, input, packed->frames[frame].at);
	packed->work -= rc == 0 ? size : 0;
	if (rc == 0)
		rc = exp_unpack(packed->unpacker, slot->bytes, size, packed->input, input);
	return rc;
}

/* Have the frame. Returns its slot, or NULL and errno. */
static const struct slot *have(struct exp_packed *packed, size_t frame)
{
	struct slot *slot = packed->last;
	int rc;

	if (slot && slot->frame == frame)
		return slot;
	for (size_t i = 0; i < packed->slot_count; i++)
		if (packed->slots[i].used != 0 && packed->slots[i].frame == frame) {
			packed->slots[i].used = ++packed->clock;
			packed->last = &packed->slots[i];
			return packed->last;
		}
	slot = take_slot(packed, size_of(packed, frame));
	packed->last = NULL;
	slot->used = 0;
	rc = unpack(packed, frame, slot);
	if (rc != 0) {
		errno = rc == -ENODATA ? EBADMSG : -rc;
		return NULL;
	}
	slot->frame = frame;
	slot->used = ++packed->clock;
	packed->last = slot;
	return slot;
}

ssize_t exp_packed_read(struct exp_packed *packed, void *to, size_t size, uint64_t at)
{
	uint64_t end = exp_packed_size(packed);
	size_t done = 0;

	while (done < size && at < end) {
		size_t frame = find_frame(packed, at), behind, part;
		const struct slot *slot = have(packed, frame);

		if (!slot)
			return done > 0 ? (ssize_t)done : -1;
		behind = (size_t)(at - packed->frames[frame].plain);
		part = size_of(packed, frame) - behind;
		part = part < size - done ? part : size - done;
		memcpy((uint8_t *)to + done, slot->bytes + behind, part);
		done += part;
		at += part;
	}
	return (ssize_t)done;
}

uint64_t exp_packed_data(struct exp_packed *packed, uint64_t at)
{
	uint64_t end = exp_packed_size(packed);

	while (at < end) {
		size_t frame = find_frame(packed, at);
		uint64_t first = packed->frames[frame].plain;
		const struct slot *slot = have(packed, frame);

		for (size_t i = (size_t)(at - first); slot && i < size_of(packed, frame); i++)
			if (slot->bytes[i] != 0)
				return first + i;
		at = packed->frames[frame + 1].plain;
	}
	return end;
}
