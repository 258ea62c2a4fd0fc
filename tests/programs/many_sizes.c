/* many_sizes.c: blocks and calls of many sizes from the same places within a few ms, first by a
 * thread "small", then by a thread "large".
 *
 *   many_sizes FILE   which is made
 *
 * small: from one line 300 blocks of 1 to 300 bytes, of which every third is never freed, and the
 * others are 5 ms later; writes of 1 to 60 bytes to FILE, reads of as many from it; 7 reads of no
 * descriptor. large: the same with sizes 50 times as large, and 2 files that are not there. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 300, CALLS = 60, FAILURES = 7, LARGE = 50 };

static const char *name;
static void *volatile kept[2 * BLOCKS];

__attribute__((noinline)) static void *take(size_t size)
{
	return malloc(size);
}

static void pause_ms(long ms)
{
	const struct timespec pause = {.tv_nsec = ms * 1000000};

	nanosleep(&pause, NULL);
}

static void use_blocks(size_t factor, size_t first)
{
	for (size_t i = 0; i < BLOCKS; i++)
		kept[first + i] = take((i + 1) * factor);
	pause_ms(5);
	for (size_t i = 0; i < BLOCKS; i++)
		if (i % 3 != 0) {
			free(kept[first + i]);
			kept[first + i] = NULL;
		}
}

static void use_file(size_t factor)
{
	static char text[CALLS * LARGE];
	int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);

	for (size_t i = 0; i < CALLS; i++)
		if (write(fd, text, (i + 1) * factor) < 0)
			exit(1);
	lseek(fd, 0, SEEK_SET);
	for (size_t i = 0; i < CALLS; i++)
		if (read(fd, text, (i + 1) * factor) < 0)
			exit(1);
	for (size_t i = 0; i < FAILURES; i++)
		if (read(-1, text, factor) >= 0)
			exit(1);
	close(fd);
}

static void *small(void *unused)
{
	pthread_setname_np(pthread_self(), "small");
	use_blocks(1, 0);
	use_file(1);
	return unused;
}

static void *large(void *unused)
{
	pthread_setname_np(pthread_self(), "large");
	use_blocks(LARGE, BLOCKS);
	use_file(LARGE);
	if (open("/missing/1", O_RDONLY) >= 0 || open("/missing/2", O_RDONLY) >= 0)
		exit(1);
	return unused;
}

static void run(void *(*what)(void *))
{
	pthread_t thread;

	pause_ms(100);
	if (pthread_create(&thread, NULL, what, NULL) != 0)
		exit(1);
	pthread_join(thread, NULL);
	pause_ms(100);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	name = argv[1];
	run(small);
	run(large);
	return 0;
}
