/* sampled_known: allocations of exactly known number and size, in functions of their own.
 *
 * usage: sampled_known [LIBRARY]
 *
 * Facts, with blocks and bytes allocated, and those that are never freed:
 *   leak_small    160,000 of 100 bytes     16,000,000    all
 *   leak_half      40,000 of 1,000 bytes   40,000,000    20,000 of them, 20,000,000 bytes
 *   churn         500,000 of 160 bytes     80,000,000    none: each is freed at once
 *   grow            8,000 by realloc       36,000,000    none: 1,000 blocks grow from 1,000 to
 * 8,000 bytes shrink_fails    2,000 of 8,000 bytes   16,000,000    all; a realloc of each to all
 * memory fails leak_large         20 of 1,048,576     20,971,520    5 of them, 5,242,880 bytes
 *   aligned        20,000 of 1,024 bytes   20,480,000    none: aligned_alloc, posix_memalign
 *   in_thread     200,000 of 100 bytes     20,000,000    none: 4 threads allocate, the main thread
 * frees in_child      100,000 of 100 bytes     10,000,000    all, in a forked child, which also
 * frees what leak_small left With LIBRARY (plugin.so), unload opens it, calls its plugin_work (30
 * blocks of 24 bytes, of which 20 are never freed), and closes it, 5 times. Prints "done". */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 160000, THREADS = 4, OF_THREAD = 50000 };

static void *volatile kept;
static void *small[SMALL], *given[THREADS][OF_THREAD];

__attribute__((noinline)) static void leak_small(void)
{
	for (int i = 0; i < SMALL; i++)
		small[i] = malloc(100);
}

__attribute__((noinline)) static void leak_half(void)
{
	for (int i = 0; i < 40000; i++) {
		kept = malloc(1000);
		if (i % 2)
			free(kept);
	}
}

__attribute__((noinline)) static void churn(void)
{
	for (int i = 0; i < 500000; i++) {
		kept = malloc(160);
		free(kept);
	}
}

__attribute__((noinline)) static void grow(void)
{
	for (int i = 0; i < 1000; i++) {
		void *block = NULL;

		for (size_t size = 1000; size <= 8000; size += 1000)
			block = realloc(block, size);
		free(block);
	}
}

__attribute__((noinline)) static void shrink_fails(void)
{
	volatile size_t much = PTRDIFF_MAX;

	for (int i = 0; i < 2000; i++) {
		void *block = malloc(8000);

		kept = realloc(block, much) ? NULL : block;
	}
}

__attribute__((noinline)) static void leak_large(void)
{
	for (int i = 0; i < 20; i++) {
		kept = malloc(1 << 20);
		if (i % 4)
			free(kept);
	}
}

__attribute__((noinline)) static void aligned(void)
{
	for (int i = 0; i < 10000; i++) {
		void *block = NULL;

		kept = aligned_alloc(64, 1024);
		free(kept);
		if (posix_memalign(&block, 4096, 1024) == 0)
			free(block);
	}
}

__attribute__((noinline)) static void *in_thread(void *blocks)
{
	for (int i = 0; i < OF_THREAD; i++)
		((void **)blocks)[i] = malloc(100);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, in_thread, given[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < OF_THREAD; k++)
			free(given[i][k]);
}

__attribute__((noinline)) static void in_child(void)
{
	for (int i = 0; i < SMALL; i++)
		free(small[i]);
	for (int i = 0; i < 100000; i++)
		kept = malloc(100);
}

static void run_child(void)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		in_child();
		exit(0);
	}
	waitpid(child, &status, 0);
	if (status != 0)
		puts("the child failed");
}

__attribute__((noinline)) static void unload(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*work)(void) = library ? (void (*)(void))dlsym(library, "plugin_work") : NULL;

	if (!work) {
		puts(dlerror());
		return;
	}
	work();
	dlclose(library);
}

int main(int argc, char **argv)
{
	leak_small();
	leak_half();
	churn();
	grow();
	shrink_fails();
	leak_large();
	aligned();
	run_threads();
	run_child();
	for (int i = 0; argc > 1 && i < 5; i++)
		unload(argv[1]);
	puts("done");
	return 0;
}
