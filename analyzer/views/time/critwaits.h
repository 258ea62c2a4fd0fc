/* critwaits.h: the threads of all selected experiments with their waits, on one axis of time: what
 * the critical path is found in. */
#ifndef XER_ANALYZER_VIEWS_TIME_CRITWAITS_H
#define XER_ANALYZER_VIEWS_TIME_CRITWAITS_H

#include "analyzer/report/tids.h"

enum { CRIT_NONE = UINT32_MAX };

struct crit_wait {
	int64_t begin_ns, end_ns;
	uint64_t object;
	uint32_t thread; /* index */
	uint32_t owner;  /* as of an exp_wait */
	uint32_t node;
	uint32_t writer; /* thread that wrote what it waited for, CRIT_NONE: unknown */
	uint16_t error;
	uint8_t state, family, func;
};

struct crit_thread {
	const struct dataset_experiment *at;
	uint32_t number; /* index in at->whole->threads */
	int64_t begin_ns, end_ns;
	size_t first, count; /* its waits, in order of time */
};

/* First threads of processes by a key, and a time of each. */
struct crit_place {
	int64_t key, ns;
	uint32_t thread;
};
struct crit_places {
	struct crit_place *at; /* at[count], in order */
	size_t count;
};

struct crit_waits {
	int64_t least_ns;
	struct crit_thread *threads; /* threads[thread_count], in order of experiments */
	size_t thread_count;
	struct tids *tids;
	struct crit_places by_id;     /* first threads by id of the experiment, */
	struct crit_places by_pid;    /* by id of the process, and when they began, */
	struct crit_places by_parent; /* and by the parent's, and when they ended */
	struct crit_wait *waits;      /* waits[count], by thread and time */
	size_t count, capacity;
};

/* Read the waits of at least least_ns, and those for a child that is known. Returns 0, then
 * crit_waits_fini frees; or -ENOMEM. */
int crit_waits_read(const struct dataset *dataset, int64_t least_ns, struct crit_waits *out);
void crit_waits_fini(struct crit_waits *waits);

/* The last wait of a thread that began before `ns`, NULL: there is none. */
const struct crit_wait *crit_waits_before(const struct crit_waits *waits, uint32_t thread,
                                          int64_t ns);

/* The thread of a process with the system's id at a time, CRIT_NONE: it is not known. */
uint32_t crit_thread_of(const struct crit_waits *waits, const struct dataset_experiment *at,
                        uint32_t tid, int64_t ns);

/* The same, or else one of another process, which ran in [from_ns, to_ns]. */
uint32_t crit_thread_anywhere(const struct crit_waits *waits, const struct dataset_experiment *at,
                              uint32_t tid, int64_t from_ns, int64_t to_ns);

/* The first thread of the image that a process is at a time, of several the last; CRIT_NONE. */
uint32_t crit_process_at(const struct crit_waits *waits, int64_t pid, int64_t ns);

/* The first thread of a child of the process that ended in [from_ns, to_ns], the last of these;
 * CRIT_NONE. */
uint32_t crit_child_ended(const struct crit_waits *waits, int64_t parent, int64_t from_ns,
                          int64_t to_ns);

#endif
