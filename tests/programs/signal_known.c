/* signal_known: waits for a condition variable, a semaphore and a C11 condition, which another
 * thread ends by a signal. Facts: main waits 0.2 s in wait_for_cond, until signaller has slept in
 * prepare and calls pthread_cond_broadcast in give_cond (line 24); then 0.2 s in wait_for_sem, for
 * sem_post in give_sem (line 31); then 0.2 s in wait_for_c11, for cnd_signal in give_c11 (line 39);
 * then 0.1 s in pthread_cond_timedwait, in wait_too_short, which nobody ends. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static mtx_t c11_mutex;
static cnd_t c11_cond;
static int is_given, is_c11_given;

static __attribute__((noinline)) void give_cond(void)
{
	pthread_mutex_lock(&mutex);
	is_given = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void give_sem(void)
{
	__asm__("");
	sem_post(&semaphore);
	__asm__("");
}

static __attribute__((noinline)) void give_c11(void)
{
	mtx_lock(&c11_mutex);
	is_c11_given = 1;
	cnd_signal(&c11_cond);
	mtx_unlock(&c11_mutex);
}

static __attribute__((noinline)) void prepare(void)
{
	usleep(200000);
	__asm__("");
}

static void *signaller(void *nothing)
{
	prepare();
	give_cond();
	prepare();
	give_sem();
	prepare();
	give_c11();
	return nothing;
}

static __attribute__((noinline)) void wait_for_cond(void)
{
	pthread_mutex_lock(&mutex);
	while (!is_given)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void wait_for_sem(void)
{
	sem_wait(&semaphore);
	__asm__("");
}

static __attribute__((noinline)) void wait_for_c11(void)
{
	mtx_lock(&c11_mutex);
	while (!is_c11_given)
		cnd_wait(&c11_cond, &c11_mutex);
	mtx_unlock(&c11_mutex);
}

static __attribute__((noinline)) void wait_too_short(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += 100000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&cond, &mutex, &end) == 0)
		;
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_cond);
	pthread_create(&thread, NULL, signaller, NULL);
	pthread_setname_np(thread, "signaller");
	wait_for_cond();
	wait_for_sem();
	wait_for_c11();
	wait_too_short();
	pthread_join(thread, NULL);
	cnd_broadcast(&c11_cond); /* nobody waits */
	return 0;
}
