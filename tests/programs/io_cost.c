/* io_cost: the costs of reading and writing one byte.
 *
 * usage: io_cost [rounds]      default: 300000
 *
 * Facts: each round writes one byte to a pipe and reads it back. Prints "call_ns X": CPU time of
 * one of the two calls. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 300000;
	struct timespec now;
	char byte = 0;
	int ends[2];

	if (pipe(ends) < 0)
		return 1;
	for (long i = 0; i < rounds; i++)
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("call_ns %.1f\n",
	       ((double)now.tv_sec * 1e9 + (double)now.tv_nsec) / (double)rounds / 2);
	return 0;
}
