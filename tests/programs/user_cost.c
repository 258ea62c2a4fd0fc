/* user_cost: the costs of user events.
 *
 * usage: user_cost [events [bytes [file]]]      default: 1000000, 0
 *
 * Facts: the main thread logs `events` events TRCHKL5 of hook 010 or, with `bytes`, events TRCGEN
 * of that size of hook 011. Prints "event_ns X": CPU time of the thread for one event. With a file
 * it also copies the bytes as often into a mapping of that file, new and with its space reserved,
 * 256 KiB at a time, and prints "copy_ns X". */
#include "include/sys/trchkid.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAPPED = 256 * 1024 };

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The least that any recorder must do: copy the bytes into a file. */
static double copy(const char *name, long events, size_t bytes, const char *buffer)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	double start = now_ns();
	size_t used = MAPPED;
	off_t end = 0;
	char *map = NULL;

	for (long i = 0; fd >= 0 && i < events; i++) {
		if (used + bytes > MAPPED) {
			if (map)
				munmap(map, MAPPED);
			if (posix_fallocate(fd, end, MAPPED) != 0)
				break;
			map = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, end);
			if (map == MAP_FAILED)
				break;
			end += MAPPED;
			used = 0;
		}
		memcpy(map + used, buffer, bytes);
		used += bytes;
	}
	close(fd);
	return (now_ns() - start) / (double)events;
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 1000000;
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	char *buffer = calloc(1, bytes + 1);
	double start;

	if (!buffer)
		return 1;
	memset(buffer, 'x', bytes);
	start = now_ns();
	for (long i = 0; i < events; i++) {
		if (bytes)
			TRCGEN(0, 0x01100000, i, bytes, buffer);
		else
			TRCHKL5(HKWD_USER1 | 1, i, &i, buffer, events, 5);
	}
	printf("event_ns %.1f\n", (now_ns() - start) / (double)events);
	if (argc > 3)
		printf("copy_ns %.1f\n", copy(argv[3], events, bytes, buffer));
	free(buffer);
	return 0;
}
