/* source.h: the sources of events, and what is done for each at which moment. The rows are those of
 * source.def.
 *
 * The table is constant. It lies above all that it names (source.c), so it is given to this room
 * once, before anything is recorded: until then there are no sources. */
#ifndef XER_COLLECTOR_BASE_SOURCE_H
#define XER_COLLECTOR_BASE_SOURCE_H

#include "libcollector/base/collector.h"

struct col_thread;

/* A source, and its moments. Functions that are not named otherwise are signal-safe. */
struct source {
	const char *counter; /* what log.xml calls the number of its events (thread->events) */
	uint16_t id;         /* enum source_id */
	uint16_t setting;    /* offset of the descriptor's field, 0: none */
	uint8_t is_last; /* it records until the others have ended: their ends are in its samples */

	/* ---- a recording of this process */

	/* The library is initialized, in whatever process. Normal context, once. */
	void (*load)(void);
	/* Before files are written. Returns 0 or -errno: then nothing is recorded. Also in a forked
	 * child. */
	int (*prepare)(void);
	/* Handlers, before there are threads. Normal context. */
	void (*install)(void);
	/* The library was loaded with its program, and the recording has begun. Normal context. */
	void (*launch)(void);
	/* It is wanted: events may begin now or later. Normal context. */
	void (*open)(void);
	/* It is wanted, and events begin or go on: set col.switches->on. Without this, it
	 * becomes 1.
	 */
	void (*start)(void);
	/* Events pause or end. Without these, col.switches->on becomes 0; a pause is a stop then.
	 */
	void (*pause)(void);
	void (*stop)(void);
	/* Events have been stopped because the recording ends, but the process goes on. Normal
	 * context. */
	void (*leave)(void);
	/* The recording has ended: no timers and the like any more. */
	void (*close)(void);
	/* Another recording in this process: nothing of the one before goes on. Nobody records. */
	void (*again)(void);
	/* Totals are about to be written: bring those of col.count up to date. */
	void (*count)(void);
	/* A usage sample is about to be taken. */
	void (*sample)(struct col_thread *self, enum col_context context);
	/* Load objects were unloaded: what is known by their addresses is not so any more. */
	void (*unload)(void);

	/* ---- forked children, which have one thread */

	/* In the child: nothing of what the maker records with may be touched. */
	void (*forget)(void);
	/* In a child that is recorded, behind forget and prepare. */
	void (*renew)(void);
	/* Around a fork in the calling thread: does it interrupt a record, which the child will
	 * complete? Then the memory is to be there in the child (MADV_DOFORK, and MADV_DONTFORK
	 * again behind the fork), where it is cut off from the file. */
	int (*is_interrupted)(void);
	void (*keep_memory)(struct col_thread *self, int advice);
	void (*cut_off)(void);

	/* ---- threads */

	/* A state has a new thread, which nobody finds yet. */
	void (*thread_prepare)(struct col_thread *thread);
	/* Now it is found by its tid. */
	void (*thread_begin)(struct col_thread *thread);
	/* It is ending or gone; any thread says so. */
	void (*thread_gone)(struct col_thread *thread);
	/* The calling thread ends, and has told all of itself. */
	void (*thread_exit)(void);
	/* Record what `thread` has used until now; or let that be nobody's. */
	void (*thread_account)(struct col_thread *thread, struct col_thread *writer,
	                       enum col_context context);
	void (*thread_pass)(struct col_thread *thread);
};

struct source_table {
	const struct source *first, *end;
};
extern struct source_table sources __attribute__((visibility("hidden")));

/* Have `moment` done for every source that has something to do then: EACH_SOURCE(sample, self,
 * context). */
#define EACH_SOURCE(moment, ...) \
	do { \
		for (const struct source *each = sources.first; each != sources.end; each++) \
			if (each->moment) \
				each->moment(__VA_ARGS__); \
	} while (0)

/* Begin, pause and stop the events of all sources; sources_begin is for open and start, which are
 * done for what is wanted only. */
void sources_open(void);
void sources_start(void);
void sources_pause(void);
void sources_stop(void);

/* Stop those that do not record to the last. */
void sources_stop_early(void);

/* As prepare of each; the first error. */
int sources_prepare(void);

/* Does a fork in the calling thread interrupt a record of any? */
int sources_are_interrupted(void);

#endif
