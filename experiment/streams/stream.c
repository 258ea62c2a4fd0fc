/* stream.c: finds the extents of a data file. Extents are claimed in any order and may be
 * unpublished (zero), so the file is walked from unit to unit, past its holes. */
#include "experiment/streams/stream.h"

#include "experiment/base/internal.h"
#include "experiment/streams/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	FAULTS_TOLD = 5,
	HEAD_SIZE = FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE,
	UNITS_AHEAD = 16 /* that are read at once where units are not used */
};

const char *const exp_stream_names[] = {
#define STREAM(id, name, role) name,
#include "format/datakind.def"
};

/* Of what is dropped, or overwritten by something newer, while it is read, anything may be left. */
static int is_being_dropped(const struct exp_stream *stream)
{
	return exp_keep_is_moving(stream->experiment);
}

void exp_stream_fault(struct exp_stream *stream, uint64_t offset, const char *what)
{
	if (is_being_dropped(stream))
		return;
	if (stream->faults++ < FAULTS_TOLD)
		exp_warn(stream->experiment, "%s: offset %llu: %s", stream->name,
		         (unsigned long long)offset, what);
}

void exp_stream_unreadable(struct exp_stream *stream, uint64_t offset, ssize_t got)
{
	char what[128];

	if (got < 0 && errno == EBADMSG && stream->file.packed)
		snprintf(what, sizeof(what), "cannot be decompressed");
	else if (got < 0)
		snprintf(what, sizeof(what), "cannot be read: %.80s", strerror(errno));
	else
		snprintf(what, sizeof(what), "the file was cut while it was read");
	exp_stream_fault(stream, offset, what);
}

static uint64_t unit_after(uint64_t offset)
{
	return offset / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT + FDR_EXTENT_UNIT;
}

/* Read the start of a possible extent into header[HEAD_SIZE], zero-filled past the end of the file.
 * Returns what pread does. */
static ssize_t read_header(const struct exp_stream *stream, uint64_t at, uint8_t *header)
{
	ssize_t got = exp_data_file_read(&stream->file, header, HEAD_SIZE, at);
	size_t len = got > 0 ? (size_t)got : 0;

	memset(header + len, 0, HEAD_SIZE - len);
	return got;
}

static int is_whole(const struct fdr_prologue *prologue, uint64_t at)
{
	return prologue->extent_left >= FDR_PROLOGUE_SIZE + FDR_METADATA_SIZE &&
	       prologue->extent_left % FDR_METADATA_SIZE == 0 &&
	       (at + prologue->extent_left) % FDR_EXTENT_UNIT == 0;
}

/* The first unit from `at` on that does not begin with 0, or one behind the last that was looked
 * at: in a file without holes, there are many that do. */
static uint64_t skip_zeros(const struct exp_stream *stream, uint64_t at)
{
	uint8_t bytes[UNITS_AHEAD * FDR_EXTENT_UNIT];
	ssize_t got = exp_data_file_read(&stream->file, bytes, sizeof(bytes), at);

	for (size_t i = 0; got > 0 && i < (size_t)got; i += FDR_EXTENT_UNIT, at += FDR_EXTENT_UNIT)
		if (bytes[i] != 0)
			break;
	return at;
}

/* Where the next unit begins that is worth a look, behind the useless one at `at`. */
static uint64_t skip_unit(const struct exp_stream *stream, uint64_t at, int is_zero)
{
	uint64_t next = unit_after(at);

	if (is_zero && next < stream->size) {
		uint64_t data = exp_data_file_data(&stream->file, next);

		next = data >= stream->size
		               ? stream->size
		               : skip_zeros(stream, data / FDR_EXTENT_UNIT * FDR_EXTENT_UNIT);
	}
	return next < stream->size ? next : stream->size;
}

uint64_t exp_stream_find_buffer(const struct exp_stream *stream, uint64_t at)
{
	while (at < stream->size) {
		uint8_t header[HEAD_SIZE];
		struct fdr_prologue prologue;

		read_header(stream, at, header);
		if (fdr_prologue_get(header, &prologue) == 0 && is_whole(&prologue, at))
			return at;
		at = skip_unit(stream, at, header[0] == 0);
	}
	return stream->size;
}

static int add_extent(struct exp_stream *stream, uint64_t at, uint64_t end, const uint8_t *header,
                      uint64_t tsc)
{
	if (exp_array_reserve(&stream->extents, &stream->extent_capacity, stream->extent_count,
	                      sizeof(*stream->extents)) != 0)
		return -ENOMEM;
	/* The first event may have been stamped before its buffer was begun. */
	if (header[FDR_PROLOGUE_SIZE] == FDR_CUSTOM_EVENT) {
		uint64_t event_tsc;

		memcpy(&event_tsc, header + FDR_PROLOGUE_SIZE + 5, sizeof(event_tsc));
		tsc = event_tsc < tsc ? event_tsc : tsc;
	}
	stream->extents[stream->extent_count++] = (struct exp_extent){
		.at = at,
		.end = end < stream->size ? end : stream->size,
		.tsc = tsc,
	};
	return 0;
}

