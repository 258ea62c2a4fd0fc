/* buserror.h: SIGBUS, which pages of our files may raise, and which is the program's else.
 *
 * While a process records, a handler of ours stands in front of what the program has for SIGBUS, be
 * it a handler or the default. The kernel has the program's mask and flags with it, so whatever it
 * does with a signal it does as without us; then the program's handler is jumped to, with the same
 * registers and stack. What the program believes to have installed is in immutable entries, and the
 * kernel says by which entry it calls: so there is no moment at which the two differ, and a vfork
 * child, which shares our memory but not the kernel's table, changes nothing of its maker's.
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

#endif
