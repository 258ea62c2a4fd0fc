/* deep: recursion of known depth.
 *
 * usage: deep [depth [seconds]]      default: 30, 1
 *
 * Facts: `descend` calls itself `depth` times; then `bottom` burns CPU time, and allocates and
 * frees one block of 32 bytes a round. Whole stacks are main, descend x depth, bottom. Almost all
 * CPU time is in bottom; it prints "rounds N": the number of blocks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds = 1;
static void *volatile kept;
static volatile uint64_t sink;

__attribute__((noinline)) static int bottom(void)
{
	struct timespec now;
	uint64_t value = 1;
	int rounds = 0;

	do {
		for (int i = 0; i < 100000; i++)
			__asm__ volatile("imul $0x5851f42d, %0, %0" : "+r"(value));
		kept = malloc(32);
		free(kept);
		rounds++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < seconds);
	sink = value;
	return rounds;
}

__attribute__((noinline)) static int descend(int depth)
{
	int rounds = depth > 1 ? descend(depth - 1) : bottom();

	sink += (uint64_t)depth;
	return rounds;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 30;

	if (argc > 2)
		seconds = atof(argv[2]);
	printf("rounds %d\n", descend(depth));
	return 0;
}
