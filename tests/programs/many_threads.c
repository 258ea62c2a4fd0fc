/* many_threads: threads that live at the same time, each with a few events, and what they cost.
 *
 * usage: many_threads COUNT [SPIN-MS]
 *
 * Facts: COUNT threads with stacks of 64 KiB each allocate and free one block of 100 bytes in
 * `work`, lock and unlock one mutex, open and close /dev/null, and wait until all are to end. Then
 * 200 more are made and joined one by one, which do the same without waiting. The main thread
 * counts rounds of a loop for SPIN-MS of its CPU time. It prints, a line each: "created N",
 * "create_us X" (CPU time of the process for each thread), "mappings N" and "resident_kb N" (of the
 * process while all live), "churn_us X" (CPU time of one of the 200); with SPIN-MS, "round_ns X"
 * (of the loop), and in how much of its CPU time the loop stood still for more than 50 us:
 * "stood_percent X", "longest_ms X". Exit status 0, or 1 if a thread cannot be made. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHURN = 200, STILL_US = 50 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t are_done, may_end;
static void *volatile kept;

__attribute__((noinline)) static void work(void)
{
	void *block = malloc(100);

	kept = block;
	free(block);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	close(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static void *work_and_wait(void *unused)
{
	work();
	sem_post(&are_done);
	while (sem_wait(&may_end) != 0)
		continue;
	return unused;
}

static void *work_and_end(void *unused)
{
	work();
	return unused;
}

static double cpu_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	int count = 0, c;

	while (file && (c = fgetc(file)) != EOF)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "VmRSS:", 6) == 0)
			kb = atol(line + 6);
	if (file)
		fclose(file);
	return kb;
}

static void spin(double us)
{
	double start = cpu_us(CLOCK_THREAD_CPUTIME_ID), now = start, stood = 0, longest = 0;
	long rounds = 0;

	do {
		double before = now;

		for (volatile int i = 0; i < 1000; i++)
			continue;
		rounds++;
		now = cpu_us(CLOCK_THREAD_CPUTIME_ID);
		if (now - before > STILL_US)
			stood += now - before;
		if (now - before > longest)
			longest = now - before;
	} while (now < start + us);
	printf("round_ns %.1f\nstood_percent %.3f\nlongest_ms %.3f\n",
	       (now - start) * 1e3 / (double)rounds, 100 * stood / us, longest / 1e3);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100, made;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads)), one;
	double start = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
	pthread_attr_t attributes;

	if (!threads)
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (made = 0; made < count; made++)
		if (pthread_create(&threads[made], &attributes, work_and_wait, NULL) != 0)
			break;
	for (int i = 0; i < made; i++)
		while (sem_wait(&are_done) != 0)
			continue;
	printf("created %d\ncreate_us %.2f\n", made,
	       (cpu_us(CLOCK_PROCESS_CPUTIME_ID) - start) / made);
	printf("mappings %d\nresident_kb %ld\n", count_mappings(), resident_kb());
	start = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < CHURN; i++)
		if (pthread_create(&one, &attributes, work_and_end, NULL) == 0)
			pthread_join(one, NULL);
	printf("churn_us %.2f\n", (cpu_us(CLOCK_PROCESS_CPUTIME_ID) - start) / CHURN);
	if (argc > 2)
		spin(atof(argv[2]) * 1000);
	for (int i = 0; i < made; i++)
		sem_post(&may_end);
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return made < count;
}
