/* redescend: deep stacks that have few frames in common.
 *
 * usage: redescend DEPTH ROUNDS
 *
 * Facts: main calls descend ROUNDS times, which calls itself DEPTH times, and then bottom, which
 * allocates one block of 32 bytes. Every other round, each frame is 16 bytes larger, so that all
 * frames are in other places. */
#include <alloca.h>
#include <stdlib.h>

static void *volatile kept;

__attribute__((noinline)) static void bottom(void)
{
	kept = malloc(32);
	free(kept);
	__asm__ volatile("");
}

__attribute__((noinline)) static void descend(long depth, size_t size)
{
	char *volatile room = alloca(size);

	room[0] = 0;
	if (depth > 0)
		descend(depth - 1, size);
	else
		bottom();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	long depth = argc > 1 ? atol(argv[1]) : 100, rounds = argc > 2 ? atol(argv[2]) : 10;

	for (long i = 0; i < rounds; i++)
		descend(depth, i % 2 ? 32 : 16);
	return 0;
}
