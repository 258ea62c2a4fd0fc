/* buserror.h: SIGBUS, which pages of our files may raise, and which is the program's else.
 *
 * While a process records, a handler of ours stands in front of what the program has for SIGBUS, be
 * it a handler or the default. The kernel has the program's mask and flags with it, so whatever it
 * does with a signal it does as without us; then the program's handler is jumped to, with the same
 * registers and stack. What the program believes to have installed is in immutable entries, and the
 * kernel says by which entry it calls: so there is no moment at which the two differ, and a vfork
 * child, which shares our memory but not the kernel's table, changes nothing of its parent's.
 *
 * What cannot be done so is left to the kernel, as without us: a program that ignores SIGBUS, a
 * thread that has it blocked, a handler set by a system call of the program's own. A fault of ours
 * ends the program then. */
#ifndef XER_COLLECTOR_BUSERROR_H
#define XER_COLLECTOR_BUSERROR_H

#include <signal.h>

/* Stand in front of what the program has for SIGBUS now: at the start, and when it has changed
 * that. Signal-safe. */
void buserror_stand(void);

/* The recording has ended, or is about to be forbidden: SIGBUS is the program's alone. Signal-safe.
 */
void buserror_give_back(void);

/* Put what the program has installed in the place of what is ours in `now`, which the C library has
 * told of SIGBUS. Signal-safe. */
void buserror_unmask(struct sigaction *now);

/* ---- between buserror.c and the processor's code (arch/) ---- */

/* Entry n calls buserror_decider, which is set before any is installed, with the kernel's three
 * arguments and n. If that returns a handler, it goes on there as if the kernel had called it: the
 * return address is the kernel's, the frame as large, and nothing of ours is on the stack.
 * BUSERROR_ENTRY_SIZE: bytes of code. */
enum { BUSERROR_FRONTS = 32, BUSERROR_ENTRY_SIZE = 16 };
extern const char buserror_entries[BUSERROR_FRONTS * BUSERROR_ENTRY_SIZE]
	__attribute__((visibility("hidden")));

typedef void buserror_handler(int signal, siginfo_t *info, void *context);
extern buserror_handler *(*buserror_decider)(int signal, siginfo_t *info, void *context,
                                             unsigned number) __attribute__((visibility("hidden")));

#endif
