/* source.h: the sources of events, and what is done for each of them at which moment. The rows are
 * those of source.def.
 *
 * The table is constant. It is in a higher room than this one, because it names functions of all
 * sources (source.c). So it is passed to this room once, before anything is recorded; until then
 * there are no sources. */
#ifndef XER_COLLECTOR_BASE_SOURCE_H
#define XER_COLLECTOR_BASE_SOURCE_H

#include "libcollector/base/collector.h"

struct col_thread;

/* A source, and its moments. Functions that are not named otherwise are signal-safe. */
struct source {
	const char *counter; /* what log.xml calls the number of its events (thread->events) */
	uint16_t id;         /* enum source_id */
	uint16_t setting;    /* offset of the descriptor's field, 0: none */
	uint32_t streams;    /* the files of its events, bits 1 << enum fmt_stream */
	uint8_t is_last; /* it records until the others have ended, because its samples show their
	                  * ends */

	/* ---- a recording of this process */

	/* The library is initialized, in any process. Normal context. */
	void (*load)(void);
	/* Before files are written. Returns 0 or -errno: then nothing is recorded. Also in a forked
	 * child. */
	int (*prepare)(void);
	/* Handlers, before there are threads. Normal context. */
	void (*install)(void);
	/* The library was loaded together with its program, and the recording has begun. Normal
	 * context. */
	void (*launch)(void);
	/* The source is on: events may begin now or later. Normal context. */
	void (*open)(void);
	/* The source is on, and events begin or go on: set col.switches->on. Without this function,
	 * it becomes 1. */
	void (*start)(void);
	/* Events pause or end. Without these functions, col.switches->on becomes 0, and a pause is
	 * a stop. */
	void (*pause)(void);
	void (*stop)(void);
	/* Events have been stopped because the recording ends, but the process goes on. Normal
	 * context. */
	void (*leave)(void);
	/* The recording has ended: remove timers and the like. */
	void (*close)(void);
	/* Another recording begins in this process: forget the one before. No thread records
	 * now. */
	void (*again)(void);
	/* Totals are about to be written: update those of col.count. */
	void (*count)(void);
	/* A usage sample is about to be taken. */
	void (*sample)(struct col_thread *self, enum col_context context);
	/* Which of its files this recording may need; without this function, all. */
	uint32_t (*streams_of_recording)(void);
	/* The load object with this file is in the map now. Signal-safe. */
	void (*listed)(const char *path);
	/* Load objects were unloaded: forget what is known by their addresses. */
	void (*unload)(void);

	/* ---- forked children, which have one thread */

	/* In the child: what the parent records with must not be touched. */
	void (*forget)(void);
	/* In a child that is recorded, after forget and prepare. */
	void (*renew)(void);
	/* Around a fork in the calling thread: does the fork interrupt a record, which the child
	 * will complete? Then the memory must exist in the child (MADV_DOFORK, and MADV_DONTFORK
	 * again after the fork), where it is detached from the file. */
	int (*is_interrupted)(void);
	void (*keep_memory)(struct col_thread *self, int advice);
	void (*cut_off)(void);

	/* ---- threads */

	/* A state gets a new thread, which cannot be found yet. */
	void (*thread_prepare)(struct col_thread *thread);
	/* From now on the thread is found by its tid. */
	void (*thread_begin)(struct col_thread *thread);
	/* The thread is ending or gone; any thread may call this. */
	void (*thread_gone)(struct col_thread *thread);
	/* The calling thread ends, and has recorded everything. */
	void (*thread_exit)(void);
	/* Record what `thread` has used until now; or do not count it for anything. */
	void (*thread_account)(struct col_thread *thread, struct col_thread *writer,
	                       enum col_context context);
	void (*thread_pass)(struct col_thread *thread);
};

struct source_table {
	const struct source *first, *end;
};
extern struct source_table sources __attribute__((visibility("hidden")));

/* Call `moment` of every source that has one: EACH_SOURCE(sample, self, context). */
#define EACH_SOURCE(moment, ...) \
	do { \
		for (const struct source *each = sources.first; each != sources.end; each++) \
			if (each->moment) \
				each->moment(__VA_ARGS__); \
	} while (0)

/* Begin, pause and stop the events of all sources; sources_begin calls open and start of the
 * sources that are on. */
void sources_open(void);
void sources_start(void);
void sources_pause(void);
void sources_stop(void);

/* Stop all sources except those that record to the last. */
void sources_stop_early(void);

/* Call prepare of each; returns the first error. */
int sources_prepare(void);

/* The files that events of the sources that are on may need, bits 1 << enum fmt_stream.
 * Signal-safe. */
uint32_t sources_streams(void);

/* Does a fork in the calling thread interrupt a record of any source? */
int sources_are_interrupted(void);

#endif
