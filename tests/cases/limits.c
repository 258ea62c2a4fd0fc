/* limits.c: cases of limits of resources. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit(int which, rlim_t value)
{
	struct rlimit both = {value, value};

	say("limit %d\n", setrlimit(which, &both));
}

/* ---- limits: data may be lost, but the program must go on */

int case_limit_address_space(void)
{
	void *volatile block;

	mark();
	limit(RLIMIT_AS, 1 << 20);
	mark();
	burn(20);
	block = malloc(1 << 26);
	say("malloc %d %d\n", block != NULL, errno);
	return 0;
}

int case_limit_data(void)
{
	void *volatile block;

	mark();
	limit(RLIMIT_DATA, 1 << 20);
	burn(10);
	block = malloc(1 << 26);
	say("malloc %d %d\n", block != NULL, errno);
	return 0;
}

int case_limit_file_size(void)
{
	int fd = open("file", O_WRONLY | O_CREAT, 0600);

	limit(RLIMIT_FSIZE, 0);
	mark();
	burn(20);
	signal(SIGXFSZ, SIG_IGN);
	say("write %d ", (int)write(fd, "x", 1));
	say("%d\n", errno);
	return 0;
}

int case_limit_file_size_kills(void)
{
	int fd = open("file", O_WRONLY | O_CREAT, 0600);

	limit(RLIMIT_FSIZE, 0);
	for (int i = 0; i < 1000; i++)
		mark();
	burn(20);
	return write(fd, "x", 1) == 1;
}

int case_limit_stack(void)
{
	limit(RLIMIT_STACK, 1 << 17);
	become("leaf");
	return 1;
}

int case_no_limit_of_the_stack(void)
{
	mark();
	limit(RLIMIT_STACK,
	      RLIM_INFINITY); /* programs executed then get the legacy memory layout */
	become("leaf");
	return 1;
}

int case_limit_cpu(void)
{
	struct rlimit cpu = {1, 2};

	mark();
	setrlimit(RLIMIT_CPU, &cpu);
	burn(5000);
	return 0;
}

/* Returns 0, or -1: not possible. */
static int become_nobody(void)
{
	return geteuid() == 0 &&
	                       (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
	               ? -1
	               : 0;
}

int case_limit_processes(void)
{
	struct rlimit none = {0, 0};

	mark();
	if (become_nobody() < 0)
		return CASE_SKIP;
	setrlimit(RLIMIT_NPROC, &none);
	say("fork %d ", fork());
	say("%d\n", errno);
	mark();
	return 0;
}

int case_limit_locked_memory(void)
{
	limit(RLIMIT_MEMLOCK, 0);
	mark();
	return 0;
}

int case_all_memory_locked(void)
{
	say("mlockall %d\n",
	    mlockall(MCL_CURRENT | MCL_FUTURE) == 0 || errno == EPERM || errno == ENOMEM);
	mark();
	burn(10);
	return 0;
}

int case_memory_locked_at_a_limit(void)
{
	static char *block;

	mark();
	if (become_nobody() < 0)
		return CASE_SKIP;
	limit(RLIMIT_MEMLOCK, 8 << 20);
	say("present %d\n", mlockall(MCL_CURRENT));
	say("none %d\n", munlockall());
	say("all %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
	mark();
	block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	say("some more %d\n", block != MAP_FAILED);
	say("too much %d\n", mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	say("present %d\n", mlockall(MCL_CURRENT));
	say("much %d\n", mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                      -1, 0) == MAP_FAILED);
	mark();
	burn(20);
	return 0;
}

enum { QUEUING = 100, PENDING = 64 };

static pthread_barrier_t all_there, all_over;

static void *wait_for_all(void *unused)
{
	mark();
	pthread_barrier_wait(&all_there);
	pthread_barrier_wait(&all_over);
	return unused;
}

int case_signals_queued_at_a_limit(void)
{
	pthread_t threads[QUEUING];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (become_nobody() < 0)
		return CASE_SKIP;
	limit(RLIMIT_SIGPENDING, PENDING);
	pthread_barrier_init(&all_there, NULL, QUEUING + 1);
	pthread_barrier_init(&all_over, NULL, QUEUING + 1);
	for (int i = 0; i < QUEUING; i++)
		pthread_create(&threads[i], NULL, wait_for_all, NULL);
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < PENDING / 4; i++)
		say("%d", sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}));
	pthread_barrier_wait(&all_over);
	for (int i = 0; i < QUEUING; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int case_limit_pending_signals(void)
{
	limit(RLIMIT_SIGPENDING, 0);
	burn(20);
	mark();
	return 0;
}
