/* lock_jump: a signal handler jumps out of a wait for a lock, by each function that can. After each
 * jump the thread sleeps 120 ms.
 *
 * Facts: prints "siglongjmp whole", "longjmp whole" and "_longjmp whole" if no sleep was cut short;
 * else "cut" and the errno value. The lock is never free. The timer of a wait that begins here and
 * lasts 60 ms or more would expire in the sleep, as the jump comes after 30 ms. */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

enum { JUMP_US = 30000, SLEEP_NS = 120000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static sigjmp_buf back;
static const char *name;

static void *hold(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&held);
	pthread_barrier_wait(&held);
	return unused;
}

__attribute__((noinline)) static void wait_here(void)
{
	const struct itimerval once = {.it_value = {.tv_usec = JUMP_US}};

	setitimer(ITIMER_REAL, &once, NULL);
	pthread_mutex_lock(&lock);
}

static void sleep_whole(void)
{
	const struct timespec time = {.tv_nsec = SLEEP_NS};
	int result = nanosleep(&time, NULL);

	if (result == 0)
		printf("%s whole\n", name);
	else
		printf("%s cut %d\n", name, errno);
}

#define JUMP(function) \
	static void function##_back(int number) \
	{ \
		(void)number; \
		function(back, 1); \
	} \
	static void by_##function(void) \
	{ \
		struct sigaction action = {.sa_handler = function##_back, .sa_flags = SA_NODEFER}; \
\
		name = #function; \
		sigaction(SIGALRM, &action, NULL); \
		if (sigsetjmp(back, 1) == 0) \
			wait_here(); \
		sleep_whole(); \
	}
JUMP(siglongjmp)
JUMP(longjmp)
JUMP(_longjmp)

int main(void)
{
	pthread_t holder;
	sigset_t alarm, old;

	pthread_barrier_init(&held, NULL, 2);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &old);
	pthread_create(&holder, NULL, hold, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_barrier_wait(&held);
	by_siglongjmp();
	by_longjmp();
	by__longjmp();
	pthread_barrier_wait(&held);
	pthread_join(holder, NULL);
	return 0;
}
