/* sessions.c: cases of daemons, terminals, process groups, and attributes of spawned
 * processes. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include <wordexp.h>

extern char **environ;

/* A daemon outlives the processes that made it; when it ends, so does its pipe. */
int case_daemon(void)
{
	int ends[2];
	char text[16] = "";
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		if (daemon(0, 0) != 0)
			_exit(1);
		mark();
		dprintf(ends[1], "in %s, leads %d", getcwd(text, sizeof(text)),
		        getsid(0) == getpgid(0));
		_exit(0);
	}
	close(ends[1]);
	say_end(pid);
	while (read(ends[0], text, 1) == 1)
		say("%c", *text);
	say("\n");
	return 0;
}

/* Servers start new workers when they get SIGHUP. */
static volatile sig_atomic_t again;
static void ask_again(int signal)
{
	again = signal;
}

static void make_worker(const int *ends)
{
	char byte;

	if (fork() != 0)
		return;
	mark();
	_exit(read(ends[0], &byte, 1) == 1 ? byte : 99);
}

static void end_a_worker(const int *ends)
{
	int status;

	if (write(ends[1], "\5", 1) == 1 && wait(&status) > 0)
		say("ended %d\n", WEXITSTATUS(status));
}

int case_workers_made_again(void)
{
	struct sigaction action = {.sa_handler = ask_again};
	int ends[2];

	if (pipe(ends) != 0)
		return 1;
	sigaction(SIGHUP, &action, NULL);
	make_worker(ends);
	for (int i = 0; i < 5; i++) {
		raise(SIGHUP);
		if (again != SIGHUP)
			return 1;
		again = 0;
		make_worker(ends);
		end_a_worker(ends);
	}
	end_a_worker(ends);
	return 0;
}

/* The terminal hangs up: the session leader gets SIGHUP. */
int case_terminal_hangs_up(void)
{
	int terminal;
	char byte;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid < 0)
		return CASE_SKIP;
	if (pid == 0) {
		mark();
		if (write(1, "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	say("read %d\n", (int)read(terminal, &byte, 1));
	close(terminal);
	return say_end(pid);
}

static volatile sig_atomic_t resized;
static void on_resize(int signal)
{
	resized = signal;
}

int case_terminal_settings(void)
{
	struct winsize size = {.ws_row = 33, .ws_col = 77}, now = {0};
	struct termios settings;
	int master, slave;
	char line[20] = "";

	if (openpty(&master, &slave, NULL, NULL, &size) != 0)
		return CASE_SKIP;
	mark();
	signal(SIGWINCH, on_resize);
	ioctl(slave, TIOCGWINSZ, &now);
	say("%d x %d\n", now.ws_row, now.ws_col);
	tcgetattr(slave, &settings);
	cfmakeraw(&settings);
	say("raw %d\n", tcsetattr(slave, TCSANOW, &settings));
	say("written %d\n", (int)write(master, "\3x\n", 3));
	say("read %d\n", (int)read(slave, line, sizeof(line)));
	say("flushed %d\n", tcflush(slave, TCIOFLUSH));
	return resized;
}

/* Reading from the terminal in the background stops a group; in the foreground it continues. */
int case_jobs(void)
{
	int master, slave, status;
	pid_t leader;

	if (openpty(&master, &slave, NULL, NULL, NULL) != 0)
		return CASE_SKIP;
	leader = fork();
	if (leader == 0) {
		pid_t job;

		login_tty(slave);
		signal(SIGTTOU, SIG_IGN);
		job = fork();
		if (job == 0) {
			char byte;

			setpgid(0, 0);
			signal(SIGTTIN, SIG_DFL);
			mark();
			_exit(read(0, &byte, 1) == 1 ? 5 : 6);
		}
		waitpid(job, &status, WUNTRACED);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTTIN)
			_exit(1);
		tcsetpgrp(0, job);
		kill(-job, SIGCONT);
		waitpid(job, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
	}
	say("typed %d\n", (int)write(master, "x\n", 2));
	return say_end(leader);
}

/* A stopped group whose leader ends gets SIGHUP and SIGCONT. */
int case_orphaned_group(void)
{
	int ends[2], status;
	char byte;
	pid_t pid;

	if (pipe(ends) != 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		pid_t stopped;

		setsid();
		stopped = fork();
		if (stopped == 0) {
			setpgid(0, 0);
			mark();
			raise(SIGSTOP);
			_exit(write(ends[1], "?", 1) != 1);
		}
		waitpid(stopped, &status, WUNTRACED);
		_exit(WIFSTOPPED(status) ? 4 : 5);
	}
	close(ends[1]);
	say_end(pid);
	say("left %d\n", (int)read(ends[0], &byte, 1)); /* SIGHUP killed it */
	return 0;
}

int case_spawn_more_attributes(void)
{
	char *arguments[] = {"cases", "where_it_is", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addfchdir_np(&actions, open("/usr", O_PATH | O_CLOEXEC));
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_USEVFORK);
	error = posix_spawn(&pid, case_self, &actions, &attributes, arguments, environ);
	say_end(pid);
	return error;
}

int case_where_it_is(void)
{
	char directory[4096];

	mark();
	say("in /usr %d, leads %d\n", strcmp(getcwd(directory, sizeof(directory)), "/usr") == 0,
	    getsid(0) == getpid());
	return 6;
}

/* As shells do it: much happens between vfork and exec. */
int case_vfork_busy(void)
{
	static volatile int told;
	int fd = open("output", O_WRONLY | O_CREAT, 0600);
	pid_t pid = vfork();

	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		setpgid(0, 0);
		dup2(fd, 1);
		closefrom(3);
		if (chdir("/") != 0)
			_exit(1);
		told = 1;
		execl("/nonexistent", "x", (char *)NULL);
		execl(case_self, "cases", "leaf", (char *)NULL);
		_exit(9);
	}
	say("told %d\n", told);
	mark();
	return say_end(pid);
}

static volatile int end_now;

static void *allocates(void *unused)
{
	while (!end_now)
		free(malloc(300));
	return unused;
}

int case_vfork_among_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, allocates, NULL);
	for (int i = 0; i < 10; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl(case_self, "cases", "leaf", (char *)NULL);
			_exit(9);
		}
		say_end(pid);
	}
	end_now = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int case_exec_among_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, allocates, NULL);
	mark();
	become("leaf");
	return 1;
}

