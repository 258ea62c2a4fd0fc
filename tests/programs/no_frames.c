/* A stack of known depth in code without frame pointers, whose register serves as a counter: main
 * calls outer, outer calls middle, middle calls hot_a and hot_b alternately, which do the same
 * work. Argument: how many thousand turns, by default 100; with "thread" before it, all of that is
 * in a second thread, from begin_thread on. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

#define HOT(name) \
	static __attribute__((noinline, noclone)) uint64_t name(uint64_t x) \
	{ \
		for (int i = 0; i < 2000; i++) \
			x = x * UINT64_C(6364136223846793005) + 1442695040888963407; \
		sink = x; \
		return x; \
	}
HOT(hot_a)
HOT(hot_b)

static __attribute__((noinline, noclone)) uint64_t middle(uint64_t turns)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;

	for (uint64_t i = 0; i < turns; i++) {
		a = hot_a(a + f);
		b += a ^ e;
		c = hot_b(c + b);
		d += c;
		e ^= d;
		f += e;
	}
	return a + b + c + d + e + f;
}

static __attribute__((noinline, noclone)) uint64_t outer(uint64_t turns)
{
	return middle(turns) + 1;
}

static __attribute__((noinline, noclone)) void *begin_thread(void *turns)
{
	sink = outer(*(uint64_t *)turns);
	return NULL;
}

int main(int argc, char **argv)
{
	int in_thread = argc > 1 && strcmp(argv[1], "thread") == 0;
	uint64_t turns = (argc > 1 + in_thread ? strtoull(argv[1 + in_thread], NULL, 10) : 100) *
	                 1000;
	pthread_t thread;

	if (in_thread) {
		if (pthread_create(&thread, NULL, begin_thread, &turns) != 0)
			return 1;
		pthread_join(thread, NULL);
	} else {
		sink = outer(turns);
	}
	printf("%d\n", sink != 0);
	return 0;
}
