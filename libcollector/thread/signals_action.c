/* signals_action.c: what the program does at signals, as it sets and asks for it: for ours, that is
 * kept here. See signals.h. */
#include "libcollector/thread/signals_part.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/altstack.h"

#include <errno.h>

static void exchange_program_action(struct signals_owned *ours, const struct sigaction *action,
                                    struct sigaction *old)
{
	struct sigaction before = ours->program;

	if (action && !signals_is_sharer()) {
		ours->program = *action;
		if ((before.sa_flags ^ action->sa_flags) & SA_ONSTACK)
			signals_set_action(ours->signal, ours);
	}
	if (old)
		*old = before;
}

/* What a handler that runs on alternate stacks must block. */
static sys_sigset shield_of(unsigned long flags)
{
	return flags & SA_ONSTACK && altstack_expected() ? signals_owned_set : 0;
}

/* Another thread may install a handler at the same time: then that one counts, and is shielded in
 * turn. */
static void shield_handler(int signal)
{
	struct sys_sigaction now, shielded;

	sys_sigaction(signal, NULL, &now);
	for (int tries = 0; tries < 4; tries++) {
		if ((now.mask | shield_of(now.flags)) == now.mask)
			return;
		shielded = now;
		shielded.mask |= signals_owned_set;
		if (sys_sigaction(signal, &shielded, &now) < 0 || now.handler == shielded.handler)
			return;
	}
}

void signals_shield_handlers(void)
{
	for (int signal = 1; signal <= 64; signal++)
		if (!signals_find(signal) && signal != SIGKILL && signal != SIGSTOP)
			shield_handler(signal);
}

static int change_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	int error = REAL(sigaction)(signal, action, old);

	if (unlikely(signal == SIGBUS) && error == 0)
		signals_sigbus_changed(old);
	return error;
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct signals_owned *ours = signal > 0 ? signals_find(signal) : NULL;
	struct sigaction copy;
	int error;

	if (!col_is_recording())
		return change_action(signal, action, old);
	if (ours) {
		exchange_program_action(ours, action, old);
		return 0;
	}
	if (action) {
		copy = *action;
		signals_set_kernel_set(&copy.sa_mask,
		                       (signals_kernel_set(&copy.sa_mask) & ~signals_owned_set) |
		                               shield_of((unsigned)action->sa_flags));
	}
	error = change_action(signal, action ? &copy : NULL, old);
	if (error == 0 && old)
		signals_set_kernel_set(&old->sa_mask,
		                       signals_kernel_set(&old->sa_mask) & ~signals_owned_set);
	return error;
}

static struct sys_sigaction for_kernel(const struct sigaction *action)
{
	return (struct sys_sigaction){.handler = action->sa_sigaction,
	                              .flags = (unsigned)action->sa_flags,
	                              .mask = signals_kernel_set(&action->sa_mask)};
}

/* What is exchanged by a call that the program makes itself. Returns 0: it is not for us. */
static int exchange_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct signals_owned *ours = signal > 0 && col_is_recording() ? signals_find(signal) : NULL;

	if (ours)
		exchange_program_action(ours, action, old);
	else if (signal != SIGBUS || !signals_sigbus_is_watched())
		return 0;
	else
		change_action(signal, action, old);
	return 1;
}

int signals_action_by_call(int signal, const void *action, void *old, unsigned long size)
{
	struct sys_sigaction given;
	struct sigaction wanted, before;

	if (size != sizeof(sys_sigset) || (action && !sys_is_readable(action, sizeof(given))))
		return 0;
	if (action) {
		memcpy(&given, action, sizeof(given));
		wanted = signals_of_kernel(&given);
	}
	if (!exchange_action(signal, action ? &wanted : NULL, &before))
		return 0;
	/* The kernel, too, first sets the action and then stores the former one. It tells whether
	 * that may be stored there, by what it stores itself. */
	if (old && sys_sigaction(signal, NULL, old) < 0)
		return -EFAULT;
	if (old) {
		given = for_kernel(&before);
		memcpy(old, &given, sizeof(given));
	}
	return 1;
}

/* The former handler of `number`, as a function of an older interface returns it. */
static __sighandler_t former(int number, __sighandler_t handler)
{
	struct sigaction old = {.sa_handler = handler};

	if (number == SIGBUS)
		signals_sigbus_changed(&old);
	return old.sa_handler;
}

/* The signal, if it is one of ours, and the call is not one that must fail. */
static struct signals_owned *ours_of(int number, __sighandler_t handler)
{
	return number > 0 && handler != SIG_ERR && col_is_recording() ? signals_find(number) : NULL;
}

static __sighandler_t exchange_handler(struct signals_owned *ours, __sighandler_t handler,
                                       int flags)
{
	struct sigaction action = {.sa_flags = flags}, old;

	action.sa_handler = handler;
	exchange_program_action(ours, &action, &old);
	return old.sa_handler;
}

/* With the flags that sigaction would have for it. */
#define OLD_SIGNAL(name, flags) \
	EXPORT __sighandler_t name(int number, __sighandler_t handler) \
	{ \
		struct signals_owned *ours = ours_of(number, handler); \
\
		return ours ? exchange_handler(ours, handler, flags) \
		            : former(number, REAL(name)(number, handler)); \
	}
OLD_SIGNAL(signal, SA_RESTART)
OLD_SIGNAL(bsd_signal, SA_RESTART)
OLD_SIGNAL(ssignal, SA_RESTART)
OLD_SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
OLD_SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* It changes the mask too, and returns it. */
EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
	struct signals_owned *ours = ours_of(number, handler);
	__sighandler_t old;
	sigset_t set, before;

	if (!ours)
		return former(number, REAL(sigset)(number, handler));
	old = handler == SIG_HOLD ? ours->program.sa_handler : exchange_handler(ours, handler, 0);
	sigemptyset(&set);
	sigaddset(&set, number);
	before = set;
	sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &before);
	return sigismember(&before, number) ? SIG_HOLD : old;
}
