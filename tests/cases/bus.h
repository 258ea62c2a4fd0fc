/* bus.h: what the cases of SIGBUS share. */
#ifndef XER_TESTS_BUS_H
#define XER_TESTS_BUS_H

#include <signal.h>

enum { BUS_SPOT = 100 };

/* The page of a file that is not there any more; made again, with how often it was missed so far.
 */
extern char *bus_cut;
extern volatile sig_atomic_t bus_count;
char *bus_cut_page(void);

/* Install a handler that is told what happened; one such, which puts memory there; and one that
 * only counts. */
void bus_install(void (*handler)(int, siginfo_t *, void *), int flags);
void bus_repairs(int signal, siginfo_t *info, void *context);
void bus_counts(int signal);

/* Say what the handlers have seen last, and what is installed. */
void bus_tell(void);
void bus_say_action(const char *what);

/* Change the mask, of this signal alone. */
void bus_block(int how);

/* A child makes such a page, does this, and then writes there; say how it ended. */
int bus_faulting_child(void (*prepare)(void));

#endif
