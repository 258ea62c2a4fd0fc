/* rhythm: a program that keeps time with its own CPU clock: 3 ms in `long_part`, 1 ms in
 * `short_part`, and again.
 *
 * usage: rhythm SECONDS */
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#define PART(name) \
	static __attribute__((noinline)) void name(double end) \
	{ \
		do \
			for (volatile int i = 0; i < 1000; i++) \
				continue; \
		while (now() < end); \
	}
PART(long_part)
PART(short_part)

int main(int argc, char **argv)
{
	double at = now(), end = at + (argc > 1 ? atof(argv[1]) : 1);

	for (; at < end; at += 4e-3) {
		long_part(at + 3e-3);
		short_part(at + 4e-3);
	}
	return 0;
}
