/* ft_signals.c: traced calls in signal handlers that interrupt traced calls, in two threads.
 * Compiled for function tracing.
 *
 *     ft_signals SECONDS [jump]
 *
 * Prints how often busy and in_handler were called. With `jump`, every 16th handler does not
 * return, but leaves by longjmp. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define PLAIN __attribute__((no_instrument_function, xray_never_instrument))
#else
#define PLAIN __attribute__((no_instrument_function))
#endif
enum { THREADS = 2 };

static _Atomic long busy_calls, handler_calls;
static __thread sigjmp_buf back;
static __thread volatile long mine;
static int is_jumping;
static double seconds;

__attribute__((noinline)) void busy(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void in_handler(void)
{
	__asm__ volatile("");
}

PLAIN static void on_timer(int signal)
{
	(void)signal;
	for (int i = 0; i < 3; i++)
		in_handler();
	handler_calls += 3;
	if (is_jumping && ++mine % 16 == 0)
		siglongjmp(back, 1);
}

PLAIN static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

PLAIN static void start_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec period = {{0, 50000}, {0, 50000}};
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &period, NULL) != 0)
		exit(1);
}

/* A call that a jump cuts short was counted when it began. */
PLAIN static void *work(void *unused)
{
	volatile double end = now() + seconds;
	static __thread volatile long calls;

	start_timer();
	sigsetjmp(back, 1);
	while (now() < end)
		for (int i = 0; i < 1000; i++) {
			calls++;
			busy();
		}
	signal(SIGUSR1, SIG_IGN);
	busy_calls += calls;
	return unused;
}

PLAIN int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_timer};
	pthread_t threads[THREADS];

	seconds = argc > 1 ? atof(argv[1]) : 0.5;
	is_jumping = argc > 2 && strcmp(argv[2], "jump") == 0;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("busy %ld\nin_handler %ld\n", busy_calls, handler_calls);
	return 0;
}
