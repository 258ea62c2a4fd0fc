/* odd_children: children and executed programs in ways that are allowed, but rare. `odd_children
 * WAY [ARGUMENT]` prints what the program sees; that is the same with and without a recorder. Exit
 * status 0.
 *
 * tests/e2e/odd_children.sh says what must be recorded. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LEAF_STATUS = 3, BLOCKS = 10, SMALL_STACK = 16384, HANDLER_STACK = 8192, GUARD = 65536 };

extern char **environ;

static char self[4096];
static void *volatile kept;

__attribute__((noinline)) static void leaf_work(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept = malloc(100);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			exit(9);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void spawn_and_wait(char *const arguments[])
{
	pid_t pid;
	int error = posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ);

	printf("status %d\n", error ? -error : wait_for(pid));
}

/* It closes all descriptors, makes a child and waits for a signal. */
static void closer(const char *unused)
{
	pid_t pid;

	(void)unused;
	closefrom(3);
	pid = fork();
	if (pid == 0)
		_exit(LEAF_STATUS);
	printf("status %d\n", wait_for(pid));
	fflush(stdout);
	pause();
}

static void *run_shell(void *unused)
{
	(void)unused;
	if (system("sleep 0.5") != 0)
		exit(9);
	return NULL;
}

/* A program is spawned with the environment while another thread is in system(). */
static void two_threads(const char *unused)
{
	char *arguments[] = {"/usr/bin/env", NULL};
	pthread_t thread;

	(void)unused;
	pthread_create(&thread, NULL, run_shell, NULL);
	usleep(200000);
	fflush(stdout);
	spawn_and_wait(arguments);
	pthread_join(thread, NULL);
}

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void jump(int signal)
{
	(void)signal;
	if (may_jump)
		siglongjmp(back, 1);
}

/* Calls of execv that fail, and that a handler's jump may end. */
static void jumper(const char *seconds)
{
	struct itimerspec often = {.it_interval.tv_nsec = 300000, .it_value.tv_nsec = 300000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	char *arguments[] = {"/nonexistent", NULL};
	time_t end = time(NULL) + atoi(seconds);
	timer_t timer;

	signal(SIGUSR1, jump);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	sigsetjmp(back, 1);
	while (time(NULL) < end) {
		may_jump = 1;
		execv("/etc/passwd", arguments); /* recorded, and fails */
		execv("/etc", arguments);
		may_jump = 0;
	}
	timer_delete(timer);
	printf("end\n");
}

static void fork_on_small_stack(int signal)
{
	pid_t pid = fork();

	(void)signal;
	if (pid == 0) {
		leaf_work();
		_exit(LEAF_STATUS);
	}
	printf("status %d\n", wait_for(pid));
}

static void *fork_in_thread(void *unused)
{
	fork_on_small_stack(0);
	return unused;
}

static int run_leaf(void *unused)
{
	(void)unused;
	leaf_work();
	_exit(LEAF_STATUS);
}

/* Memory below it must not be touched. */
static char *guarded_stack(void)
{
	char *memory = mmap(NULL, GUARD + HANDLER_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);

	if (memory == MAP_FAILED ||
	    mprotect(memory + GUARD, HANDLER_STACK, PROT_READ | PROT_WRITE) < 0)
		exit(9);
	return memory + GUARD;
}

/* A thread with the smallest stack, a handler on an alternate stack, a cloned child: the first
 * event of each happens there. */
static void small_stacks(const char *unused)
{
	char *memory = guarded_stack();
	stack_t stack = {.ss_sp = memory, .ss_size = HANDLER_STACK};
	struct sigaction action = {.sa_handler = fork_on_small_stack, .sa_flags = SA_ONSTACK};
	pthread_attr_t attributes;
	pthread_t thread;

	(void)unused;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	pthread_create(&thread, &attributes, fork_in_thread, NULL);
	pthread_join(thread, NULL);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("status %d\n", wait_for(clone(run_leaf, memory + HANDLER_STACK, SIGCHLD, NULL)));
}

/* Calls that the kernel or the C library refuses. */
static void refused(const char *unused)
{
	char *volatile none = NULL;
	char *volatile bad = (char *)8;
	char **volatile bad_list = (char **)bad;
	char *arguments[] = {"x", NULL};
	pid_t pid;

	(void)unused;
	printf("posix_spawn without a path: %d\n",
	       posix_spawn(&pid, none, NULL, NULL, arguments, environ));
	printf("posix_spawn of nothing: %d\n",
	       posix_spawn(&pid, "", NULL, NULL, arguments, environ));
	printf("posix_spawn with a bad path: %d\n",
	       posix_spawn(&pid, bad, NULL, NULL, arguments, environ));
	printf("execve without a path: %d %d\n", execve(none, arguments, environ), errno);
	printf("execve of nothing: %d %d\n", execve("", arguments, environ), errno);
	printf("execve with a bad path: %d %d\n", execve(bad, arguments, environ), errno);
	printf("execve with bad arguments: %d %d\n", execve(self, bad_list, environ), errno);
	printf("clone without a function: %d %d\n", clone(NULL, NULL, SIGCHLD, NULL), errno);
	printf("execvp of nothing: %d %d\n", execvp("", arguments), errno);
}

/* A path of more than 3000 bytes. */
static void long_path(const char *unused)
{
	static char path[2 * sizeof(self)];
	char *arguments[] = {"odd_children", "leaf", NULL};

	(void)unused;
	while (strlen(path) < 3000)
		strcat(path, "/.");
	strcat(path, self);
	execvp(path, arguments);
}

static void no_rights(const char *unused)
{
	pid_t pid;

	(void)unused;
	umask(0777);
	pid = fork();
	if (pid == 0) {
		leaf_work();
		_exit(LEAF_STATUS);
	}
	printf("status %d\n", wait_for(pid));
}

static void become_env(const char *unused)
{
	char *arguments[] = {"/usr/bin/env", NULL};

	(void)unused;
	setenv("LD_PRELOAD", "", 1);
	execv(arguments[0], arguments);
}

/* Each child makes a child of its own. */
static void nested(const char *depth)
{
	int left = atoi(depth);
	pid_t pid;

	fflush(stdout);
	while (left-- > 0) {
		pid = fork();
		if (pid != 0)
			_exit(wait_for(pid));
	}
	leaf_work();
	_exit(LEAF_STATUS);
}

/* Which number does the first file get, where few are allowed? */
static void few_files(const char *unused)
{
	(void)unused;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){24, 24});
	fflush(stdout);
	if (fork() == 0) {
		leaf_work();
		printf("first file: %d\n", open("/dev/null", O_RDONLY));
		leaf_work();
		fflush(stdout);
		_exit(LEAF_STATUS);
	}
	wait(NULL);
}

static void leaf(const char *unused)
{
	(void)unused;
	leaf_work();
	printf("leaf\n");
}

static const struct way {
	const char *name;
	void (*run)(const char *argument);
} ways[] = {
	{"closer", closer},       {"two_threads", two_threads},
	{"jumper", jumper},       {"small_stacks", small_stacks},
	{"refused", refused},     {"long_path", long_path},
	{"no_rights", no_rights}, {"empty_preload", become_env},
	{"nested", nested},       {"few_files", few_files},
	{"leaf", leaf},
};

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc < 2 || len < 0)
		return 2;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		ways[i].run(argc > 2 ? argv[2] : "1");
		return 0;
	}
	return 2;
}
