/* Compressed files: the plain bytes, wherever one reads; damage; and files that lie. */
#include "experiment/packed/packed.h"

#include "experiment/packed/frame.h"
#include "format/seekable.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLAIN = 5 * EXP_FRAME / 2 + 123 };

/* A file under construction. */
struct made {
	int fd;
	uint64_t size;
	size_t count;
	struct seekable_entry entries[1024];
};

static void put(struct made *made, const void *bytes, size_t size)
{
	cr_assert_eq(write(made->fd, bytes, size), (ssize_t)size);
	made->size += size;
}

static void put_frame(struct made *made, const void *plain, size_t size)
{
	static uint8_t packed[5 << 20];
	struct exp_packer *packer = exp_packer_create(1);
	ssize_t got = exp_pack(packer, packed, sizeof(packed), plain, size);

	cr_assert_gt(got, 0);
	exp_packer_destroy(packer);
	put(made, packed, (size_t)got);
	made->entries[made->count++] = (struct seekable_entry){(uint32_t)got, (uint32_t)size};
}

static void put_table(struct made *made)
{
	uint8_t bytes[SEEKABLE_FOOTER];

	seekable_head_put(bytes, (uint32_t)made->count);
	put(made, bytes, SEEKABLE_HEAD);
	for (size_t i = 0; i < made->count; i++) {
		seekable_entry_put(bytes, &made->entries[i]);
		put(made, bytes, SEEKABLE_ENTRY);
	}
	seekable_footer_put(bytes, (uint32_t)made->count);
	put(made, bytes, SEEKABLE_FOOTER);
}

/* Bytes that do not compress, so that what is around them is no bomb. */
static void put_noise(uint8_t *to, size_t size)
{
	uint64_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		to[i] = (uint8_t)(state >> 56);
	}
}

/* Bytes that compress as records do. */
static uint8_t *plain_bytes(void)
{
	uint8_t *plain = malloc(PLAIN);

	for (size_t i = 0; i < PLAIN; i++)
		plain[i] = i % 32 < 5 ? (uint8_t)(i / 32 * 2654435761u >> 13) : (uint8_t)(i % 32);
	return plain;
}

static struct made make(const uint8_t *plain)
{
	struct made made = {.fd = memfd_create("packed", MFD_CLOEXEC)};

	for (size_t at = 0; plain && at < PLAIN; at += EXP_FRAME)
		put_frame(&made, plain + at, PLAIN - at < EXP_FRAME ? PLAIN - at : EXP_FRAME);
	return made;
}

static struct exp_packed *open_made(const struct made *made)
{
	struct exp_packed *packed;
	const char *why;

	cr_assert_eq(exp_packed_open(made->fd, made->size, &packed, &why), 0, "%s", why);
	return packed;
}

static void refused(struct made *made, const char *expected)
{
	struct exp_packed *packed;
	const char *why;

	cr_expect_eq(exp_packed_open(made->fd, made->size, &packed, &why), -EBADMSG);
	cr_expect(strstr(why, expected), "%s", why);
	close(made->fd);
}

TestSuite(packed, .timeout = 60);

static int is_skipped(void)
{
	return !exp_frames_are_known();
}

Test(packed, any_part_reads_as_that_of_the_plain_file)
{
	static uint8_t got[PLAIN + 1];
	uint8_t *plain = plain_bytes();
	struct exp_packed *packed;
	struct made made;

	if (is_skipped())
		return;
	made = make(plain);
	put_table(&made);
	packed = open_made(&made);
	cr_assert_eq(exp_packed_size(packed), PLAIN);
	cr_assert_eq(exp_packed_read(packed, got, sizeof(got), 0), PLAIN);
	cr_assert_eq(memcmp(got, plain, PLAIN), 0);
	for (size_t at = 1; at < PLAIN; at += 9973) {
		size_t size = at % 4096, left = PLAIN - at;

		cr_assert_eq(exp_packed_read(packed, got, size, at),
		             (ssize_t)(size < left ? size : left));
		cr_assert_eq(memcmp(got, plain + at, size < left ? size : left), 0);
	}
	cr_assert_eq(exp_packed_read(packed, got, 1, PLAIN), 0);
	exp_packed_close(packed);
	close(made.fd);
	free(plain);
}

Test(packed, the_next_data_behind_zeros_is_found)
{
	static uint8_t plain[PLAIN];
	struct exp_packed *packed;
	struct made made;

	if (is_skipped())
		return;
	plain[7] = 1;
	plain[2 * EXP_FRAME + 9] = 1;
	put_noise(plain + 2 * EXP_FRAME + 1000, 4096);
	made = make(plain);
	put_table(&made);
	packed = open_made(&made);
	cr_assert_eq(exp_packed_data(packed, 0), 7);
	cr_assert_eq(exp_packed_data(packed, 7), 7);
	cr_assert_eq(exp_packed_data(packed, 8), 2 * EXP_FRAME + 9);
	cr_assert_eq(exp_packed_data(packed, PLAIN - 1), PLAIN);
	cr_assert_eq(exp_packed_data(packed, PLAIN), PLAIN);
	exp_packed_close(packed);
	close(made.fd);
}

