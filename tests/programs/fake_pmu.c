/* fake_pmu.c: runs a program, and simulates counters of a processor that has none: fake_pmu
 * LOG PROGRAM ARGUMENT... It checks every perf_event_open of the program and its descendants.
 * One of a hardware event (any type but that of software events) is noted in LOG as a line
 * "TYPE CONFIG PERIOD", and becomes a software event: cycles and instructions become page
 * faults, so that there is one instruction per cycle; the other types are left as they are
 * and fail. Exits as the program does. This lets counters be tested in virtual machines,
 * too. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 60 };

static void stop_at_perf_event_open(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(120);
}

static void substitute(pid_t pid, FILE *log)
{
	struct user_regs_struct registers;
	struct perf_event_attr attributes;
	struct iovec here = {&attributes, PERF_ATTR_SIZE_VER0}, there;
	int is_known;

	if (ptrace(PTRACE_GETREGS, pid, 0, &registers) < 0)
		return;
	there = (struct iovec){(void *)registers.rdi, PERF_ATTR_SIZE_VER0};
	if (process_vm_readv(pid, &here, 1, &there, 1, 0) != PERF_ATTR_SIZE_VER0 ||
	    attributes.type == PERF_TYPE_SOFTWARE)
		return;
	fprintf(log, "%u %llu %llu\n", attributes.type, (unsigned long long)attributes.config,
	        (unsigned long long)attributes.sample_period);
	fflush(log);
	is_known = attributes.type == PERF_TYPE_HARDWARE &&
	           (attributes.config == PERF_COUNT_HW_CPU_CYCLES ||
	            attributes.config == PERF_COUNT_HW_INSTRUCTIONS);
	if (!is_known)
		return;
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
	process_vm_writev(pid, &here, 1, &there, 1, 0);
}

/* Wait for all of them. Returns the exit status of `first`. */
static int watch(pid_t first, FILE *log)
{
	int status, result = 121, signal;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status)
				                           : 128 + WTERMSIG(status);
			continue;
		}
		signal = WSTOPSIG(status);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
			substitute(pid, log);
		/* Stops of ptrace itself, and the one with which a new thread begins. */
		if (status >> 16 != 0 || signal == SIGTRAP || signal == SIGSTOP)
			signal = 0;
		ptrace(PTRACE_CONT, pid, 0, signal);
	}
	return result;
}

int main(int argc, char **argv)
{
	FILE *log = argc > 2 ? fopen(argv[1], "w") : NULL;
	pid_t first;
	int status;

	if (!log)
		return 2;
	alarm(PATIENCE_S);
	first = fork();
	if (first == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		stop_at_perf_event_open();
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (first < 0 || waitpid(first, &status, 0) != first)
		return 2;
	ptrace(PTRACE_SETOPTIONS, first, 0,
	       PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	               PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, first, 0, 0);
	return watch(first, log);
}
