/* host.h: what lower rooms need from the recording as a whole, which is in a higher room: a stream
 * asks that its directory be created, a tick asks whether the time range of events is over.
 *
 * The table is constant, and is set once, before anything is recorded. Until then, nothing is done.
 * All of it is signal-safe. */
#ifndef XER_LIBCOLLECTOR_BASE_HOST_H
#define XER_LIBCOLLECTOR_BASE_HOST_H

#include "libcollector/base/collector.h"

struct col_slot;
struct col_thread;
struct xer_collector_table;

struct col_host {
	void (*settle)(
		void); /* make the directory of a forked child that has something to record */
	int (*make_map)(void); /* and the map.xml of a descendant; 0 or -errno */
	void (*greet)(const struct col_slot *slot); /* write the first records: see child.h */
	void (*check_time)(void);                   /* begin or end events if it is time */
	void (*stop_events)(const char *why);       /* col_stop_events */
	void (*restart_events)(void);               /* in a forked child */
	void (*thread_coming)(void);                /* the calling thread is about to create one */
	void (*account)(void);                      /* bring samples and counters up to date */
	void (*terminate)(void);                    /* end the recording for good */
	void (*waits)(struct col_thread *);         /* for a lock: see process/snapshot_wait.h */
	void (*waits_long)(struct col_thread *);
	void (*waited)(struct col_thread *, uint64_t ticks);
	const struct xer_collector_table *api; /* what programs may call */
};
extern const struct col_host *col_host __attribute__((visibility("hidden")));

/* Most recordings have no time range for events. */
static inline void col_check_time(void)
{
	if (unlikely(col.descriptor.from_ms || col.descriptor.to_ms))
		col_host->check_time();
}

/* The calling thread is about to wait for a lock; and has waited. */
static inline void col_waits(struct col_thread *thread)
{
	if (unlikely(col.descriptor.snapshot_wait_ms) && col_host)
		col_host->waits(thread);
}

static inline void col_waited(struct col_thread *thread, uint64_t ticks)
{
	if (unlikely(col.descriptor.snapshot_wait_ms) && col_host)
		col_host->waited(thread, ticks);
}

static inline void col_thread_coming(void)
{
	if (likely(col_host))
		col_host->thread_coming();
}

static inline void col_settle(void)
{
	if (unlikely(atomic_load(&col.is_unsettled)))
		col_host->settle();
}

#endif
