/* memory.h: the memory that the recorder maps (sys_mmap and its relatives in sys.h).
 *
 * It is known which memory this is: a call that means all memory of the process (mlockall) is not
 * to mean ours. All of it is signal-safe. */
#ifndef XER_COLLECTOR_BASE_MEMORY_H
#define XER_COLLECTOR_BASE_MEMORY_H

#include "libcollector/base/sys.h"

/* Forked children shall not have this mapping of ours. */
void memory_keep_apart(void *at, size_t len);

/* In a forked child: what was kept apart is not there. */
void memory_begin_child(void);

/* The first mapping of ours that ends behind `from`. Returns 1, or 0 if there is none. */
int memory_find(uintptr_t from, uintptr_t *start, uintptr_t *end);

/* The program has had all mappings locked that will be made (mlockall with MCL_FUTURE), or does not
 * want that any more. */
void memory_lock_future(int is_on);
int memory_future_is_locked(void);

#endif
