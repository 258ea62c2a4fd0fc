/* ft_known.c: known calls. Compiled for function tracing; prints the count of each function.
 *
 *     ft_known THREADS ROUNDS
 *
 * In each of THREADS threads: worker once, middle ROUNDS times, each calling leaf 3 times and odd
 * once if the round is odd; fib(10) once, which is 177 calls of fib. With -DEVENTS (clang,
 * -fxray-instrument -fnoxray-link-deps) each call of middle emits a custom event "hello", each call
 * of odd a typed one (type 7) "abc". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define PLAIN \
	__attribute__((no_instrument_function, xray_never_instrument, patchable_function_entry(0)))
#define LOGGED __attribute__((noinline, xray_always_instrument, xray_log_args(1)))
#define WHOLE __attribute__((noinline, optnone)) /* without this, recursion becomes a loop */
#else
#define LOGGED __attribute__((noinline))
#define WHOLE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function, patchable_function_entry(0)))
#endif

#ifdef EVENTS
/* The code that the compiler emits calls these: LLVM's runtime is not needed. */
PLAIN void __xray_CustomEvent(void);
PLAIN void __xray_TypedEvent(void);
void __xray_CustomEvent(void)
{
}
void __xray_TypedEvent(void)
{
}
#define CUSTOM_EVENT() __xray_customevent("hello", 5)
#define TYPED_EVENT() __xray_typedevent(7, "abc", 3)
#else
#define CUSTOM_EVENT() ((void)0)
#define TYPED_EVENT() ((void)0)
#endif

static long rounds;
static volatile long sink;

__attribute__((noinline)) void leaf(void)
{
	sink++;
}

__attribute__((noinline)) void odd(void)
{
	sink += 2;
	TYPED_EVENT();
}

LOGGED void middle(long round)
{
	CUSTOM_EVENT();
	for (int i = 0; i < 3; i++)
		leaf();
	if (round % 2)
		odd();
}

WHOLE int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) void *worker(void *unused)
{
	for (long i = 0; i < rounds; i++)
		middle(i);
	sink += fib(10);
	return unused;
}

PLAIN int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[64];

	rounds = argc > 2 ? atol(argv[2]) : 1000;
	for (int i = 0; i < count && i < 64; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < count && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("worker %d\nmiddle %ld\nleaf %ld\nodd %ld\nfib %d\n", count, count * rounds,
	       count * rounds * 3, count * (rounds / 2), count * 177);
	return 0;
}
