/* inject.c: runs a program, and makes system calls of one part of it fail, or ends it there. Usage:
 *
 *   inject WHO LOG ERRNO FIRST COUNT PROGRAM ARG...   calls FIRST to FIRST + COUNT - 1 fail with
 *                                                     ERRNO; with COUNT 0 all from FIRST on
 *   inject WHO LOG kill SIGNAL FIRST PROGRAM ARG...   the process gets SIGNAL at call FIRST
 *   inject WHO LOG exit STATUS FIRST PROGRAM ARG...   call FIRST becomes exit_group(STATUS)
 *
 * WHO is the beginning of a file's name. Calls count that code of such a file makes, and all calls
 * of a process that executes such a file (also those made by libc and the loader). With an ERRNO,
 * only calls count that can fail with it, by calls[] below. Each counted call, in all descendants,
 * is a line "NUMBER CALL" in LOG. Exits as the program does (128 + n for a signal); 120: no tracing
 * here; 124: the program did not end.
 *
 * See doc/decisions/58-fault-injection.md. */
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 60, PROCESSES = 1024, PAGES = 256, ERRORS = 12 };

/* What the kernel, a security module or a system call filter may answer. Not listed: calls that
 * cannot fail, or whose caller can do nothing about it (close, munmap, rt_sigprocmask, exit_group),
 * and those made in the program's place. */
static const struct call {
	const char *name;
	long number;
	int errors[ERRORS];
} calls[] = {
	{"openat", SYS_openat, {EACCES, EINTR, EIO, EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT}},
	{"fstat", SYS_fstat, {ENOMEM, EIO}},
	{"newfstatat", SYS_newfstatat, {EACCES, ENOMEM, EIO}},
	{"lseek", SYS_lseek, {EACCES, EIO}},
	{"pread64", SYS_pread64, {EINTR, EIO, ENOMEM}},
	{"read", SYS_read, {EINTR, EIO, ENOMEM}},
	{"pwrite64", SYS_pwrite64, {EINTR, EIO, ENOSPC, EDQUOT, ENOMEM}},
	{"write", SYS_write, {EINTR, EIO, ENOSPC, EDQUOT}},
	{"fallocate", SYS_fallocate, {EINTR, EIO, ENOSPC, EDQUOT, ENOMEM, EACCES}},
	{"ftruncate", SYS_ftruncate, {EINTR, EIO, EACCES}},
	{"mmap", SYS_mmap, {EACCES, ENFILE, ENOMEM, EIO}},
	{"mremap", SYS_mremap, {ENOMEM}},
	{"mprotect", SYS_mprotect, {EACCES, ENOMEM}},
	{"madvise", SYS_madvise, {EIO, ENOMEM, EACCES}},
	{"msync", SYS_msync, {EIO, ENOMEM}},
	{"mkdirat", SYS_mkdirat, {EACCES, EDQUOT, ENOSPC, ENOMEM, EIO}},
	{"mkdir", SYS_mkdir, {EACCES, EDQUOT, ENOSPC, ENOMEM, EIO}},
	{"renameat", SYS_renameat, {EACCES, EDQUOT, ENOSPC, ENOMEM, EIO}},
	{"fcntl", SYS_fcntl, {EACCES, EINTR, EMFILE, ENOMEM}},
	{"prlimit64", SYS_prlimit64, {EACCES, ENOMEM}},
	{"readlinkat", SYS_readlinkat, {EACCES, EIO, ENOMEM}},
	{"faccessat", SYS_faccessat, {EACCES, EIO, ENOMEM}},
	{"getcwd", SYS_getcwd, {EACCES, ENOMEM}},
	{"getdents64", SYS_getdents64, {EACCES, EIO, ENOMEM}},
	{"fchmod", SYS_fchmod, {EACCES, EIO}},
	{"fstatfs", SYS_fstatfs, {EINTR, EIO, ENOMEM}},
	{"timer_create", SYS_timer_create, {ENOMEM, EACCES}},
	{"timer_settime", SYS_timer_settime, {ENOMEM, EACCES}},
	{"rt_sigaction", SYS_rt_sigaction, {EACCES}},
	{"membarrier", SYS_membarrier, {EACCES, ENOMEM}},
	{"prctl", SYS_prctl, {EACCES, ENOMEM}},
	{"getrusage", SYS_getrusage, {EACCES}},
	{"uname", SYS_uname, {EACCES}},
	{"clock_gettime", SYS_clock_gettime, {EACCES}},
	{"sigaltstack", SYS_sigaltstack, {ENOMEM, EACCES}},
	{"readlink", SYS_readlink, {EACCES, EIO, ENOMEM}},
	{"access", SYS_access, {EACCES, EIO, ENOMEM}},
	{"faccessat2", SYS_faccessat2, {EACCES, EIO, ENOMEM}},
	{"linkat", SYS_linkat, {EACCES, EDQUOT, ENOSPC, ENOMEM, EIO}},
	{"unlinkat", SYS_unlinkat, {EACCES, ENOMEM, EIO}},
	{"copy_file_range", SYS_copy_file_range, {EINTR, EIO, ENOSPC, EDQUOT, ENOMEM}},
	{"memfd_create", SYS_memfd_create, {EACCES, EMFILE, ENFILE, ENOMEM}},
	{"socketpair", SYS_socketpair, {EACCES, EMFILE, ENFILE, ENOMEM}},
	{"dup2", SYS_dup2, {EINTR, EMFILE}},
	{"poll", SYS_poll, {EINTR, ENOMEM}},
	{"wait4", SYS_wait4, {EINTR}},
	{"clone", SYS_clone, {EACCES, ENOMEM}},
	{"perf_event_open", SYS_perf_event_open, {EACCES, EMFILE, ENFILE, ENOMEM, ENOSPC}},
	{"ioctl", SYS_ioctl, {EINTR, EIO, ENOMEM}},
	{"execve", SYS_execve, {EACCES, EIO, ENOMEM, ENFILE, EMFILE}},
};

