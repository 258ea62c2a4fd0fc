/* children: every way to make a process. `children WAY [NUMBER]` makes children in that way, waits
 * for them, and prints one line "WAY: " and the sum of their exit statuses. Children that go on as
 * this program run `children leaf`, which calls leaf_work and exits with status 3. Exit status 0.
 *
 * tests/e2e/descendants.sh says how the experiments must be named. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

enum { LEAF_STATUS = 3, BLOCKS = 10, STACK = 256 * 1024 };

extern char **environ;

static char *self;
static int sum; /* of exit statuses */
static void *volatile kept;
static char child_stack[STACK] __attribute__((aligned(16)));

__attribute__((noinline)) static void leaf_work(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept = malloc(100);
}

static char **leaf_arguments(void)
{
	static char *arguments[] = {"children", "leaf", NULL};

	return arguments;
}

static void leave(void)
{
	leaf_work();
	_exit(LEAF_STATUS);
}

static void wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			exit(9);
	sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static void by_fork(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid = fork();

		if (pid == 0)
			leave();
		wait_for(pid);
	}
}

/* The child has nothing to record when it dies. */
static void by_fork_killed(int number)
{
	pid_t pid = fork();

	(void)number;
	if (pid == 0)
		for (;;)
			pause();
	kill(pid, SIGKILL);
	wait_for(pid);
}

/* Each child makes a child of its own. */
static void by_nested(int number)
{
	pid_t pid;

	if (number == 0)
		leave();
	pid = fork();
	if (pid == 0) {
		sum = 0;
		by_nested(number - 1);
		_exit(sum);
	}
	wait_for(pid);
}

static void by_fork_exec(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execv(self, leaf_arguments());
			_exit(8);
		}
		wait_for(pid);
	}
}

static void by__Fork(int number)
{
	pid_t pid = _Fork();

	(void)number;
	if (pid == 0)
		leave();
	wait_for(pid);
}

static pid_t vfork_leaf(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(self, leaf_arguments());
		_exit(8);
	}
	return pid;
}

static void by_vfork(int number)
{
	while (number-- > 0)
		wait_for(vfork_leaf());
}

/* The child ends at once: there is nothing to record. */
static void by_vfork_exit(int number)
{
	pid_t pid = vfork();

	(void)number;
	if (pid == 0)
		_exit(LEAF_STATUS);
	wait_for(pid);
}

static int run_leaf(void *unused)
{
	(void)unused;
	leaf_work();
	return LEAF_STATUS;
}

static int run_exec(void *unused)
{
	(void)unused;
	execv(self, leaf_arguments());
	return 8;
}

static void by_clone(int number)
{
	(void)number;
	wait_for(clone(run_leaf, child_stack + STACK, SIGCHLD, NULL));
}

