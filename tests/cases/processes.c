/* processes.c: cases of ways to make a process. */
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

int case_leaf(void)
{
	mark();
	say("leaf\n");
	return 5;
}

int case_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		mark_and_leave(3);
	mark();
	return say_end(pid);
}

int case_fork_twenty(void)
{
	for (int i = 0; i < 20; i++)
		if (fork() == 0)
			mark_and_leave(i);
	for (int i = 0; i < 20; i++)
		if (wait(NULL) < 0)
			return 1;
	return 0;
}

int case_fork_nested(void)
{
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (pid != 0) {
			say_end(pid);
			_exit(i);
		}
	}
	mark_and_leave(8);
}

int case__Fork(void)
{
	pid_t pid = _Fork();

	if (pid == 0)
		mark_and_leave(3);
	return say_end(pid);
}

int case_raw_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (pid == 0)
		mark_and_leave(3);
	return say_end(pid);
}

int case_raw_clone3(void)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (pid == 0)
		mark_and_leave(3);
	return say_end(pid);
}

int case_vfork_exit(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(4);
	mark();
	return say_end(pid);
}

int case_vfork_exec(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(case_self, "cases", "leaf", (char *)NULL);
		_exit(9);
	}
	return say_end(pid);
}

int case_vfork_failing(void)
{
	volatile int error = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/nonexistent", "x", (char *)NULL);
		error = errno;
		_exit(4);
	}
	say("error %d\n", error);
	mark();
	return say_end(pid);
}

static char stack[1 << 16] __attribute__((aligned(64)));

int case_clone_copy(void)
{
	return say_end(clone(mark_child, stack + sizeof(stack), SIGCHLD, NULL));
}

static int leave(void *status)
{
	_exit((int)(long)status);
}

int case_clone_vm(void)
{
	pid_t pid = clone(leave, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)6);

	say_end(pid);
	mark();
	return 0;
}

static int exec_leaf(void *unused)
{
	(void)unused;
	execl(case_self, "cases", "leaf", (char *)NULL);
	_exit(9);
}

int case_clone_vfork(void)
{
	pid_t pid = clone(exec_leaf, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	mark();
	return say_end(pid);
}

int case_clone_files(void)
{
	pid_t pid = clone(mark_child, stack + sizeof(stack), CLONE_FILES | CLONE_FS | SIGCHLD,
	                  NULL);

	say_end(pid);
	say("next %d\n", open("/dev/null", O_RDONLY));
	return 0;
}

int case_clone_parent(void)
{
	pid_t middle = fork();

	if (middle == 0) {
		clone(mark_child, stack + sizeof(stack), CLONE_PARENT | SIGCHLD, NULL);
		_exit(2);
	}
	say_end(middle);
	return waitpid(-1, NULL, 0) < 0;
}

static int spawn(const char *id, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char **environment)
{
	char *arguments[] = {"cases", (char *)id, NULL};
	pid_t pid;
	int error = posix_spawn(&pid, case_self, actions, attributes, arguments, environment);

	if (error != 0) {
		say("error %d\n", error);
		return 1;
	}
	return say_end(pid);
}

int case_spawn(void)
{
	return spawn("leaf", NULL, NULL, environ);
}

int case_spawn_no_environment(void)
{
	char *none[] = {NULL};

	return spawn("leaf", NULL, NULL, none);
}

int case_spawn_actions(void)
{
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 9, "spawned", O_WRONLY | O_CREAT, 0644);
	posix_spawn_file_actions_adddup2(&actions, 9, 1);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	return spawn("leaf", &actions, NULL, environ);
}

int case_spawn_attributes(void)
{
	posix_spawnattr_t attributes;
	sigset_t all;

	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                              POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_RESETIDS);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setsigdefault(&attributes, &all);
	return spawn("leaf", NULL, &attributes, environ);
}

int case_spawn_failing(void)
{
	char *arguments[] = {"x", NULL};
	pid_t pid = 5;

	say("error %d\n", posix_spawn(&pid, "/nonexistent", NULL, NULL, arguments, environ));
	say("error %d\n", posix_spawn(&pid, "/etc/passwd", NULL, NULL, arguments, environ));
	say("error %d\n", posix_spawnp(&pid, "no such program", NULL, NULL, arguments, environ));
	mark();
	return 0;
}

int case_system(void)
{
	setenv("CASES", case_self, 1);
	say("system %d\n", WEXITSTATUS(system("exec \"$CASES\" leaf")));
	say("none %d\n", system(NULL) != 0);
	return 0;
}

