/* seccomp.h: programs that filter their own system calls (seccomp).
 *
 * A filter that lets the recorder's calls fail does no harm: what they were for is lost, and noted.
 * One that kills the process for them, or tells the program of them, ends the recording before it
 * is installed. */
#ifndef XER_LIBCOLLECTOR_PROCESS_SECCOMP_H
#define XER_LIBCOLLECTOR_PROCESS_SECCOMP_H

#include <stdint.h>
#include <stddef.h>

struct sock_filter;

enum seccomp_verdict { SECCOMP_HARMLESS, SECCOMP_HARMFUL };

/* What a filter of `len` instructions does to the recorder's calls; one that the kernel would not
 * take is harmless. Signal-safe. */
enum seccomp_verdict seccomp_judge(const struct sock_filter *filter, size_t len);

/* The calling thread is about to call prctl(2) or seccomp(2) with these arguments: a filter, or
 * something else that goes against what the recorder does in any thread -
 * PR_SET_SYSCALL_USER_DISPATCH, by which its calls would be signals for the program, and
 * PR_SET_TSC, by which reading the time would be one - ends the recording. Normal context. */
void seccomp_before_prctl(int option, unsigned long a, unsigned long b);
void seccomp_before_seccomp(unsigned long operation, const void *program);

#endif
