/* call.h: make a stopped thread of the target execute system calls and functions, and restore its
 * state.
 *
 * System calls are executed where the C library makes one and returns; functions are called on a
 * separate stack by a few instructions on a separate page. At the end of each is a signal frame
 * (arch_frame_build), so that the thread returns by itself if this program ends at any moment.
 * Signals other than faults wait until the thread has returned. */
#ifndef XER_ATTACH_CALL_H
#define XER_ATTACH_CALL_H

#include "attach/objects.h"
#include "attach/thread.h"

struct call_place {
	struct thread *thread;
	struct arch_state state; /* of the thread, as it was */
	uint64_t call_at;        /* a system call, and a return */
	uint64_t return_at;      /* where rt_sigreturn is called */
	uint64_t frame_at;       /* in the thread's own stack */
	uint64_t area;           /* mapped in the target, 0: not yet */
};

/* Does the target's C library have the code that calls begin and end with? It is missing while the
 * program is still being loaded. */
int call_is_possible(struct objects *objects);

/* Prepare `thread`, stopped at a safe point, for calls. Returns 0; -ENOTSUP: the C library lacks
 * what is needed; -EPERM: the system forbids new executable memory; or another -errno. After a
 * failure the thread is as it was. */
int call_begin(struct call_place *place, struct objects *objects, struct thread *thread);

/* Copy bytes[len] into the area, for use as an argument. Returns its address there, 0 if it does
 * not fit or cannot be written. */
uint64_t call_put(struct call_place *place, size_t *used, const void *bytes, size_t len);

/* Call `function` with two arguments. Returns 0 with *result, -EFAULT (it crashed: end the calls),
 * -ESTALE (it has ended, but the thread has returned by itself), or another -errno, such as
 * -ETIMEDOUT. After anything but 0 and -EFAULT, the thread must not be touched any more. */
int call_function(struct call_place *place, uint64_t function, uint64_t first, uint64_t second,
                  int timeout_ms, uint64_t *result);

/* Unmap the area and put the thread back as it was; it is still stopped then. Returns 0 or -errno.
 */
int call_end(struct call_place *place);

#endif
