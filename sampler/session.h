/* session.h: a sampler session: regions, the threads attached, and the thread that moves samples
 * from the kernel's rings to the regions. The caller lets one thread at a time in, but for
 * session_destroy and session_info, and knows the states. */
#ifndef XER_SAMPLER_SESSION_H
#define XER_SAMPLER_SESSION_H

#include "include/xer/sampler.h"

struct session;

/* May this process sample at all? 0, -EACCES or -EPERM (the system forbids it), -ENOSYS or -ENOENT
 * (it has no sampling). */
int session_permission(void);

/* Make a session with a region of region_size bytes (whole pages) for each CPU that is on. Returns
 * 0 or -errno: -EACCES, -EPERM (the system forbids sampling), -ENOSYS, -ENOENT (it has none),
 * -ENOMEM, -EMFILE... */
int session_create(uint64_t period_ns, size_t region_size, struct session **out);

/* Ends sampling; region memory that is mapped stays. */
void session_destroy(struct session *session);

/* In a child created by fork: give up the parent's sampling, which goes on there. Regions can still
 * be mapped. */
void session_abandon(struct session *session);

/* Sample a thread too, when the session runs; a thread that is attached already is not sampled
 * twice. born: from thread_started. Returns 0; -ESRCH if it has ended; -EACCES, -EMFILE, -ENOMEM...
 */
int session_attach(struct session *session, pid_t tid, uint64_t born);

/* Begin, go on; 0 or -errno. Stop: nothing is written any more when this returns. */
int session_start(struct session *session);
void session_stop(struct session *session);
int session_is_running(const struct session *session);

unsigned session_region_count(const struct session *session);
size_t session_region_size(const struct session *session);
int session_memory(const struct session
                           *session); /* a descriptor: all regions one behind the other; borrowed */
void session_info(struct session *session, xer_sampler_info_t *out);

/* The start time of a thread, in ticks since boot: with its number, it identifies the thread.
 * Returns 0, or -ESRCH. */
int thread_started(pid_t tid, uint64_t *born);

#endif
