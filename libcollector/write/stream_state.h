/* stream_state.h: the state of a stream, for the modules that make its file longer (stream.c) and
 * give out parts of it (extent.c). All of it is signal-safe. */
#ifndef XER_COLLECTOR_STREAM_STATE_H
#define XER_COLLECTOR_STREAM_STATE_H

#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"
#include "libcollector/write/stream.h"

enum state { ABSENT, MAKING, OPEN, STOPPED };

struct stream {
	const char *name;
	const char *temporary;
	struct col_file file;
	atomic_uint state;
	atomic_uint ordinal;
	uint64_t limit;                  /* of claimed bytes, 0: none */
	atomic_uint_fast64_t wait_until; /* event time: the program has taken all descriptors */
	atomic_uint_fast64_t held;       /* bytes of extents in use */
	struct ring ring;
	struct col_lock lock;
	/* under the lock */
	uint64_t claimed; /* bytes given out; the file is as long */
	uint64_t dropped; /* what is before is not kept in memory */
	struct window *window;
	struct {
		struct window *window;
		uint64_t at, end;
	} small; /* the rest of a page for small extents */
};

extern struct stream streams[FMT_STREAMS] __attribute__((visibility("hidden")));

/* What is to be looked at before a part of `size` bytes is given out. Returns 1 if this has created
 * the file with such a part, 0 if there is one, or -errno if there is none to be had. */
int stream_get_ready(enum fmt_stream which, uint32_t size);

/* Make the file `size` bytes longer. Under the lock. Returns 0 with the end that it had in *at, or
 * -errno. */
int stream_claim(enum fmt_stream which, uint32_t size, uint64_t *at);

#endif
