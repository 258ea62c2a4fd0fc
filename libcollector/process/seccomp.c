/* seccomp.c: requests of a program to the kernel that would harm the recorder, mainly seccomp
 * filters. See seccomp.h.
 * See doc/decisions/13-seccomp.md. */
#include "libcollector/process/seccomp.h"

#include "libcollector/base/aside.h"
#include "libcollector/base/host.h"
#include "libcollector/base/sys.h"
#include "libcollector/hook/hook.h"
#include "libcollector/process/beforehand.h"
#include "libcollector/process/helper.h"
#include "libcollector/profile/tick.h"
#include "libcollector/write/log.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

/* The system calls of the recorder in a process that it has begun to record. */
static const int calls[] = {
	SYS_openat,       SYS_close,         ARCH_SYS_FSTAT,     SYS_lseek,
	SYS_fcntl,        SYS_fallocate,     ARCH_SYS_TRUNCATE,  SYS_pread64,
	SYS_pwrite64,     ARCH_SYS_MMAP,     SYS_munmap,         SYS_mprotect,
	SYS_madvise,      SYS_mkdirat,       SYS_readlinkat,     SYS_renameat,
	SYS_faccessat,    SYS_getdents64,    SYS_fchmod,         ARCH_SYS_CLOCK_GETTIME,
	SYS_gettid,       SYS_getpid,        SYS_tgkill,         SYS_rt_tgsigqueueinfo,
	SYS_sched_yield,  SYS_futex,         SYS_prctl,          SYS_prlimit64,
	SYS_getrusage,    SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_timer_create, SYS_timer_settime, SYS_timer_delete,   SYS_read,
	SYS_write,        SYS_membarrier,    SYS_uname,          SYS_statx,
	SYS_sigaltstack,  SYS_msync,         SYS_getcwd,         SYS_tkill,
	SYS_kill,         SYS_fchmodat,      SYS_renameat2,
};

/* Of its clock, which can do without them: see tick_perf.c. Filters look at requests of ioctl. */
static const struct {
	int number;
	unsigned request;
} clock_calls[] = {
	{SYS_perf_event_open, 0},
	{SYS_ioctl, PERF_EVENT_IOC_ID},
	{SYS_ioctl, PERF_EVENT_IOC_PERIOD},
	{SYS_ioctl, PERF_EVENT_IOC_ENABLE},
	{SYS_ioctl, PERF_EVENT_IOC_DISABLE},
	{SYS_rt_sigtimedwait, 0},
};

/* Of the recorder while the program has taken all descriptors, which can do without them; and the
 * first argument. */
static const struct {
	int number;
	unsigned flags;
} aside_calls[] = {
	{SYS_clone, COL_ASIDE_FLAGS},
	{SYS_exit, 0},
	{SYS_close_range, 0},
	{SYS_unlinkat, 0},
};

/* For the helper at the end, of which programs are archived: such a filter is common, and a program
 * that is killed at its end would lose its status, and its output. */
static const struct {
	int number;
	unsigned first, request;
} helper_calls[] = {
	{SYS_clone, CLONE_VM, 0},  {SYS_clone, CLONE_VM | CLONE_VFORK, 0},
	{SYS_wait4, 0, 0},         {SYS_setns, 0, 0},
	{SYS_dup3, 0, 0},          {SYS_ioctl, 0, TIOCGDEV},
	{SYS_ioctl, 0, TIOCGPGRP}, {SYS_getpgid, 0, 0},
	{SYS_close_range, 0, 0},   {SYS_execve, 0, 0},
	{SYS_exit_group, 0, 0},
};

static uint32_t binary(uint16_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_NEG:
		return -a;
	case BPF_XOR:
		return a ^ b;
	default:
		return 0;
	}
}

static int holds(uint16_t condition, uint32_t a, uint32_t b)
{
	switch (condition) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return (a & b) != 0; /* BPF_JSET */
	}
}

/* The result of the filter for a call; SECCOMP_RET_ALLOW for an invalid filter. Jumps only go
 * forward, so it ends. */
static uint32_t run(const struct sock_filter *filter, size_t len, const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};

	for (size_t at = 0; at < len; at++) {
		const struct sock_filter *now = &filter[at];
		uint32_t k = now->k, operand = BPF_SRC(now->code) == BPF_X ? x : k;

		switch (BPF_CLASS(now->code)) {
		case BPF_LD:
		case BPF_LDX: {
			uint32_t value = k;

			if (BPF_MODE(now->code) == BPF_ABS && k <= sizeof(*data) - sizeof(value))
				memcpy(&value, (const char *)data + k, sizeof(value));
			else if (BPF_MODE(now->code) == BPF_MEM)
				value = memory[k % BPF_MEMWORDS];
			else if (BPF_MODE(now->code) == BPF_LEN)
				value = sizeof(*data);
			*(BPF_CLASS(now->code) == BPF_LD ? &a : &x) = value;
			break;
		}
		case BPF_ST:
			memory[k % BPF_MEMWORDS] = a;
			break;
		case BPF_STX:
			memory[k % BPF_MEMWORDS] = x;
			break;
		case BPF_ALU:
			a = binary(BPF_OP(now->code), a, operand);
			break;
		case BPF_JMP:
			if (BPF_OP(now->code) == BPF_JA)
				at = k < len - at ? at + k : len;
			else
				at += holds(BPF_OP(now->code), a, operand) ? now->jt : now->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(now->code) == BPF_A ? a : k;
		default: /* BPF_MISC */
			if (BPF_MISCOP(now->code) == BPF_TAX)
				x = a;
			else
				a = x;
		}
	}
	return SECCOMP_RET_ALLOW;
}

