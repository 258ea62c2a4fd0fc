/* ft_attached.c: traced calls in a process that was already running. Compiled for function tracing.
 *
 *     ft_attached GO DONE
 *
 * Two threads call turn all the time. Three times, once the file GO exists: known is called 1000
 * times, each calling leaf 3 times and, every second time, known_odd once; then DONE is created,
 * and removed when GO is gone. Prints "right" if all calls did their work. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define PLAIN __attribute__((no_instrument_function, xray_never_instrument))
#else
#define PLAIN __attribute__((no_instrument_function))
#endif

enum { ROUNDS = 3, CALLS = 1000, WAITS = 6000 };

static volatile long leaves, odds;
static volatile int stop;

__attribute__((noinline)) long turn(long value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

__attribute__((noinline)) void leaf(void)
{
	leaves++;
}

__attribute__((noinline)) void known_odd(void)
{
	odds++;
}

__attribute__((noinline)) void known(long number)
{
	for (int i = 0; i < 3; i++)
		leaf();
	if (number % 2)
		known_odd();
}

/* At most about a thousand calls a millisecond, so that the trace stays small. */
PLAIN static void *run(void *wrong)
{
	for (long i = 0; !stop; i++) {
		if (turn(i) != i + 1)
			*(long *)wrong += 1;
		if (i % 1000 == 999)
			usleep(1000);
	}
	return NULL;
}

PLAIN static void wait_until(const char *path, int is_there)
{
	for (int i = 0; i < WAITS && (access(path, F_OK) == 0) != is_there; i++)
		usleep(10000);
}

PLAIN int main(int argc, char **argv)
{
	static long wrong[2];
	pthread_t threads[2];

	if (argc != 3)
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &wrong[i]);
	for (int round = 0; round < ROUNDS; round++) {
		wait_until(argv[1], 1);
		for (long i = 0; i < CALLS; i++)
			known(i);
		close(open(argv[2], O_CREAT | O_WRONLY, 0644));
		wait_until(argv[1], 0);
		unlink(argv[2]);
	}
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts(!wrong[0] && !wrong[1] && leaves == ROUNDS * CALLS * 3 && odds == ROUNDS * CALLS / 2
	             ? "right"
	             : "wrong");
	return 0;
}
