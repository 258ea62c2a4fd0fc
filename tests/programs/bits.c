/* bits.c: a tree of 32-bit and 64-bit programs. tests/e2e/bits32.sh builds it as both.
 *
 * `bits ROLE OTHER`; OTHER is the program of the other size. Every image logs hook 010 once: the
 * size of its long and the address of main. If its environment has one of the recorder's
 * variables, it logs hook 0F0. Roles: leaf: nothing else. tree: 3 more processes that keep running
 * this program log hook 020 (fork, _Fork, fork in a thread), and OTHER runs as a leaf by
 * posix_spawn, posix_spawnp, system, popen, wordexp, fork and execve, vfork and execl,
 * syscall(execve), and finally execve in this process: 9 images of OTHER. words: hook 030: 1000
 * events by each of 4 threads, D1 counting from 0; hook 031: 64-bit words; hook 032: 10 generic
 * events of lengths 0 to 4500 in steps of 500; the sums are checked.
 * masks: a thread has all signals blocked, as the thread that created it had.
 * Prints nothing; exits 0 if all calls went as they should, errno included. */
#include "include/sys/trchkid.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

enum { THREADS = 4, EVENTS = 1000, LENGTHS = 10 };

extern char **environ;
static int failures;

static void expect(int is_so)
{
	failures += !is_so;
}

static void wait_for(pid_t pid)
{
	int status = -1;

	expect(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void *fork_here(void *unused)
{
	pid_t pid = fork();

	if (pid == 0) {
		TRCHKL0(HKWD_USER2);
		_exit(0);
	}
	wait_for(pid);
	return unused;
}

static void fork_some(void)
{
	pthread_t thread;
	pid_t pid;

	fork_here(NULL);
	pid = _Fork();
	if (pid == 0) {
		TRCHKL0(HKWD_USER2);
		_exit(0);
	}
	wait_for(pid);
	expect(pthread_create(&thread, NULL, fork_here, NULL) == 0 &&
	       pthread_join(thread, NULL) == 0);
}

static void run_other(const char *other)
{
	char *argv[] = {(char *)other, "leaf", NULL};
	char command[4200], line[64];
	wordexp_t words;
	FILE *pipe;
	pid_t pid;

	expect(posix_spawn(&pid, other, NULL, NULL, argv, environ) == 0);
	wait_for(pid);
	expect(posix_spawnp(&pid, other, NULL, NULL, argv, environ) == 0);
	wait_for(pid);
	snprintf(command, sizeof(command), "%s leaf", other);
	expect(system(command) == 0);
	pipe = popen(command, "r");
	expect(pipe && !fgets(line, sizeof(line), pipe) && pclose(pipe) == 0);
	snprintf(command, sizeof(command), "$(%s leaf)", other);
	expect(wordexp(command, &words, 0) == 0);
	pid = fork();
	if (pid == 0) {
		execve(other, argv, environ);
		_exit(1);
	}
	wait_for(pid);
	pid = vfork();
	if (pid == 0) {
		execl("/no/such/file", "none", (char *)NULL);
		execl(other, other, "leaf", (char *)NULL);
		_exit(1);
	}
	wait_for(pid);
	pid = fork();
	if (pid == 0) {
		syscall(SYS_execve, other, argv, environ);
		_exit(1);
	}
	wait_for(pid);
}

static void *log_words(void *unused)
{
	for (long i = 0; i < EVENTS; i++) {
		errno = (int)i;
		TRCHKL5(0x03000000, i, ~i, 3 * i, &i, 9);
		if (errno != (int)i)
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

static void log_all(void)
{
	static char bytes[5000];
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		expect(pthread_create(&thread[i], NULL, log_words, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	trchook64(0x03100000, 0x123456789abcdef9ull, ~0ull, 0, 1, 1ull << 63);
	memset(bytes, 'b', sizeof(bytes));
	for (int i = 0; i < LENGTHS; i++)
		TRCGEN(0, 0x03200000 | i, i, i * 500, bytes);
	TRCGEN(0, 0x03200000 | LENGTHS, LENGTHS, 7, NULL);
	expect(trc_ishookon(0, 0x03300000) == trc_ishookon(0, 0x03000000));
}

static void *has_blocked_all(void *unused)
{
	sigset_t set;

	expect(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		expect(sigismember(&set, i));
	return unused;
}

static void block_all(void)
{
	sigset_t all;
	pthread_t thread;

	sigfillset(&all);
	expect(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
	expect(pthread_create(&thread, NULL, has_blocked_all, NULL) == 0 &&
	       pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	TRCHKL2(HKWD_USER1, sizeof(long), main);
	if (getenv("LD_PRELOAD") || getenv("XER_RECORD"))
		TRCHKL0(HKWD_USERF);
	if (strcmp(argv[1], "words") == 0)
		log_all();
	if (strcmp(argv[1], "masks") == 0)
		block_all();
	if (strcmp(argv[1], "tree") != 0)
		return failures != 0;
	fork_some();
	run_other(argv[2]);
	if (failures)
		return 1;
	execl(argv[2], argv[2], "leaf", (char *)NULL);
	return 1;
}
