/* closes_all: a daemon that closes all descriptors, sleeps, and works on after its parent has
 * ended.
 *
 * Facts: it allocates and frees 100,000 blocks, closes everything, tells its parent by ending a
 * pipe, sleeps for 1.5 s, and allocates and frees 100,000 blocks more. Its parent ends 0.5 s after
 * that sleep began. */
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 100000 };

static void *volatile block;

static void work(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		block = malloc(64);
		free(block);
	}
}

int main(void)
{
	int closed[2];
	char byte;

	if (pipe(closed) < 0)
		return 1;
	if (fork() == 0) {
		setsid();
		work();
		for (int fd = 0; fd < getdtablesize(); fd++)
			close(fd);
		usleep(1500000);
		work();
		_exit(0);
	}
	close(closed[1]);
	while (read(closed[0], &byte, 1) > 0)
		continue;
	usleep(500000);
	return 0;
}