int case_exec_family(void)
{
	char directory[4096], *arguments[] = {"cases", "leaf", NULL};
	char *slash = strrchr(strcpy(directory, case_self), '/');

	*slash = '\0';
	setenv("PATH", directory, 1);
	for (int way = 0; way < 5; way++) {
		pid_t pid = fork();

		if (pid == 0) {
			switch (way) {
			case 0:
				execlp("cases", "cases", "leaf", (char *)NULL);
				break;
			case 1:
				execvp("cases", arguments);
				break;
			case 2:
				execvpe("cases", arguments, environ);
				break;
			case 3:
				execle(case_self, "cases", "leaf", (char *)NULL, environ);
				break;
			default:
				execv(case_self, arguments);
			}
			_exit(9);
		}
		say_end(pid);
	}
	return 0;
}

int case_scripts_of_scripts(void)
{
	int fd = open("first", O_WRONLY | O_CREAT, 0700);

	dprintf(fd, "#!%s leaf\n", case_self);
	close(fd);
	fd = open("second", O_WRONLY | O_CREAT, 0700);
	dprintf(fd, "#!./first\n");
	close(fd);
	fd = open("third", O_WRONLY | O_CREAT, 0700);
	dprintf(fd, "exec ./second\n"); /* no interpreter: execvp asks the shell */
	close(fd);
	execlp("./third", "third", (char *)NULL);
	return 1;
}

int case_words_expanded(void)
{
	wordexp_t words;

	setenv("CASES", case_self, 1);
	say("wordexp %d\n", wordexp("one $(\"$CASES\" leaf) \"a b\"", &words, 0));
	for (size_t i = 0; i < words.we_wordc; i++)
		say("%s\n", words.we_wordv[i]);
	wordfree(&words);
	return 0;
}

int case_many_pipes(void)
{
	FILE *pipes[8];
	char line[100];

	setenv("CASES", case_self, 1);
	for (int i = 0; i < 8; i++)
		pipes[i] = popen("exec \"$CASES\" leaf", i % 2 ? "r" : "re");
	for (int i = 7; i >= 0; i--) {
		if (!pipes[i] || !fgets(line, sizeof(line), pipes[i]))
			return 1;
		say("%s", line);
		say("%d\n", WEXITSTATUS(pclose(pipes[i])));
	}
	return 0;
}

int case_system_among_signals(void)
{
	signal(SIGINT, mark_handler);
	say("interrupted %d\n",
	    system("kill -INT $PPID; exit 3") == 3 << 8); /* system ignores SIGINT meanwhile */
	raise(SIGINT);
	signal(SIGCHLD, SIG_IGN);
	say("ignored %d ", system("exit 4"));
	say("%d\n", errno);
	return 0;
}

static volatile int is_looking = 1;
static char *of_the_user;

static void *looks(void *seen)
{
	while (is_looking) {
		char *preload = getenv("LD_PRELOAD");

		*(long *)seen += preload != of_the_user;
		*(long *)seen += secure_getenv("XER_RECORD") != NULL;
	}
	return NULL;
}

int case_environment_during_system(void)
{
	pthread_t thread;
	long seen = 0;

	of_the_user = getenv("LD_PRELOAD");
	pthread_create(&thread, NULL, looks, &seen);
	for (int i = 0; i < 10; i++) {
		if (system("exit 0") != 0)
			return 1;
		pclose(popen("exit 0", "r"));
	}
	is_looking = 0;
	pthread_join(thread, NULL);
	say("seen %d\n", seen != 0);
	mark();
	return 0;
}