int case_popen(void)
{
	char line[100];
	FILE *pipe;

	setenv("CASES", case_self, 1);
	pipe = popen("exec \"$CASES\" leaf", "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		return 1;
	say("read %s", line);
	say("status %d\n", WEXITSTATUS(pclose(pipe)));
	return 0;
}

int case_forkpty(void)
{
	int terminal;
	char text[16];
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0) {
		say("tty %d\n", isatty(1));
		mark_and_leave(3);
	}
	if (pid < 0)
		return CASE_SKIP;
	say("%d bytes\n", (int)read(terminal, text, sizeof(text)));
	return say_end(pid);
}

int case_double_fork(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		setsid();
		if (fork() == 0) {
			mark();
			_exit(write(ends[1], "x", 1) != 1);
		}
		_exit(2);
	}
	say_end(pid);
	close(ends[1]);
	say("grandchild %d\n", (int)read(ends[0], &byte, 1));
	return read(ends[0], &byte, 1) != 0;
}

int case_subreaper(void)
{
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			mark_and_leave(7);
		_exit(2);
	}
	say_end(pid);
	return wait(NULL) < 0;
}

static void *forking_thread(void *unused)
{
	say_end(fork() ?: (mark_and_leave(3), 0));
	return unused;
}

int case_fork_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, forking_thread, NULL);
	return pthread_join(thread, NULL);
}

static void *allocate_forever(void *stop)
{
	while (!*(volatile int *)stop)
		free(malloc(100));
	return NULL;
}

int case_fork_while_allocating(void)
{
	static volatile int stop;
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, allocate_forever, (void *)&stop);
	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (pid == 0)
			mark_and_leave(3);
		say_end(pid);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void before(void)
{
	say("prepare\n");
	mark();
}
static void in_parent(void)
{
	mark();
}
static void in_child(void)
{
	mark();
}

int case_atfork(void)
{
	pthread_atfork(before, in_parent, in_child);
	return case_fork();
}

static void forking_handler(int signal)
{
	pid_t pid = fork();

	(void)signal;
	if (pid == 0)
		mark_and_leave(3);
	say_end(pid);
}

int case_fork_in_handler(void)
{
	signal(SIGUSR1, forking_handler);
	raise(SIGUSR1);
	return raise(SIGUSR1);
}

static void forking_end(void)
{
	case_fork();
}

int case_fork_in_atexit(void)
{
	return atexit(forking_end);
}

int case_children_ignored(void)
{
	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0)
		mark_and_leave(3);
	say("wait %d ", wait(NULL));
	say("%d\n", errno);
	return 0;
}

int case_waitid(void)
{
	siginfo_t info = {0};
	pid_t pid = fork();

	if (pid == 0)
		mark_and_leave(9);
	say("waitid %d", waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	say(" code %d status %d\n", info.si_code, info.si_status);
	return say_end(pid);
}

int case_stopped_child(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGSTOP);
		mark_and_leave(3);
	}
	waitpid(pid, &status, WUNTRACED);
	say("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
	kill(pid, SIGCONT);
	return say_end(pid);
}

int case_traced_child(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(CASE_SKIP);
		raise(SIGUSR1);
		mark_and_leave(3);
	}
	waitpid(pid, &status, 0);
	say("stopped %d by %d\n", WIFSTOPPED(status), WIFSTOPPED(status) ? WSTOPSIG(status) : 0);
	while (WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		/* Passes the recorder's tick on, as a tracer does. */
		ptrace(PTRACE_CONT, pid, NULL, signal == SIGUSR1 ? NULL : (void *)(long)signal);
		waitpid(pid, &status, 0);
	}
	say("status %d\n", WEXITSTATUS(status));
	return 0;
}

int case_pidfd(void)
{
	int fd = -1;
	struct clone_args arguments = {
		.flags = CLONE_PIDFD, .pidfd = (unsigned long)&fd, .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (pid == 0)
		mark_and_leave(3);
	say("pidfd %d\n", fd);
	return say_end(pid);
}

int case_environment_changed(void)
{
	char *list[] = {"ONE=1", "TWO=2", NULL};

	environ = list;
	say("%s\n", getenv("TWO"));
	setenv("THREE", "3", 1);
	return WEXITSTATUS(system("/usr/bin/env | grep -v '^PWD\\|^_\\|^SHLVL'"));
}

int case_environment_cleared(void)
{
	clearenv();
	say("%d\n", environ != NULL && *environ);
	return spawn("leaf", NULL, NULL, environ);
}
