/* restart.c: restart system calls that a signal of ours has interrupted. See signals_restart_call.
 * See doc/decisions/84-interrupted-calls.md. */
#include "libcollector/thread/altstack.h"
#include "libcollector/thread/signals.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/kernel.h"

#include <string.h>

enum { SIGNALS = 64 };

/* System calls that fail with EINTR after any handler, even with SA_RESTART, always or on sockets
 * with a timeout (signal(7)). Not close: what it closed stays closed. */
static int is_never_restarted(uint32_t number)
{
	switch (number) {
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_futex:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigsuspend:
	case SYS_pause:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
		return 1;
	default:
		return 0;
	}
}

/* Those, and the ones that fail with EINTR after a handler without SA_RESTART. */
static int is_interruptible(uint32_t number)
{
	switch (number) {
	case SYS_wait4:
	case SYS_waitid:
	case SYS_open:
	case SYS_openat:
	case SYS_flock:
	case SYS_fcntl:
	case SYS_ioctl:
	case SYS_splice:
	case SYS_tee:
	case SYS_sendfile:
		return 1;
	default:
		return is_never_restarted(number);
	}
}

/* Since Linux 5.9 (5.11 on all processors) the kernel looks at timers on CPU time when the thread
 * is about to leave the kernel: their signals interrupt no system call. */
static int ticks_come_late(void)
{
	return kernel_is_at_least(5, 11);
}

/* Has the program a handler for this signal? */
static int has_handler(int signal, struct sys_sigaction *action)
{
	if (signals_ours() & SYS_SIGBIT(signal) || sys_sigaction(signal, NULL, action) < 0)
		return 0;
	return action->handler != (signals_handler *)(uintptr_t)SIG_DFL &&
	       action->handler != (signals_handler *)(uintptr_t)SIG_IGN;
}

/* Will one of these signals, as soon as we return, run a handler that has not this flag? */
static int runs_handler(sys_sigset set, unsigned long flag)
{
	struct sys_sigaction action;

	for (int signal = 1; signal <= SIGNALS; signal++)
		if (set & SYS_SIGBIT(signal) && has_handler(signal, &action) &&
		    !(action.flags & flag))
			return 1;
	return 0;
}

/* The entry before the program's handler of SIGBUS blocks our signals, but not while that handler
 * runs, unless its stack is small (buserror.c). */
static int is_let_in(int signal, const struct sys_sigaction *action)
{
	return signal == SIGBUS && !(action->flags & SA_ONSTACK && altstack_expected());
}

/* Does a handler of the program block this signal? */
static int is_blocked_in_handlers(int ours)
{
	struct sys_sigaction action;

	for (int signal = 1; signal <= SIGNALS; signal++)
		if (has_handler(signal, &action) && action.mask & SYS_SIGBIT(ours) &&
		    !is_let_in(signal, &action))
			return 1;
	return 0;
}

static sys_sigset pending(void)
{
	sys_sigset set = 0;

	SYS2(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

static sys_sigset mask_of(const ucontext_t *context)
{
	sys_sigset set;

	memcpy(&set, &context->uc_sigmask, sizeof(set));
	return set;
}

/* The word at an address that the program gave to the kernel; 0 if it is not there any more. */
static uint64_t word_at(uint64_t address)
{
	uint64_t word = 0;

	if (address && sys_is_readable((const void *)(uintptr_t)address, sizeof(word)))
		memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

/* What was blocked while the call waited. */
static sys_sigset mask_of_call(const ucontext_t *context, uint32_t number)
{
	uint64_t at;

	switch (number) {
	case SYS_rt_sigsuspend:
		at = arch_call_argument(context, 0);
		break;
	case SYS_ppoll:
		at = arch_call_argument(context, 3);
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		at = arch_call_argument(context, 4);
		break;
	case SYS_pselect6:
	case SYS_io_pgetevents:
		at = word_at(arch_call_argument(context, 5));
		break;
	default:
		at = 0;
	}
	return at ? word_at(at) : mask_of(context);
}

/* Was it our signal that ended the call, and the call's failure is all that the program would see
 * of it? */
static int is_by_us(int ours, const ucontext_t *context, uint32_t number)
{
	sys_sigset waiting = mask_of_call(context, number);

	if (ours == TICK_SIGNAL && ticks_come_late())
		return 0;
	if (waiting & SYS_SIGBIT(ours))
		return 0;
	return !runs_handler(pending() & ~waiting & ~mask_of(context), 0) &&
	       !is_blocked_in_handlers(ours);
}

void signals_restart_call(int signal, void *context)
{
	int64_t number = arch_failed_call(context);

	if (number < 0)
		number = arch_cancellable_call(context, sys_is_readable);
	if (unlikely(number >= 0)) {
		if (is_never_restarted((uint32_t)number) &&
		    is_by_us(signal, context, (uint32_t)number))
			arch_begin_call(context, number);
		return;
	}
	number = arch_restarted_call(context);
	if (unlikely(number >= 0) && is_interruptible((uint32_t)number) &&
	    runs_handler(pending() & ~mask_of(context), SA_RESTART))
		arch_fail_call(context);
}
