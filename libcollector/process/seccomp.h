/* seccomp.h: programs that filter their own system calls (seccomp).
 *
 * A filter that makes the recorder's calls fail does no harm: the data are lost, and that is noted.
 * If a filter kills the process for such calls, or reports them to the program, the recording is
 * ended before the filter is installed. If it does so for calls of perf events alone, timers take
 * their place. */
#ifndef XER_LIBCOLLECTOR_PROCESS_SECCOMP_H
#define XER_LIBCOLLECTOR_PROCESS_SECCOMP_H

#include <stdint.h>
#include <stddef.h>

struct sock_filter;

/* SECCOMP_SLOWS_CLOCK: only the calls for perf events (tick_perf.h) are such. */
enum seccomp_verdict { SECCOMP_HARMLESS, SECCOMP_SLOWS_CLOCK, SECCOMP_HARMFUL };

/* What a filter of `len` instructions does to the recorder's calls; a filter that the kernel would
 * refuse is harmless. Signal-safe. */
enum seccomp_verdict seccomp_judge(const struct sock_filter *filter, size_t len);

/* Does it allow what aside.h does? Signal-safe. */
int seccomp_allows_aside(const struct sock_filter *filter, size_t len);

/* Does it allow what helper.h does? Signal-safe. */
int seccomp_allows_helper(const struct sock_filter *filter, size_t len);

/* The calling thread is about to call prctl(2) or seccomp(2) with these arguments. A filter, or
 * something else that would disturb the recorder in any thread, ends the recording:
 * PR_SET_SYSCALL_USER_DISPATCH, which would turn its calls into signals for the program, and
 * PR_SET_TSC, which would do that to reading the time. Normal context. */
void seccomp_before_prctl(int option, unsigned long a, unsigned long b);
void seccomp_before_seccomp(unsigned long operation, const void *program);

#endif