/* Take the extent, or what is there instead, at `at`. Returns 0 and *next, or -ENOMEM. */
static int take_extent(struct exp_stream *stream, uint64_t at, uint64_t *next)
{
	uint8_t header[HEAD_SIZE];
	struct fdr_prologue prologue;
	ssize_t got = read_header(stream, at, header);

	if (got <= 0)
		exp_stream_unreadable(stream, at, got);
	if (header[0] == 0) {
		*next = skip_unit(stream, at, 1);
		return 0;
	}
	if (fdr_prologue_get(header, &prologue) != 0) {
		char what[64];

		*next = exp_stream_find_buffer(stream, unit_after(at));
		snprintf(what, sizeof(what), "not a buffer, skipped to %llu",
		         (unsigned long long)*next);
		/* A live writer may have published the extent that was passed over as unused a
		 * moment ago, so that this is the middle of it. */
		if (!exp_is_live(stream->experiment))
			exp_stream_fault(stream, at, what);
		return 0;
	}
	if (is_whole(&prologue, at)) {
		*next = at + prologue.extent_left;
	} else {
		exp_stream_fault(stream, at, "the length of an extent is damaged");
		*next = exp_stream_find_buffer(stream, unit_after(at));
	}
	return add_extent(stream, at, *next, header, prologue.tsc);
}

static int find_extents(struct exp_stream *stream)
{
	uint64_t at = FDR_HEADER_SIZE;
	int rc = 0;

	while (rc == 0 && at < stream->size)
		rc = take_extent(stream, at, &at);
	return rc;
}

static int check_header(struct exp_stream *stream)
{
	uint8_t bytes[FDR_HEADER_SIZE];
	struct fdr_header header;
	ssize_t got = exp_data_file_read(&stream->file, bytes, sizeof(bytes), 0);

	if (got < 0 && stream->file.packed) {
		exp_stream_unreadable(stream, 0, got);
		return -EBADMSG;
	}
	if (got != (ssize_t)sizeof(bytes)) {
		exp_stream_fault(stream, 0, "shorter than a header");
		return -EBADMSG;
	}
	stream->size = stream->file.size;
	switch (fdr_header_get(bytes, &header)) {
	case 0:
		return 0;
	case -EPROTO:
		exp_stream_fault(stream, 0, "another version of the format");
		return -EBADMSG;
	default:
		/* The header has nothing that log.xml does not have too, so go on. */
		exp_stream_fault(stream, 0, "the header is damaged");
		return 0;
	}
}

/* The files that others refer to are read from their beginning; so are names of files, which lie
 * among the calls. */
static uint64_t first_of(const struct experiment *experiment, const char *name)
{
	static const char *const whole[] = {
#define STREAM_CONTEXT(name) name,
#define STREAM_EVENTS(name)
#define STREAM(id, name, role) STREAM_##role(name)
#include "format/datakind.def"
#undef STREAM_CONTEXT
#undef STREAM_EVENTS
		"functable", "iotrace"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (strcmp(name, whole[i]) == 0)
			return 0;
	return experiment->kept_from;
}

int exp_stream_open(struct experiment *experiment, const char *name, struct exp_stream *out)
{
	struct exp_stream stream = {.experiment = experiment,
	                            .name = name,
	                            .from = first_of(experiment, name),
	                            .until = experiment->until ? experiment->until : UINT64_MAX};
	char why[EXP_DATA_FILE_WHY];
	int rc, directory;

	if (exp_directory_lacks(experiment, name))
		return -ENOENT;
	directory = exp_directory_get(experiment);
	if (directory < 0)
		return -ENOENT;
	rc = exp_data_file_open(directory, name, &stream.file, why);
	exp_directory_put(experiment, directory);
	if (rc == -EBADMSG)
		exp_warn(experiment, "%s: %s", name, why);
	if (rc != 0)
		return rc;
	rc = check_header(&stream);
	if (rc == 0)
		rc = find_extents(&stream);
	if (rc != 0) {
		exp_stream_close(&stream);
		return rc;
	}
	*out = stream;
	return 0;
}

void exp_stream_close(struct exp_stream *stream)
{
	if (stream->faults > FAULTS_TOLD)
		exp_warn(stream->experiment, "%s: %u more faults", stream->name,
		         stream->faults - FAULTS_TOLD);
	free(stream->extents);
	exp_data_file_close(&stream->file);
}
