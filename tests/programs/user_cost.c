/* user_cost: the price of user events.
 *
 * usage: user_cost [events [bytes]]      default: 1000000, 0
 *
 * Facts: the main thread logs `events` events TRCHKL5 of hook 010, or, with bytes, TRCGEN of so many of hook 011. Prints
 * "event_ns X": CPU time of the thread for one event. */
#include "../../include/sys/trchkid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
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
	free(buffer);
	return 0;
}