static int is_harmless(uint32_t action)
{
	switch (action & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE:
		return 1;
	default:
		return 0;
	}
}

static int allows(const struct sock_filter *filter, size_t len, int number, unsigned first,
                  unsigned request)
{
	struct seccomp_data data = {.nr = number,
	                            .arch = ARCH_AUDIT,
	                            .instruction_pointer = (uintptr_t)seccomp_judge,
	                            .args = {first, request}};

	return is_harmless(run(filter, len, &data));
}

enum seccomp_verdict seccomp_judge(const struct sock_filter *filter, size_t len)
{
	/* Signals go to the process itself, which sandboxes permit. */
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!allows(filter, len, calls[i],
		            calls[i] == SYS_kill ? (unsigned)sys_getpid() : 0, 0))
			return SECCOMP_HARMFUL;
	for (size_t i = 0; i < sizeof(clock_calls) / sizeof(clock_calls[0]); i++)
		if (!allows(filter, len, clock_calls[i].number, 0, clock_calls[i].request))
			return SECCOMP_SLOWS_CLOCK;
	return SECCOMP_HARMLESS;
}

int seccomp_allows_aside(const struct sock_filter *filter, size_t len)
{
	for (size_t i = 0; i < sizeof(aside_calls) / sizeof(aside_calls[0]); i++)
		if (!allows(filter, len, aside_calls[i].number, aside_calls[i].flags, 0))
			return 0;
	return 1;
}

int seccomp_allows_helper(const struct sock_filter *filter, size_t len)
{
	for (size_t i = 0; i < sizeof(helper_calls) / sizeof(helper_calls[0]); i++)
		if (!allows(filter, len, helper_calls[i].number, helper_calls[i].first,
		            helper_calls[i].request))
			return 0;
	return 1;
}

/* Programs pass invalid pointers to find out what the kernel supports: the call will fail, and
 * changes nothing. */
static enum seccomp_verdict judge(const void *program)
{
	struct sock_fprog given;

	if (!program || !sys_is_readable(program, sizeof(given)))
		return SECCOMP_HARMLESS;
	memcpy(&given, program, sizeof(given));
	if (given.len == 0 || given.len > BPF_MAXINSNS ||
	    !sys_is_readable(given.filter, given.len * sizeof(*given.filter)))
		return SECCOMP_HARMLESS;
	col_aside_judged(seccomp_allows_aside(given.filter, given.len));
	helper_judged(seccomp_allows_helper(given.filter, given.len));
	return seccomp_judge(given.filter, given.len);
}

/* A filter is about to be installed: does it end the recording? */
static int harms(const void *program)
{
	enum seccomp_verdict verdict = judge(program);

	if (verdict == SECCOMP_SLOWS_CLOCK)
		tick_leave_perf();
	return verdict == SECCOMP_HARMFUL;
}

static void end_recording(void)
{
	if (col_is_recording()) {
		col_log_warning(
			"the program asks the kernel for what forbids recording (a filter or dispatch of its system calls, or no time stamps): it ends here");
		col_host->terminate();
	}
	col.is_followed = 0; /* to look at images takes calls too */
}

static int forbids_recording(int option, unsigned long a, unsigned long b)
{
	switch (option) {
	case PR_SET_SECCOMP:
		return a == SECCOMP_MODE_STRICT ||
		       (a == SECCOMP_MODE_FILTER && harms((const void *)b));
	case PR_SET_SYSCALL_USER_DISPATCH:
		return a != PR_SYS_DISPATCH_OFF;
	case PR_SET_TSC:
		return a == PR_TSC_SIGSEGV && col.descriptor.clock_is_tsc;
	default:
		return 0;
	}
}

void seccomp_before_prctl(int option, unsigned long a, unsigned long b)
{
	if (forbids_recording(option, a, b))
		end_recording();
}

void seccomp_before_seccomp(unsigned long operation, const void *program)
{
	if (operation == SECCOMP_SET_MODE_STRICT ||
	    (operation == SECCOMP_SET_MODE_FILTER && harms(program)))
		end_recording();
}

EXPORT int prctl(int option, ...)
{
	unsigned long a, b, c, d;
	va_list more;

	va_start(more, option);
	a = va_arg(more, unsigned long);
	b = va_arg(more, unsigned long);
	c = va_arg(more, unsigned long);
	d = va_arg(more, unsigned long);
	va_end(more);
	seccomp_before_prctl(option, a, b);
	if (option == PR_SET_SECCOMP)
		beforehand_make();
	return REAL(prctl)(option, a, b, c, d);
}
