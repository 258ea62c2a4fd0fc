/* buserror.h: SIGBUS, which pages of our files may raise; all other causes belong to the program.
 *
 * While a process records, a handler of ours is installed before the program's action for SIGBUS,
 * be it a handler or the default. The kernel uses the program's mask and flags with it, so it
 * treats the signal as it would without us; then our handler jumps to that of the program, with the
 * same registers and stack. What the program has installed is in immutable entries, and each entry
 * has its own code that the kernel calls. So the two never differ, and a vfork child, which shares
 * our memory but not the kernel's table, changes nothing for its parent.
 *
 * Where this is impossible, the kernel acts as without us: in a program that ignores SIGBUS, in a
 * thread that has blocked it, and with a handler set by a direct system call of the program. A
 * fault of ours kills the program then. */
#ifndef XER_COLLECTOR_BUSERROR_H
#define XER_COLLECTOR_BUSERROR_H

#include <signal.h>

/* Install it before the program's current action for SIGBUS: at the start, and when the program has
 * changed that. Signal-safe. */
void buserror_stand(void);

/* The recording has ended, or is about to be forbidden: SIGBUS belongs to the program alone.
 * Signal-safe. */
void buserror_give_back(void);

/* Replace our action in `now`, which the C library has returned for SIGBUS, by that of the program.
 * Signal-safe. */
void buserror_unmask(struct sigaction *now);

/* ---- between buserror.c and the processor's code (arch/) ---- */

/* Entry n calls buserror_decider (which is set before any entry is installed) with the kernel's
 * three arguments and n. If that returns a handler, the entry jumps to it as if the kernel had
 * called it: the return address is the kernel's, the frame is as large, and nothing of ours is on
 * the stack. BUSERROR_ENTRY_SIZE: bytes of code. */
enum { BUSERROR_FRONTS = 32, BUSERROR_ENTRY_SIZE = 16 };
extern const char buserror_entries[BUSERROR_FRONTS * BUSERROR_ENTRY_SIZE]
	__attribute__((visibility("hidden")));

typedef void buserror_handler(int signal, siginfo_t *info, void *context);
extern buserror_handler *(*buserror_decider)(int signal, siginfo_t *info, void *context,
                                             unsigned number) __attribute__((visibility("hidden")));

#endif