Test(packed, a_damaged_frame_alone_cannot_be_read)
{
	static uint8_t got[PLAIN];
	uint8_t *plain = plain_bytes();
	struct exp_packed *packed;
	struct made made;

	if (is_skipped())
		return;
	made = make(plain);
	put_table(&made);
	cr_assert_eq(pwrite(made.fd, "\xff\xff\xff\xff", 4, made.entries[0].packed + 100), 4);
	packed = open_made(&made);
	cr_assert_eq(exp_packed_read(packed, got, PLAIN, 0), EXP_FRAME);
	errno = 0;
	cr_assert_eq(exp_packed_read(packed, got, 10, EXP_FRAME), -1);
	cr_assert_eq(errno, EBADMSG);
	cr_assert_eq(exp_packed_read(packed, got, PLAIN, 2 * EXP_FRAME), PLAIN - 2 * EXP_FRAME);
	cr_assert_eq(memcmp(got, plain + 2 * EXP_FRAME, PLAIN - 2 * EXP_FRAME), 0);
	cr_assert_eq(exp_packed_data(packed, EXP_FRAME), 2 * EXP_FRAME);
	exp_packed_close(packed);
	close(made.fd);
	free(plain);
}

Test(packed, a_frame_must_be_as_large_as_the_table_says)
{
	static uint8_t got[100], bytes[100];
	struct exp_packed *packed;

	if (is_skipped())
		return;
	for (int more = -1; more <= 1; more += 2) {
		struct made made = make(NULL);

		put_frame(&made, bytes, sizeof(bytes));
		made.entries[0].plain += (uint32_t)more;
		put_table(&made);
		packed = open_made(&made);
		cr_expect_eq(exp_packed_read(packed, got, sizeof(got), 0), -1);
		cr_expect_eq(errno, EBADMSG);
		exp_packed_close(packed);
		close(made.fd);
	}
}

Test(packed, a_table_that_does_not_fit_the_file_is_refused)
{
	static const char fault[] = "table of frames";
	static uint8_t bytes[100];
	struct made made;

	if (is_skipped())
		return;
	made = make(NULL); /* an empty file */
	refused(&made, fault);
	made = make(NULL); /* no table */
	put_frame(&made, bytes, sizeof(bytes));
	refused(&made, fault);
	made = make(NULL); /* cut in front */
	put_frame(&made, bytes, sizeof(bytes));
	made.entries[0].packed++;
	put_table(&made);
	refused(&made, fault);
	made = make(NULL); /* bytes between frames and table */
	put_frame(&made, bytes, sizeof(bytes));
	put(&made, bytes, 10);
	put_table(&made);
	refused(&made, fault);
	made = make(NULL); /* a frame that is larger than any */
	put_frame(&made, bytes, sizeof(bytes));
	made.entries[0].plain = EXP_FRAME_MAX + 1;
	put_table(&made);
	refused(&made, fault);
	made = make(NULL); /* a frame without bytes */
	made.entries[made.count++] = (struct seekable_entry){0, 100};
	put_table(&made);
	refused(&made, fault);
	made = make(NULL); /* more frames than the file has room for */
	put(&made, "\0\0\0\4\0\xb1\xea\x92\x8f", SEEKABLE_FOOTER);
	refused(&made, fault);
}

Test(packed, a_bomb_is_refused)
{
	static uint8_t zeros[EXP_FRAME_MAX];
	struct made made;

	if (is_skipped())
		return;
	made = make(NULL);
	for (int i = 0; i < 3; i++)
		put_frame(&made, zeros, sizeof(zeros));
	put_table(&made);
	refused(&made, "more than 1024 times as large");
}

Test(packed, a_file_is_not_decompressed_without_end)
{
	static uint8_t frame[EXP_FRAME_MAX], got[10];
	enum { FRAMES = EXP_PACKED_KEPT / EXP_FRAME_MAX + 1 };
	struct exp_packed *packed;
	struct made made;
	int reads = 0;

	if (is_skipped())
		return;
	put_noise(frame, 8192);
	made = make(NULL);
	for (int i = 0; i < FRAMES; i++)
		put_frame(&made, frame, sizeof(frame));
	put_table(&made);
	packed = open_made(&made);
	/* Each frame was dropped before it is read again. */
	while (exp_packed_read(packed, got, sizeof(got),
	                       (uint64_t)(reads % FRAMES) * EXP_FRAME_MAX) == sizeof(got))
		reads++;
	cr_assert_eq(errno, EBADMSG);
	cr_assert_eq(reads, EXP_PACKED_AGAIN * FRAMES + EXP_PACKED_KEPT / EXP_FRAME_MAX);
	exp_packed_close(packed);
	close(made.fd);
}
