/* open_waits: waits that never end.
 *
 * usage: open_waits deadlock|exit|left|beside
 *
 * Facts: "deadlock": the threads of take_ab and take_ba each hold one of the mutexes a and b, and
 * wait for the other; a third one waits for the semaphore s in wait_s, and the main thread waits
 * for the first one's end in join_first. Prints "waiting" once all but the last wait, and lasts
 * until it is killed. "exit": a thread waits for a condition in wait_c, and the main thread exits
 * with 0 after 100 ms. "left": a thread leaves its wait for a semaphore in leave_s by a jump out of
 * a signal handler, and ends; then another one waits for s in wait_s, gets it, and ends. No wait is
 * open at the end. Prints "left 1". "beside": a thread waits in wait_s for ever, and then the
 * main thread uses 0.6 s of CPU time and kills the process. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t s;
static sigjmp_buf out;
static int is_set; /* out has been */
static volatile int left;

static NOINLINE void *take_ab(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	return unused;
}

static NOINLINE void *take_ba(void *unused)
{
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	return unused;
}

static NOINLINE void *wait_s(void *unused)
{
	sem_wait(&s);
	left++; /* no tail call */
	return unused;
}

static NOINLINE void *wait_c(void *unused)
{
	pthread_mutex_lock(&a);
	for (;;)
		pthread_cond_wait(&c, &a);
	return unused;
}

static NOINLINE void join_first(pthread_t thread)
{
	pthread_join(thread, NULL);
	left++;
}

static int deadlock(void)
{
	pthread_t thread[3];

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread[0], NULL, take_ab, NULL);
	pthread_create(&thread[1], NULL, take_ba, NULL);
	pthread_create(&thread[2], NULL, wait_s, NULL);
	usleep(200000);
	puts("waiting");
	fflush(stdout);
	join_first(thread[0]);
	return 1;
}

static void jump(int signal)
{
	siglongjmp(out, signal);
}

static NOINLINE void *leave_s(void *unused)
{
	if (sigsetjmp(out, 1) != 0) {
		left++;
		return unused;
	}
	__atomic_store_n(&is_set, 1, __ATOMIC_RELEASE);
	sem_wait(&s);
	return unused;
}

static int leave(void)
{
	struct sigaction action = {.sa_handler = jump};
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, leave_s, NULL);
	while (!__atomic_load_n(&is_set, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(100000);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	printf("left %d\n", left);
	pthread_create(&thread, NULL, wait_s, NULL);
	usleep(100000);
	sem_post(&s);
	pthread_join(thread, NULL);
	return 0;
}

static volatile int has_begun;

static void *begin_and_wait_s(void *unused)
{
	has_begun = 1;
	return wait_s(unused);
}

static int work_beside(void)
{
	pthread_t thread;
	clock_t start;

	pthread_create(&thread, NULL, begin_and_wait_s, NULL);
	while (!has_begun)
		usleep(1000);
	start = clock();
	while (clock() - start < 6 * CLOCKS_PER_SEC / 10)
		continue;
	kill(getpid(), SIGKILL);
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return 2;
	sem_init(&s, 0, 0);
	if (strcmp(argv[1], "deadlock") == 0)
		return deadlock();
	if (strcmp(argv[1], "beside") == 0)
		return work_beside();
	if (strcmp(argv[1], "left") == 0)
		return leave();
	pthread_create(&thread, NULL, wait_c, NULL);
	usleep(100000);
	return 0;
}
