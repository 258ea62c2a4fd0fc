/* account.h: the CPU time of threads, recorded beside their waits: what a call that waited used of
 * it was no waiting, and what is neither CPU time nor a wait had other causes.
 *
 * To read the clock of a thread is a system call. It is made when a thread ends, and in between
 * only where waits may hold much CPU time: many of them, or in calls that compute. */
#ifndef XER_COLLECTOR_WALL_ACCOUNT_H
#define XER_COLLECTOR_WALL_ACCOUNT_H

#include "libcollector/thread/thread.h"

/* The time of `thread` counts from the moment at which it began, which its CPU time tells: it has
 * not waited yet. Signal-safe. */
void account_begin(struct col_thread *thread);

/* The calling thread has waited from `before` to `after`, `wait` ticks: write an account if it is
 * due. In a scope of it. */
void account_wait(struct col_thread *thread, enum fmt_wall_state state, uint64_t wait,
                  uint64_t before, uint64_t after);

#endif
