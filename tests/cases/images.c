/* images.c: cases of ways to execute another program, and of what it inherits. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int case_exec(void)
{
	mark();
	become("leaf");
	return 1;
}

/* A spawned child, and a child of vfork that executes a program. */
static void *make_children(void *environment)
{
	char *arguments[] = {(char *)"cases", (char *)"leaf", NULL};
	pid_t pid;
	int error = posix_spawn(&pid, case_self, NULL, NULL, arguments, environment);

	say_end(pid);
	say("spawned %d\n", error); /* the child prints something, too */
	pid = vfork();
	if (pid == 0) {
		execve(case_self, arguments, environment);
		_exit(9);
	}
	say_end(pid);
	return NULL;
}

int case_exec_on_a_small_stack(void)
{
	enum { VARIABLES = 2000 };
	static char *environment[VARIABLES + 1];
	pthread_attr_t attributes;
	pthread_t thread;

	for (int i = 0; i < VARIABLES; i++)
		environment[i] = (char *)"V=1";
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	return pthread_create(&thread, &attributes, make_children, environment) +
	       pthread_join(thread, NULL);
}

/* The end of a program that is given `size` bytes of arguments, -1: it cannot be executed. */
static int end_with(int size, int is_spawned)
{
	enum { PART = 100000, PARTS = 64 };
	char *texts = calloc(1, (size_t)size + 1), *arguments[PARTS + 2] = {(char *)"true"};
	int count = 1, status = -1;
	pid_t pid;

	for (int at = 0; at < size && count < PARTS; at += PART) {
		memset(texts + at, 'x', (size_t)(size - at < PART ? size - at : PART) - 1);
		arguments[count++] = texts + at;
	}
	if (is_spawned && posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) != 0)
		pid = -1;
	else if (!is_spawned && (pid = vfork()) == 0) {
		execv("/bin/true", arguments);
		_exit(9);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	free(texts);
	return status;
}

/* The limit must be the same as without a recorder. */
int case_exec_at_the_limit(void)
{
	clearenv();
	for (int is_spawned = 0; is_spawned < 2; is_spawned++) {
		int low = 10000, high = 4000000;

		while (high - low > 1) {
			int middle = (low + high) / 2;

			if (end_with(middle, is_spawned) == 0)
				low = middle;
			else
				high = middle;
		}
		say("at most %d\n", low);
	}
	mark();
	return 0;
}

/* The recorder's own signal, as the program must see it. */
int case_signal_inherited(void)
{
	struct sigaction action;
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	sigaction(SIGRTMAX - 3, NULL, &action);
	say("blocked %d ignored %d\n", sigismember(&set, SIGRTMAX - 3),
	    action.sa_handler == SIG_IGN);
	return 0;
}

int case_exec_signal_inherited(void)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGRTMAX - 3, SIG_IGN);
	say("%d ", execl("/no/such/file", "none", (char *)NULL));
	case_signal_inherited();
	become("signal_inherited");
	return 1;
}

/* As Python's subprocess does: all signals are blocked over vfork, and the child unblocks them
 * before it executes. */
int case_vfork_signal_taken_back(void)
{
	sigset_t all, none;
	pid_t pid;

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, NULL);
	signal(SIGRTMAX - 3, SIG_IGN);
	pid = vfork();
	if (pid == 0) {
		signal(SIGRTMAX - 3, SIG_DFL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execl(case_self, "cases", "signal_inherited", (char *)NULL);
		_exit(9);
	}
	say_end(pid);
	case_signal_inherited();
	return 0;
}

int case_exec_no_environment(void)
{
	char *none[] = {NULL};
	char *arguments[] = {"cases", "leaf", NULL};

	mark();
	return execve(case_self, arguments, none);
}

int case_exec_without_arguments(void)
{
	char *none[] = {NULL};

	mark();
	fflush(NULL);
	return execve("/bin/true", none, none);
}

int case_fexecve(void)
{
	char *arguments[] = {"cases", "leaf", NULL};
	int fd = open(case_self, O_RDONLY | O_CLOEXEC);

	return fexecve(fd, arguments, environ);
}

int case_raw_execveat(void)
{
	char *arguments[] = {"cases", "leaf", NULL};
	int fd = open(case_self, O_RDONLY);

	return (int)syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
}

int case_exec_memfd(void)
{
	char *arguments[] = {"cases", "leaf", NULL};
	int from = open(case_self, O_RDONLY), to = memfd_create("copy", 0);
	static char buffer[65536];
	ssize_t len;

	while ((len = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)len) != len)
			return 1;
	return fexecve(to, arguments, environ);
}

int case_exec_failing(void)
{
	char **volatile bad = (char **)8;
	char *arguments[] = {"x", NULL};

	say("%d %d\n", execv("/nonexistent", arguments), errno);
	say("%d %d\n", execv("/etc", arguments), errno);
	say("%d %d\n", execvp("no such program", arguments), errno);
	say("%d %d\n", execve(case_self, bad, environ), errno);
	mark();
	return 0;
}

static void *exec_thread(void *unused)
{
	become("leaf");
	return unused;
}

int case_exec_wild_environment(void)
{
	char *argv[] = {(char *)"true", NULL};
	char **volatile wild = (char **)16, *odd[] = {(char *)"A=1", (char *)24, NULL};
	pid_t pid = 0;

	mark();
	say("%d %d\n", execve("/bin/true", argv, wild), errno);
	say("%d %d\n", execve("/bin/true", argv, odd), errno);
	say("%d\n", posix_spawn(&pid, "/bin/true", NULL, NULL, argv, wild));
	say("%d\n", posix_spawn(&pid, "/bin/true", NULL, NULL, argv, odd));
	return 5;
}

int case_exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_thread, NULL);
	pthread_join(thread, NULL);
	return 1;
}

static void exec_handler(int signal)
{
	(void)signal;
	become("leaf");
}

int case_exec_in_handler(void)
{
	signal(SIGUSR1, exec_handler);
	return raise(SIGUSR1);
}

int case_exec_signals_kept(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	execl("/bin/grep", "grep", "^Sig\\(Blk\\|Ign\\)", "/proc/self/status", (char *)NULL);
	return 1;
}

int case_exec_pid_kept(void)
{
	char text[32];

	snprintf(text, sizeof(text), "test $$ = %d", (int)getpid());
	mark();
	execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	return 1;
}

static long address_space_kb(void)
{
	FILE *sizes = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (sizes && fscanf(sizes, "%ld", &pages) != 1)
		pages = 0;
	if (sizes)
		fclose(sizes);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int case_vfork_large(void)
{
	enum {
		VARIABLES = 30000,
		TURNS = 20,
		MORE_KB = 2000 /* room for the recorder's files; a list has 240 kB */
	};
	static char *environment[VARIABLES + 1],
		*arguments[] = {(char *)"cases", (char *)"leaf", NULL};
	long before = address_space_kb();

	for (int i = 0; i < VARIABLES; i++)
		environment[i] = (char *)"V=1";
	for (int i = 0; i < TURNS; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execve(case_self, arguments, environment);
			_exit(9);
		}
		say_end(pid);
	}
	say("stays %d\n", address_space_kb() <= before + MORE_KB);
	return 0;
}
