/* restart.c: restart system calls that a signal of ours has interrupted. See signals_restart_call.
 * See doc/decisions/02-tick-signal.md. */
#include "libcollector/thread/signals.h"

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

void signals_restart_call(void *context)
{
	int64_t number = arch_failed_call(context);

	if (number >= 0 && is_never_restarted((uint32_t)number))
		arch_begin_call(context, number);
}
