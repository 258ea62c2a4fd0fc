/* search.h: find a thread of the target that can be used, and the moment for it. */
#ifndef XER_ATTACH_SEARCH_H
#define XER_ATTACH_SEARCH_H

#include "attach/objects.h"
#include "attach/thread.h"

/* Stop one thread of process `pid` at a safe point (safe.h); all others run on, and are stopped
 * only for moments. Returns 0 with *thread stopped, -EAGAIN (there was no such moment in
 * timeout_ms), -ETIMEDOUT (a thread does not stop; see thread_stop), -EPERM, -ESRCH, -EBUSY (the
 * process is stopped by a signal). */
int search_thread(struct objects *objects, pid_t pid, int timeout_ms, struct thread *thread);

#endif
