/* make_experiment.h: synthetic experiments for tests, made with functions that the recorder also
 * uses. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_MAKE_EXPERIMENT_H
#define XER_TESTS_UNIT_EXPERIMENT_MAKE_EXPERIMENT_H

#include "experiment/experiment.h"

#include <stddef.h>
#include <stdint.h>

enum { MAKER_START_TICKS = 1000000000, MAKER_HZ = 1000000000 }; /* a tick is a nanosecond */

/* An experiment in its own temporary directory. */
struct maker {
	char directory[64];
	char path[128];
	/* Warnings that the reporter of maker_open got. */
	unsigned warnings;
	char warning[512]; /* the first */
	int descriptors;   /* of this process that were open at the beginning */
};

/* One data file under construction. */
struct maker_stream {
	uint8_t *bytes;
	size_t len; /* of all extents so far */
	size_t at;  /* where the next record goes */
	uint32_t ordinal;
};

/* Make an experiment with a small log.xml: process "prog a", clock, an exit event after 10 s. All
 * files that are opened after that must be closed before maker_destroy, or the test fails. */
void maker_create(struct maker *maker);
void maker_destroy(struct maker *maker);

/* Make the experiment of a descendant below a founder's: process "child", without host and
 * settings, an exit event with 5 s of CPU time; `elements` come before that. It is removed with the
 * founder. */
void maker_descendant(const struct maker *founder, const char *lineage, const char *elements,
                      struct maker *out);

/* Write a file of the experiment. */
void maker_put(struct maker *maker, const char *name, const void *bytes, size_t len);

/* Write log.xml: header, `elements`, closing tag. NULL: no exit event. */
void maker_log(struct maker *maker, const char *elements);

/* The same, begun 1700000000 s after 1970 and since this machine was started. Returns 0, or -1 if
 * the time of that start is unknown. */
int maker_log_of_this_boot(struct maker *maker, const char *elements);

/* Open with a reporter that counts. Returns what experiment_open returns. */
int maker_open(struct maker *maker, struct experiment **out, struct exp_cause *cause);

void maker_stream_init(struct maker_stream *stream);

/* Begin an extent of `size` bytes for a thread; size is a multiple of 4096, and counts from the
 * page's beginning. */
void maker_extent(struct maker_stream *stream, uint32_t tid, uint64_t tsc, size_t size);

/* Begin another thread's buffer in the rest of the extent. */
void maker_successor(struct maker_stream *stream, uint32_t tid, uint64_t tsc);

/* Add an event. Returns the offset of its payload. */
size_t maker_event(struct maker_stream *stream, uint64_t tsc, const void *payload, size_t size);

/* Add records of 8 bytes each to a function trace, with an EndOfBuffer after them. */
void maker_words(struct maker_stream *stream, const uint64_t *words, size_t count);
/* "Number id is the function at `address`." */
size_t maker_function(struct maker_stream *stream, uint64_t tsc, uint32_t id, uint64_t address);

size_t maker_alloc(struct maker_stream *stream, uint64_t tsc, uint64_t address, uint32_t size,
                   uint32_t stack);
size_t maker_free(struct maker_stream *stream, uint64_t tsc, uint64_t address);
size_t maker_clock(struct maker_stream *stream, uint64_t tsc, unsigned state, uint64_t cpu_ns,
                   uint32_t stack);

/* func: enum fmt_sync_func; wait in ticks. The event's time is that of the grant. */
size_t maker_sync(struct maker_stream *stream, uint64_t tsc, unsigned func, uint64_t object,
                  uint64_t wait, unsigned error, uint32_t stack);

/* func: enum fmt_io_func. */
struct maker_call {
	unsigned func, error;
	uint64_t bytes, wait;
	uint32_t file, fd, stack;
};
size_t maker_io(struct maker_stream *stream, uint64_t tsc, const struct maker_call *call);
size_t maker_io_file(struct maker_stream *stream, uint64_t tsc, uint32_t file, unsigned type,
                     const char *name);

/* Write the stream as `name` and free it. */
void maker_stream_put(struct maker *maker, struct maker_stream *stream, const char *name);

/* Write frameinfo: node i has pcs[i] and the parent with index parents[i], -1 for none. ids[i]
 * gets its id. */
void maker_nodes(struct maker *maker, size_t count, const uint64_t *pcs, const int *parents,
                 uint32_t *ids);

#endif
