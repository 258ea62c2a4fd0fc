/* handled: a signal handler that does work. Facts: main raises SIGUSR1 in ask, and handle, its
 * handler, allocates 3 blocks of 100 bytes in keep, which stay. Between handle and raise is the
 * frame of the signal, which has no function of the program. */
#include <signal.h>
#include <stdlib.h>

static void *volatile kept[3];

static __attribute__((noinline)) void keep(void)
{
	for (int i = 0; i < 3; i++)
		kept[i] = malloc(100);
}

static __attribute__((noinline)) void handle(int signal)
{
	(void)signal;
	keep();
	__asm__ volatile(""); /* no tail call */
}

static __attribute__((noinline)) int ask(void)
{
	int failed = raise(SIGUSR1);

	__asm__ volatile("");
	return failed;
}

int main(void)
{
	return signal(SIGUSR1, handle) == SIG_ERR || ask() != 0;
}
