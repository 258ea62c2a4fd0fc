/* signals.c: our signals: their handlers, and those that the program has for them. See signals.h.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/thread/signals_part.h"

#include "libcollector/hook/hook.h"
#include "libcollector/thread/thread_state.h"

#include <errno.h>

struct signals_owned signals_owned[SIGNALS_OWNED_MAX];
sys_sigset signals_owned_set;

static _Atomic(signals_watcher *) sigbus_watcher;

struct signals_owned *signals_find(int signal)
{
	for (int i = 0; i < SIGNALS_OWNED_MAX; i++)
		if (signals_owned[i].signal == signal)
			return &signals_owned[i];
	return NULL;
}

int signals_set_action(int signal, const struct signals_owned *ours)
{
	struct sys_sigaction action = {
		.handler = ours->handler,
		.flags = SA_SIGINFO | SA_RESTART | SYS_RESTORER |
	                 ((unsigned)ours->program.sa_flags & SA_ONSTACK),
		.restorer = arch_signal_return,
		.mask = sys_kept_out,
	};

	return (int)sys_sigaction(signal, &action, NULL);
}

void signals_sigbus_changed(struct sigaction *old)
{
	signals_watcher *watcher = atomic_load_explicit(&sigbus_watcher, memory_order_acquire);

	if (watcher)
		watcher(old);
}

int signals_sigbus_is_watched(void)
{
	return atomic_load(&sigbus_watcher) != NULL;
}

void signals_watch_sigbus(signals_watcher *watcher)
{
	atomic_store_explicit(&sigbus_watcher, watcher, memory_order_release);
}

int signals_install(int signal, signals_handler *handler)
{
	struct sys_sigaction old = {.handler = NULL};
	struct signals_owned *ours = signals_find(signal);
	int error;

	if (!ours)
		ours = signals_find(0);
	if (!ours)
		return -ENOSPC;
	error = (int)sys_sigaction(signal, NULL, &old);
	if (error < 0)
		return error;
	if (old.handler != handler) /* a running program may have one of its own */
		ours->program = signals_of_kernel(&old);
	ours->handler = handler;
	error = signals_set_action(signal, ours);
	if (error < 0)
		return error;
	ours->signal = signal;
	if (signals_owned_set & SYS_SIGBIT(signal))
		return 0;
	signals_owned_set |= SYS_SIGBIT(signal);
	signals_sigbus_changed(NULL); /* its entry blocks our signals */
	return 0;
}

void signals_keep(int signal)
{
	struct sys_sigaction now = {.handler = NULL};
	const struct signals_owned *ours = signals_find(signal);

	if (ours && sys_sigaction(signal, NULL, &now) == 0 && !now.handler)
		signals_set_action(signal, ours);
}

/* Let go of signals that were sent to us and wait: the program would die of them. One that the
 * program blocks does nothing, and may be its own. */
static void drop_pending(const struct signals_owned *ours)
{
	const struct sys_sigaction ignored = {.handler = (signals_handler *)(uintptr_t)SIG_IGN};

	if (ours->program.sa_handler == SIG_DFL && !atomic_load(&ours->program_blocks))
		sys_sigaction(ours->signal, &ignored, NULL);
}

void signals_give_back(int kept)
{
	for (int i = 0; i < SIGNALS_OWNED_MAX; i++) {
		struct signals_owned *ours = &signals_owned[i];

		if (ours->signal == 0 || ((ours->signal == kept || ours->signal == SIGTRAP) &&
		                          ours->program.sa_handler == SIG_DFL))
			continue;
		drop_pending(ours);
		REAL(sigaction)(ours->signal, &ours->program, NULL);
		signals_owned_set &= ~SYS_SIGBIT(ours->signal);
		ours->signal = 0;
	}
}

int signals_is_ours(const siginfo_t *info)
{
	return thread_is_state(info->si_value.sival_ptr);
}

/* The effect of the signal on a program without a handler for it: the signal kills it. */
static void default_action(int signal)
{
	struct sys_sigaction action = {.handler = NULL};
	sys_sigset set = SYS_SIGBIT(signal);

	sys_sigaction(signal, &action, NULL);
	if (SYS3(SYS_tgkill, sys_getpid(), sys_gettid(), signal) < 0)
		SYS2(SYS_kill, sys_getpid(), signal);
	sys_sigmask(SIG_UNBLOCK, &set, NULL);
}

int signals_tell_program(int signal, siginfo_t *info, void *context)
{
	struct signals_owned *ours = signals_find(signal);
	struct sigaction program;

	if (!ours || ours->program.sa_handler == SIG_DFL || ours->program.sa_handler == SIG_IGN)
		return 0;
	program = ours->program;
	if (program.sa_flags & SA_RESETHAND)
		ours->program.sa_handler = SIG_DFL;
	if (program.sa_flags & SA_SIGINFO)
		program.sa_sigaction(signal, info, context);
	else
		program.sa_handler(signal);
	return 1;
}

void signals_forward(int signal, siginfo_t *info, void *context)
{
	struct signals_owned *ours = signals_find(signal);
	/* A breakpoint instruction cannot be ignored or blocked. */
	int is_forced = signal == SIGTRAP && info->si_code > 0;

	if (!signals_tell_program(signal, info, context) && ours &&
	    (is_forced ||
	     (ours->program.sa_handler == SIG_DFL && !atomic_load(&ours->program_blocks))))
		default_action(signal);
}

sys_sigset signals_ours(void)
{
	return signals_owned_set;
}

sys_sigset signals_of_ticks(void)
{
	return (SYS_SIGBIT(TICK_SIGNAL) | SYS_SIGBIT(SIGTRAP)) & signals_owned_set;
}
