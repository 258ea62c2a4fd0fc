/* helper.h: run a program of Xer as a child that the program cannot notice: it sends no SIGCHLD,
 * and only a wait for such children finds it. */
#ifndef XER_LIBCOLLECTOR_PROCESS_HELPER_H
#define XER_LIBCOLLECTOR_PROCESS_HELPER_H

#include <stdint.h>

struct helper {
	char *const *argv; /* argv[0] is its path; what it points to stays until the helper ends */
	char *const
		*told; /* the same if there is a terminal for its messages; NULL: there is none */
	int is_last;   /* nothing of the program runs afterwards */
	int is_left;   /* it is not waited for */
};

enum { HELPER_UNKNOWN = 125 };

/* Run it with an environment of a PATH alone, and without the descriptors of the program. Returns
 * its exit status (0 if it is left), HELPER_UNKNOWN if it has none, or -errno: no process could be
 * made; -EPERM: a filter of system calls might kill the program for it; -ECHILD: one that is left
 * would become a child of this process; -EXDEV: the children of this process are in another name
 * space of pids. Signal-safe. */
int helper_run(const struct helper *helper);

/* The calling thread is about to install a filter of system calls, which lets a helper be made or
 * does not. Below a filter that nobody has judged, none is made: it might kill the program.
 * Signal-safe. */
void helper_judged(int is_allowed);

/* May one be made here? Signal-safe. */
int helper_is_allowed(void);

/* So many filters of this thread let helpers be made: for the program that it executes.
 * Signal-safe. */
uint64_t helper_filters(void);

#endif
