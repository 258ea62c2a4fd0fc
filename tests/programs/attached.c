/* attached: a program that xcollect attaches to.
 *
 * usage: attached KIND THREADS GO [PLUGIN]
 *
 * It makes the directory GO.ready. Until the file GO exists it does what KIND says: spin, masked
 * (spin with all signals blocked), heap (malloc and free all the time), sleep (each thread in one
 * of nanosleep, poll, a futex and read, without a timeout that ends soon), nothing (only the main
 * thread, in poll). It counts calls that fail with EINTR, and checks errno and a floating-point
 * sum. Then, in the main thread: known_old frees 50 blocks from before, known_malloc allocates 100
 * of 10 bytes and frees them, known_leak allocates 7 of 1000 bytes, known_write writes 20 times 5
 * bytes, known_lock waits once for a mutex that is held for 150 ms, and, with PLUGIN, known_plugin
 * loads that library and calls its plugin_work, which allocates 30 blocks of 24 bytes. It begins
 * that with collector_sample("in the middle") and ends it by making the directory GO.done. Then it
 * waits until GO is gone, and prints "right EINTR-COUNT". */
#include "include/collectorAPI.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OLD = 50, THREADS_MAX = 64 };

static volatile int stop;
static long interrupted;
static int pipes[2];
static void *volatile old[OLD];
static void *volatile block;
static volatile double sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

static void count(int failed)
{
	if (failed && errno == EINTR)
		__atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

static void heap_once(unsigned long n)
{
	void *volatile first = malloc(100 + n % 5000);
	void *volatile second = calloc(1, n % 300 + 1);

	first = realloc(first, 10 + n % 7000);
	free(first);
	free(second);
}

static void *churn(void *unused)
{
	for (unsigned long n = 0; !stop; n++)
		heap_once(n);
	return unused;
}

static void *spin(void *unused)
{
	while (!stop)
		for (int i = 1; i < 1000; i++)
			sum = 1.0 / i;
	return unused;
}

static void *spin_masked(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	return spin(unused);
}

static void *sleeper(void *which)
{
	struct timespec second = {.tv_sec = 1};
	char byte;

	switch ((long)which % 4) {
	case 0:
		while (!stop)
			count(nanosleep(&second, NULL) < 0);
		break;
	case 1:
		while (!stop)
			count(poll(NULL, 0, 1000) < 0);
		break;
	case 2:
		pthread_mutex_lock(&gate);
		while (!stop)
			pthread_cond_wait(&opened, &gate);
		pthread_mutex_unlock(&gate);
		break;
	default:
		count(read(pipes[0], &byte, 1) < 0);
		break;
	}
	return NULL;
}

__attribute__((noinline)) static void known_old(void)
{
	for (int i = 0; i < OLD; i++)
		free(old[i]);
}

__attribute__((noinline)) static void known_malloc(void)
{
	for (int i = 0; i < 100; i++) {
		block = malloc(10);
		free(block);
	}
}

__attribute__((noinline)) static void known_leak(void)
{
	for (int i = 0; i < 7; i++)
		block = malloc(1000);
}

__attribute__((noinline)) static void known_write(int fd)
{
	for (int i = 0; i < 20; i++)
		if (write(fd, "12345", 5) != 5)
			abort();
}

static void *hold(void *held)
{
	pthread_mutex_lock(&mutex);
	__atomic_store_n((int *)held, 1, __ATOMIC_RELEASE);
	usleep(150000);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

__attribute__((noinline)) static void known_lock(void)
{
	int held = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, hold, &held);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		continue;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

__attribute__((noinline)) static void known_plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(void) = library ? (void (*)(void))dlsym(library, "plugin_work") : NULL;

	/* The next definition after this program's: the loader must see who calls. */
	if (!work || dlsym(RTLD_NEXT, "main") || !dlsym(RTLD_NEXT, "malloc"))
		abort();
	work();
}

/* What the main thread does until GO exists. Returns 1 if it was not disturbed. */
static int work_until(const char *kind, const char *go, int present)
{
	double series = 0;

	for (unsigned long n = 0; (access(go, F_OK) == 0) != present; n++) {
		errno = 4711;
		if (strcmp(kind, "heap") == 0)
			for (int i = 0; i < 3000; i++)
				heap_once((unsigned long)i);
		else if (strcmp(kind, "spin") == 0)
			for (int i = 1; i < 100000; i++)
				series += 1.0 / i - 1.0 / i;
		else
			count(poll(NULL, 0, 50) < 0);
		if ((errno != 4711 && errno != EINTR) || series != 0)
			return 0;
	}
	return 1;
}

static void *(*thread_function(const char *kind))(void *)
{
	if (strcmp(kind, "heap") == 0)
		return churn;
	if (strcmp(kind, "masked") == 0)
		return spin_masked;
	return strcmp(kind, "spin") == 0 ? spin : sleeper;
}

static void make_directory(const char *path, const char *ending)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s%s", path, ending);
	mkdir(name, 0777);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 3 ? argv[1] : "nothing";
	int threads = argc > 3 ? atoi(argv[2]) : 0;
	pthread_t thread[THREADS_MAX];
	FILE *null = fopen("/dev/null", "w");
	int right;

	if (argc < 4 || threads > THREADS_MAX || !null || pipe(pipes) < 0)
		return 2;
	for (int i = 0; i < OLD; i++)
		old[i] = malloc(33);
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, thread_function(kind), (void *)i);
	make_directory(argv[3], ".ready");
	right = work_until(kind, argv[3], 1);
	collector_sample("in the middle");
	known_old();
	known_malloc();
	known_leak();
	known_write(fileno(null));
	known_lock();
	if (argc > 4)
		known_plugin(argv[4]);
	make_directory(argv[3], ".done");
	right &= work_until("nothing", argv[3], 0);
	stop = 1;
	pthread_mutex_lock(&gate);
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < threads; i++)
		if (write(pipes[1], "x", 1) != 1)
			return 3;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%s %ld\n", right ? "right" : "wrong", interrupted);
	return 0;
}
