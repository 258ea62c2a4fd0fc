/* ft_stepped.c: calls that stepper.c interrupts at every instruction. Compiled for function
 * tracing.
 *
 *     stepper ft_stepped
 *
 * Calls outer ROUNDS times, each calling inner twice. Each interruption calls in_handler once, and
 * walks the stack. Exits 0, or 1 if a result was wrong; prints "function count", and to stderr
 * "astray N": how many walks did not lead to main with at most one call of stepped on the way. */
#include <signal.h>
#include <stdio.h>
#include <unwind.h>

#define PLAIN __attribute__((no_instrument_function, patchable_function_entry(0)))
#define MARK(number) __asm__ volatile("int3" : : "a"(number) : "memory")

enum { ROUNDS = 2 };

static volatile long handled, astray, sink;

__attribute__((noinline)) int inner(int x)
{
	sink += x;
	return x + 1;
}

__attribute__((noinline)) int outer(int x)
{
	return inner(x) + inner(x + 1);
}

__attribute__((noinline)) void in_handler(void)
{
	handled++;
}

PLAIN __attribute__((noinline)) int stepped(int rounds)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += outer(i);
	return sum;
}

int main(void);

struct seen {
	int mains, stepped, all;
};

PLAIN static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument)
{
	struct seen *seen = argument;
	void *function = _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));

	seen->mains += function == (void *)main;
	seen->stepped += function == (void *)stepped;
	return ++seen->all < 100 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

PLAIN static void handler(int signal)
{
	struct seen seen = {0, 0, 0};

	(void)signal;
	in_handler();
	_Unwind_Backtrace(note, &seen);
	if (seen.mains != 1 || seen.stepped > 1)
		astray++;
	MARK(2);
}

PLAIN int main(void)
{
	int sum;

	signal(SIGUSR1, handler);
	sum = stepped(ROUNDS); /* work that happens only once is done here */
	in_handler();
	MARK(1);
	sum += stepped(ROUNDS);
	MARK(3);
	printf("outer %d\ninner %d\nin_handler %ld\n", 2 * ROUNDS, 4 * ROUNDS, handled);
	fprintf(stderr, "astray %ld\n", astray);
	return sum != 2 * (ROUNDS * (ROUNDS - 1) + 3 * ROUNDS);
}