enum what { FAIL, KILL, EXIT };

static const char *who;
static FILE *counted;
static enum what what;
static int value;
static long first_call, last_call, number;

/* Whether a page of a process belongs to the part that counts; forgotten at each exec. */
static struct process {
	pid_t pid;
	int is_who;
	int count, next;
	struct {
		unsigned long long at;
		int is_counted;
	} page[PAGES];
} processes[PROCESSES];

static int begins(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && strncmp(name + 1, who, strlen(who)) == 0;
}

static void look_at_program(struct process *process)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process->pid);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = '\0';
	process->is_who = begins(path);
	process->count = process->next = 0;
}

/* One for each thread: they share too little to be merged. NULL: there are too many. */
static struct process *process_of(pid_t pid)
{
	int i = 0;

	while (i < PROCESSES && processes[i].pid && processes[i].pid != pid)
		i++;
	if (i == PROCESSES)
		return NULL;
	if (!processes[i].pid) {
		processes[i].pid = pid;
		look_at_program(&processes[i]);
	}
	return &processes[i];
}

static int is_in_file(pid_t pid, unsigned long long at)
{
	char name[64], line[PATH_MAX + 100];
	unsigned long long start, end;
	int found = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &start, &end) == 2 && at >= start && at < end)
			found = 1 + begins(line);
	if (maps)
		fclose(maps);
	return found == 2;
}

static int is_counted(pid_t pid, unsigned long long ip)
{
	struct process *process = process_of(pid);
	unsigned long long at = ip >> 12;

	if (!process || process->is_who)
		return process && process->is_who;
	for (int i = 0; i < process->count; i++)
		if (process->page[i].at == at)
			return process->page[i].is_counted;
	if (process->count < PAGES)
		process->count++;
	process->page[process->next].at = at;
	process->page[process->next].is_counted = is_in_file(pid, ip);
	at = (unsigned long long)process->next;
	process->next = (process->next + 1) % PAGES;
	return process->page[at].is_counted;
}

static const struct call *call_of(long nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == nr)
			return &calls[i];
	return NULL;
}

static int can_fail(const struct call *call, int error)
{
	for (int i = 0; call && i < ERRORS; i++)
		if (call->errors[i] == error)
			return 1;
	return 0;
}

static void meet(pid_t pid)
{
	struct user_regs_struct registers;
	const struct call *call;

	if (ptrace(PTRACE_GETREGS, pid, 0, &registers) < 0 || !is_counted(pid, registers.rip))
		return;
	call = call_of((long)registers.orig_rax);
	if (what == FAIL && !can_fail(call, value))
		return;
	number++;
	if (call)
		fprintf(counted, "%ld %s\n", number, call->name);
	else
		fprintf(counted, "%ld %lld\n", number, (long long)registers.orig_rax);
	fflush(counted);
	if (number < first_call || number > last_call)
		return;
	if (what == KILL) {
		kill(pid, value);
		return;
	}
	registers.orig_rax = what == FAIL ? (unsigned long long)-1 : SYS_exit_group;
	if (what == FAIL)
		registers.rax = (unsigned long long)-(long long)value;
	else
		registers.rdi = (unsigned long long)value;
	ptrace(PTRACE_SETREGS, pid, 0, &registers);
}

/* Wait for all of them. Returns the exit status of `first`. */
static int watch(pid_t first)
{
	int status, result = 121;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		int event = status >> 16, signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
		struct process *process;

		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status)
				                           : 128 + WTERMSIG(status);
			continue;
		}
		if (event == PTRACE_EVENT_SECCOMP)
			meet(pid);
		if (event == PTRACE_EVENT_EXEC && (process = process_of(pid)))
			look_at_program(process);
		/* Stops of ptrace itself, and of job control: they report no signal. */
		if (event == PTRACE_EVENT_STOP && (signal == SIGSTOP || signal == SIGTSTP ||
		                                   signal == SIGTTIN || signal == SIGTTOU))
			ptrace(PTRACE_LISTEN, pid, 0, 0);
		else
			ptrace(PTRACE_CONT, pid, 0, event ? 0 : signal);
	}
	return result;
}

static void run(char **program)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)};
	struct sock_fprog filter = {1, code};

	raise(SIGSTOP);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		_exit(120);
	execvp(program[0], program);
	_exit(127);
}

/* The traced processes die with this one. */
static void give_up(int unused)
{
	(void)unused;
	_exit(124);
}

int main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
	                     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	pid_t first;
	int status;

	if (argc < 7 || !(counted = fopen(argv[2], "we")))
		return 2;
	who = argv[1];
	what = strcmp(argv[3], "kill") == 0 ? KILL : strcmp(argv[3], "exit") == 0 ? EXIT : FAIL;
	value = atoi(argv[what == FAIL ? 3 : 4]);
	first_call = last_call = atol(argv[what == FAIL ? 4 : 5]);
	if (what == FAIL)
		last_call = atol(argv[5]) ? first_call + atol(argv[5]) - 1 : LONG_MAX;
	first = fork();
	if (first == 0)
		run(argv + 6);
	signal(SIGALRM, give_up);
	alarm(PATIENCE_S);
	if (first < 0 || waitpid(first, &status, WUNTRACED) != first ||
	    ptrace(PTRACE_SEIZE, first, 0, options) < 0)
		return 120;
	kill(first, SIGCONT);
	return watch(first);
}
