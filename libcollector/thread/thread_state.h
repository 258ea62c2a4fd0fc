/* thread_state.h: the life of a thread's state, for modules that find or create threads. All of it
 * is signal-safe. */
#ifndef XER_COLLECTOR_THREAD_STATE_H
#define XER_COLLECTOR_THREAD_STATE_H

#include "libcollector/thread/thread.h"

/* Threads that pthread_create is creating, and that have not reported themselves yet. */
extern atomic_uint thread_starting __attribute__((visibility("hidden")));

/* ---- memory (thread_memory.c) */

/* An unused state, NULL: there is none. */
struct col_thread *thread_take_unused(void);

/* A new one. NULL if there is no memory. */
struct col_thread *thread_make(void);

/* The state is unused from now on. */
void thread_release(struct col_thread *state);

/* The state with this number, which has been there. */
struct col_thread *thread_at(uint32_t number);

/* Is it the address of a state? */
int thread_is_state(const void *address);

/* madvise(2) for the pages that a state is in. */
void thread_memory_keep(const struct col_thread *state, int advice);

/* In a forked child, which has no states. */
void thread_memory_restart(void);

/* ---- the table of their numbers (thread_table.c) */

/* Does the kernel still have a thread of this process with that number? */
int thread_is_alive(uint32_t tid);

struct col_thread *thread_find(uint32_t tid);

/* A thread has this state from now on. */
void thread_table_enter(uint32_t tid, const struct col_thread *state);

/* It has it no more. Returns 1, or 0 if another thread has removed it. */
int thread_table_leave(uint32_t tid, const struct col_thread *state);

/* The same, but the kernel still lists the thread, which must not be taken for an unknown one. */
void thread_table_end(uint32_t tid, const struct col_thread *state);
int thread_table_has_ended(uint32_t tid);

/* How many threads have a state, and with those that have ended as above. */
uint32_t thread_table_count(void);
uint32_t thread_table_count_listed(void);

/* Look at the next `most` places of the table, behind *place (0: the first): `gone` is called
 * with the states of threads that are gone. Returns 0 when there are no more places. */
typedef void thread_gone(struct col_thread *state, uint32_t tid);
int thread_table_sweep(uint32_t *place, uint32_t most, thread_gone *gone);

/* In a forked child: it is empty. */
void thread_table_restart(void);

/* ---- their life (thread.c) */

/* A state for a thread: an unused one, or a new one. NULL if there is no memory. */
struct col_thread *thread_take(void);

/* A thread's start is known: begin to record it. */
void thread_begin(struct col_thread *state, uint32_t tid);

/* The calling thread has `state`: from here on it is known. */
void thread_become(struct col_thread *state);

/* Write a record of the calling thread, as of now. */
void thread_tell(struct col_thread *thread, enum col_context context,
                 enum fmt_thread_origin origin);

/* The same of another thread, which was found, by the calling one. */
void thread_tell_of(struct col_thread *thread, enum col_context context, uint32_t tid,
                    const char name[16]);

/* The thread is gone, or was never created: another one may have the state. */
void thread_end(struct col_thread *state);

/* A thread is gone that has not ended its recording by itself. */
void thread_drop(struct col_thread *state, uint32_t tid);

/* There is a thread with that number: create a state for it, if it has none. */
void thread_found(uint32_t tid);

/* The same for one in the kernel's list, which may be about to begin or to end. */
void thread_listed(uint32_t tid);

/* In a forked child: no other thread searches. */
void thread_scan_restart(void);

#endif
