/* pointer.h: the thread pointer in handlers of ours.
 *
 * Emulators and other runtimes set their own for a while, or create threads that libc does not
 * know. So while a handler runs, the thread has the pointer that libc gave it. If that is not
 * known, it has a pointer to a place of ours, where no CPU is noted, and all our variables of a
 * thread are zero. See doc/decisions/05-processor-state.md. */
#ifndef XER_COLLECTOR_THREAD_POINTER_H
#define XER_COLLECTOR_THREAD_POINTER_H

#include <stdint.h>

struct col_thread;

/* Find out how large that place has to be, in a thread whose pointer is libc's. On processors and
 * kernels that do not let us read pointers, they are left alone. */
void pointer_open(void);

/* Give the calling thread its pointer; `thread` is its state, NULL: it has none. Returns 0, with
 * the one that it had, for pointer_return; or -ENOMEM: there is no memory for a place of ours.
 * Signal-safe. */
int pointer_borrow(const struct col_thread *thread, uintptr_t *before);
void pointer_return(uintptr_t before);

#endif
