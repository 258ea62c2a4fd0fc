/* newest: blocks of which the last ones are known, however many are recorded.
 *
 * usage: newest BLOCKS [CHILDREN]
 *
 * Facts: block number i, from 0, has 1 + i * 7919 mod 60013 bytes, and is freed before the next one
 * is allocated. So the sum of the last n sizes is known, and tells where the first of them stands.
 * CHILDREN processes do the same at the same time before the program does it; nothing is
 * printed. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP = 7919, SIZES = 60013 };

static void *volatile block;

static void allocate(long blocks)
{
	for (long i = 0; i < blocks; i++) {
		block = malloc(1 + (size_t)(i * STEP % SIZES));
		free(block);
	}
}

int main(int argc, char **argv)
{
	long blocks = argc > 1 ? atol(argv[1]) : 1;
	int status, failed = 0;

	for (int children = argc > 2 ? atoi(argv[2]) : 0; children > 0; children--)
		if (fork() == 0) {
			allocate(blocks);
			_exit(0);
		}
	while (wait(&status) > 0)
		failed |= status != 0;
	allocate(blocks);
	return failed;
}
