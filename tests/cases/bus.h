/* bus.h: what the cases of SIGBUS share. */
#ifndef XER_TESTS_BUS_H
#define XER_TESTS_BUS_H

#include <signal.h>

enum { BUS_SPOT = 100 };

/* A page behind the end of its file; the same again, with the number of faults so
 * far. */
extern char *bus_cut;
extern volatile sig_atomic_t bus_count;
char *bus_cut_page(void);

/* Install a handler that prints what it is told; one that also maps memory there; one that only
 * counts. */
void bus_install(void (*handler)(int, siginfo_t *, void *), int flags);
void bus_repairs(int signal, siginfo_t *info, void *context);
void bus_counts(int signal);

/* Print what the handlers have seen last, and which one is installed. */
void bus_tell(void);
void bus_say_action(const char *what);

/* Change the mask, for this signal only. */
void bus_block(int how);

/* In a child: make such a page, call this, and then write there; print how the child ended. */
int bus_faulting_child(void (*prepare)(void));

#endif
