/* halves.c: two threads, one after the other, each with blocks, a lock and a file of its own. What
 * happened in the first half is what the thread "early" did.
 *
 *   halves EARLY LATE   names of files, which are made
 *
 * early: allocates 10 blocks of 1,000 bytes that are never freed, 5 of 300 that `late` frees, and
 * 100 of 77 that it frees itself; waits for early_lock; writes 10 times 100 bytes. late: 3
 * blocks of 2,000 bytes that are never freed; waits for late_lock; writes 20 times 50 bytes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEAKED = 10, HANDED = 5, SHORT = 100 };

static pthread_mutex_t early_lock = PTHREAD_MUTEX_INITIALIZER,
		       late_lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile leaked[LEAKED + 3], *handed[HANDED];
static const char *names[2];

__attribute__((noinline)) static void *leak_early(void)
{
	return malloc(1000);
}
__attribute__((noinline)) static void *leak_late(void)
{
	return malloc(2000);
}
__attribute__((noinline)) static void *hand_over(void)
{
	return malloc(300);
}
__attribute__((noinline)) static void *use_shortly(void)
{
	return malloc(77);
}

static void wait_for(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
}

static void write_to(const char *name, int times, size_t size)
{
	static const char text[100];
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	for (int i = 0; i < times; i++)
		if (write(fd, text, size) != (ssize_t)size)
			exit(1);
	close(fd);
}

static void *early(void *unused)
{
	pthread_setname_np(pthread_self(), "early");
	for (int i = 0; i < LEAKED; i++)
		leaked[i] = leak_early();
	for (int i = 0; i < HANDED; i++)
		handed[i] = hand_over();
	for (int i = 0; i < SHORT; i++) {
		void *volatile block = use_shortly();

		free(block);
	}
	wait_for(&early_lock);
	write_to(names[0], 10, 100);
	return unused;
}

static void *late(void *unused)
{
	pthread_setname_np(pthread_self(), "late");
	for (int i = 0; i < HANDED; i++)
		free(handed[i]);
	for (int i = 0; i < 3; i++)
		leaked[LEAKED + i] = leak_late();
	wait_for(&late_lock);
	write_to(names[1], 20, 50);
	return unused;
}

/* Run a thread while main holds its lock for 40 ms. */
static void run(void *(*function)(void *), pthread_mutex_t *lock)
{
	pthread_t thread;

	pthread_mutex_lock(lock);
	if (pthread_create(&thread, NULL, function, NULL) != 0)
		exit(1);
	usleep(40000);
	pthread_mutex_unlock(lock);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	names[0] = argv[1];
	names[1] = argv[2];
	run(early, &early_lock);
	usleep(20000);
	run(late, &late_lock);
	return 0;
}
