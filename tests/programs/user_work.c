/* user_work: threads that work on jobs and log user events, for templates and exact counts.
 *
 * usage: user_work [threads [jobs [pause]]]      default: 3, 4; "pause": events of the second half
 * of the jobs are switched off
 *
 * Facts, for each of the threads (numbered from 1) and each of its `jobs` jobs j = 0 ...: hook 020,
 * sub-id 1: the job begins: D1 = 1000 * thread + j, D2 = flags: 1 first job, 2 last job, 4 odd
 * thread; hook 021: generic, the text "job <D1>", D1 as above; hook 022: D1 = the double 0.5 * j,
 * D2 = the errno value ENOENT; hook 023, sub-id = thread: D1 = j, D2 = address of the function
 * work; hook 020, sub-id 2: the job ends: D1 as above. At the end, in the main thread: one event of
 * hook 024 without data, and on channel 3 a generic one of the same hook.
 * tests/programs/user_work.trc has the templates. */
#include "include/sys/trchkid.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 16 };

static int jobs = 4;
static int pauses;

void *work(void *number)
{
	long thread = (long)number;

	for (int j = 0; j < jobs; j++) {
		unsigned long flags = (j == 0 ? 1 : 0) | (j == jobs - 1 ? 2 : 0) |
		                      (thread % 2 ? 4 : 0);
		long id = 1000 * thread + j;
		double half = 0.5 * j;
		unsigned long bits;
		char text[32];

		if (pauses && j == jobs / 2)
			trcoff(0);
		TRCHKL2(HKWD_USER2 | 1, id, flags);
		TRCGEN(0, 0x02100000, id, snprintf(text, sizeof(text), "job %ld", id), text);
		memcpy(&bits, &half, sizeof(bits));
		TRCHKL2(0x02200000, bits, ENOENT);
		TRCHKL2T(0x02300000 + thread, j, work);
		usleep(1000);
		TRCHKL1(HKWD_USER2 | 2, id);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t made[THREADS_MAX];

	if (argc > 2)
		jobs = atoi(argv[2]);
	pauses = argc > 3;
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		pthread_create(&made[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(made[i], NULL);
	if (pauses)
		trcon(0);
	TRCHKL0(0x02400000);
	TRCGEN(3, 0x02400001, 1, 5, "three");
	printf("on %d\n", trc_ishookon(0, HKWD_USER2));
	return 0;
}
