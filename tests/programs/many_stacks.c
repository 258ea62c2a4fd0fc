/* many_stacks DEPTH [THREADS]: each thread makes one block from each of 2^DEPTH different stacks,
 * and then from the same ones again. A stack has a frame of left() or right() for each bit of its
 * number. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 2, STACK = 256 << 10, THREADS_MAX = 16 };

static int depth;

static void go(unsigned long path, int left_over);

__attribute__((noinline)) static void leaf(void)
{
	void *volatile block = malloc(24);

	free(block);
}

__attribute__((noinline)) static void left(unsigned long path, int left_over)
{
	go(path, left_over);
	__asm__ volatile("");
}

__attribute__((noinline)) static void right(unsigned long path, int left_over)
{
	go(path, left_over);
	__asm__ volatile("");
}

__attribute__((always_inline)) static inline void go(unsigned long path, int left_over)
{
	if (left_over == 0)
		leaf();
	else if (path & 1)
		left(path >> 1, left_over - 1);
	else
		right(path >> 1, left_over - 1);
	__asm__ volatile("");
}

static void *each(void *unused)
{
	for (int time = 0; time < TIMES; time++)
		for (unsigned long path = 0; path < 1ul << depth; path++) {
			go(path, depth);
			__asm__ volatile("");
		}
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t threads[THREADS_MAX];
	pthread_attr_t small;

	depth = argc > 1 ? atoi(argv[1]) : 10;
	mallopt(M_ARENA_MAX, 1); /* the address space may be too small for more */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, each, NULL) != 0)
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	if (count == 0)
		each(NULL);
	printf("%lu\n", (unsigned long)TIMES << depth);
	return 0;
}
