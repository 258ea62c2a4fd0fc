/* thread_state.h: the life of a thread's state, for modules that find or create threads. All of it
 * is signal-safe. */
#ifndef XER_COLLECTOR_THREAD_STATE_H
#define XER_COLLECTOR_THREAD_STATE_H

#include "libcollector/thread/thread.h"

/* Threads that pthread_create is creating, and that have not reported themselves yet. */
extern atomic_uint thread_starting __attribute__((visibility("hidden")));

int thread_is_alive(uint32_t tid);
struct col_thread *thread_find(uint32_t tid);

/* An unused state, or a new one. NULL if there is no memory. */
struct col_thread *thread_take(void);

/* A thread's start is known: begin to record it. */
void thread_begin(struct col_thread *state, uint32_t tid);

/* The calling thread has `state`: from here on it is known. */
void thread_become(struct col_thread *state);

/* Write a record of the calling thread, as of now. */
void thread_tell(struct col_thread *thread, enum col_context context,
                 enum fmt_thread_origin origin);

/* The thread is gone, or was never created: another one may have the state. */
void thread_end(struct col_thread *state);

/* There is a thread with that number: create a state for it, if it has none. */
void thread_found(uint32_t tid);

/* The same for one in the kernel's list, which may be about to begin or to end. */
void thread_listed(uint32_t tid);

/* In a forked child: no other thread searches. */
void thread_scan_restart(void);

#endif