static void by_clone_vfork(int number)
{
	(void)number;
	wait_for(clone(run_exec, child_stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

/* Not a thread, but it shares the memory. */
static int run_nothing(void *unused)
{
	(void)unused;
	syscall(SYS_exit, LEAF_STATUS);
	return 0;
}

static void by_clone_shared(int number)
{
	(void)number;
	wait_for(clone(run_nothing, child_stack + STACK, CLONE_VM | SIGCHLD, NULL));
}

static void by_raw_fork(int number)
{
	pid_t pid = (pid_t)syscall(SYS_fork);

	(void)number;
	if (pid == 0)
		leave();
	wait_for(pid);
}

static void by_raw_clone3(int number)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	(void)number;
	if (pid == 0)
		leave();
	wait_for(pid);
}

/* The recorder cannot see this fork: the child is noticed when it executes a program. */
static void by_unseen_fork(int number)
{
	long pid;

	(void)number;
	__asm__ volatile("syscall" : "=a"(pid) : "a"(SYS_fork) : "rcx", "r11", "memory");
	if (pid == 0) {
		execv(self, leaf_arguments());
		_exit(8);
	}
	wait_for((pid_t)pid);
}

static void by_posix_spawn(int number)
{
	for (int i = 0; i < number; i++) {
		pid_t pid;

		if (posix_spawn(&pid, self, NULL, NULL, leaf_arguments(), environ) != 0)
			exit(9);
		wait_for(pid);
	}
}

/* An empty environment, a closed descriptor, another directory, default signals, a process group of
 * its own. */
static void by_posix_spawnp(int number)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char *nothing[] = {NULL};
	sigset_t signals;
	pid_t pid;

	(void)number;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	posix_spawnattr_init(&attributes);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (posix_spawnp(&pid, self, &actions, &attributes, leaf_arguments(), nothing) != 0)
		exit(9);
	wait_for(pid);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
}

static void command_of(char *command, size_t size)
{
	snprintf(command, size, "%s leaf", self);
}

static void by_system(int number)
{
	char command[4200];

	command_of(command, sizeof(command));
	for (int i = 0; i < number; i++)
		sum += WEXITSTATUS(system(command));
}

static void by_popen(int number)
{
	char command[4200], line[100];
	FILE *stream;

	(void)number;
	command_of(command, sizeof(command));
	stream = popen(command, "r");
	while (fgets(line, sizeof(line), stream))
		continue;
	sum += WEXITSTATUS(pclose(stream));
}

static void by_wordexp(int number)
{
	wordexp_t words;

	(void)number;
	if (wordexp("$(echo a b c)", &words, 0) != 0)
		exit(9);
	sum += (int)words.we_wordc;
	wordfree(&words);
}

/* What daemon(3) says of a daemon that keeps neither its directory nor its files. */
static int is_away(void)
{
	char directory[64];
	struct stat status;

	for (int fd = 0; fd < 3; fd++)
		if (fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode) ||
		    status.st_rdev != makedev(1, 3) || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
			return 0;
	return getcwd(directory, sizeof(directory)) && strcmp(directory, "/") == 0;
}

/* The daemon reports through a pipe that it is done. */
static void make_daemon(int keeps)
{
	int ends[2];
	char byte = 0;

	if (pipe(ends) < 0)
		exit(9);
	if (fork() == 0) {
		close(ends[0]);
		if (daemon(keeps, keeps) < 0)
			_exit(8);
		leaf_work();
		byte = keeps || is_away() ? LEAF_STATUS : 100;
		if (write(ends[1], &byte, 1) != 1)
			_exit(8);
		exit(LEAF_STATUS);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		exit(9);
	sum += byte;
	wait(NULL);
}

static void by_daemon(int number)
{
	(void)number;
	make_daemon(1);
}

static void by_daemon_away(int number)
{
	(void)number;
	make_daemon(0);
}

static void by_forkpty(int number)
{
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	(void)number;
	if (pid == 0)
		leave();
	wait_for(pid);
}

/* Fails twice, then succeeds. */
static void by_failing_exec(int number)
{
	char *arguments[] = {"x", NULL};

	(void)number;
	execv("/no/such/program", arguments);
	execv("/etc/passwd", arguments);
	fflush(stdout);
	execv(self, leaf_arguments());
}

static void *exec_in_thread(void *unused)
{
	(void)unused;
	execv(self, leaf_arguments());
	return NULL;
}

static void by_thread_exec(int number)
{
	pthread_t thread;

	(void)number;
	pthread_create(&thread, NULL, exec_in_thread, NULL);
	pthread_join(thread, NULL);
}

static void by_empty_environment(int number)
{
	char *nothing[] = {NULL};

	(void)number;
	execve(self, leaf_arguments(), nothing);
}

static void by_raw_exec(int number)
{
	(void)number;
	syscall(SYS_execve, self, leaf_arguments(), environ);
}

/* `children chain N` executes `children chain N-1`, and so on. */
static void by_chain(int number)
{
	char count[16];
	char *arguments[] = {"children", "chain", count, NULL};

	if (number == 0)
		execv(self, leaf_arguments());
	snprintf(count, sizeof(count), "%d", number - 1);
	execv(self, arguments);
}

static void *fork_in_thread(void *number)
{
	by_fork_exec((int)(long)number / 2);
	by_fork((int)(long)number - (int)(long)number / 2);
	return NULL;
}

static void *allocate(void *stop)
{
	while (!*(volatile int *)stop)
		free(malloc(100));
	return NULL;
}

/* Four threads fork while two others allocate and free. */
static void by_threads(int number)
{
	pthread_t forkers[4], allocators[2];
	int stop = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&allocators[i], NULL, allocate, &stop);
	for (int i = 0; i < 4; i++)
		pthread_create(&forkers[i], NULL, fork_in_thread, (void *)(long)number);
	for (int i = 0; i < 4; i++)
		pthread_join(forkers[i], NULL);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(allocators[i], NULL);
}

/* The child lives longer than its parent. */
static void by_orphan(int number)
{
	(void)number;
	if (fork() == 0) {
		usleep(300000);
		leave();
	}
}

static void on_signal(int signal)
{
	pid_t pid = fork();

	(void)signal;
	if (pid == 0)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* Children forked by a signal handler, at any place in the program, also in the recorder's code. */
static void by_handler(int number)
{
	struct itimerspec often = {.it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	signal(SIGUSR1, on_signal);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	for (int i = 0; i < number; i++)
		free(malloc(100));
	timer_delete(timer);
}

static const struct way {
	const char *name;
	void (*run)(int number);
} ways[] = {
	{"fork", by_fork},
	{"fork_exec", by_fork_exec},
	{"fork_killed", by_fork_killed},
	{"nested", by_nested},
	{"_Fork", by__Fork},
	{"vfork", by_vfork},
	{"vfork_exit", by_vfork_exit},
	{"clone", by_clone},
	{"clone_vfork", by_clone_vfork},
	{"clone_shared", by_clone_shared},
	{"raw_fork", by_raw_fork},
	{"raw_clone3", by_raw_clone3},
	{"unseen_fork", by_unseen_fork},
	{"posix_spawn", by_posix_spawn},
	{"posix_spawnp", by_posix_spawnp},
	{"system", by_system},
	{"popen", by_popen},
	{"wordexp", by_wordexp},
	{"daemon", by_daemon},
	{"daemon_away", by_daemon_away},
	{"forkpty", by_forkpty},
	{"failing_exec", by_failing_exec},
	{"thread_exec", by_thread_exec},
	{"empty_environment", by_empty_environment},
	{"raw_exec", by_raw_exec},
	{"chain", by_chain},
	{"threads", by_threads},
	{"orphan", by_orphan},
	{"handler", by_handler},
};

int main(int argc, char **argv)
{
	static char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (argc < 2 || len < 0)
		return 2;
	path[len] = '\0';
	self = path;
	if (strcmp(argv[1], "leaf") == 0) {
		leaf_work();
		return LEAF_STATUS;
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		ways[i].run(argc > 2 ? atoi(argv[2]) : 1);
		printf("%s: %d\n", argv[1], sum);
		return 0;
	}
	return 2;
}
