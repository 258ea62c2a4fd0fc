/* waits_known: each kind of wait, and of input and output, a few times.
 *
 * usage: waits_known [DIRECTORY]      default: waits.d, which it makes and removes
 *
 * Facts: the main thread and one that it makes ("the other") take turns; each wait lasts 5 ms, as
 * long as the other thread sleeps.
 *   do_mutex      the other locks a held mutex: 5 ms; 3 locks of a free one; 1 trylock that fails,
 *                 1 timedlock that ends after 5 ms
 *   do_rwlock     the other locks for reading, while held for writing: 5 ms; 1 for writing, free
 *   do_cond       the other waits for a condition: 5 ms, or more often and shorter
 *   do_semaphore  the other waits for a semaphore: 5 ms; 1 trywait that fails
 *   do_barrier    both meet once: the main thread waits 5 ms; do_spin: 2 free locks by the other
 *   join          the main thread waits for the other's end: 5 ms
 * Then, in the main thread: use_file: open, write 10 x 7, pwrite 16, pread 8 at 4, lseek, read 10,
 * fsync, close; open fails with ENOENT, read with EBADF. use_stream: fopen, fputs 3 x 5, fclose;
 * fopen, fgets 3 x 5, 1 at the end, fclose. use_pair: a pipe: write 5, read 5; a socket pair: send
 * 2 x 9, recv 2 x 9; 4 x close. use_names: mkdir before all that; access fails with ENOENT, stat,
 * unlink twice, rmdir. It exits with 0 if all calls return what they should. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MUST(what) \
	do { \
		if (!(what)) \
			_exit(1); \
	} while (0)
#define MUST_FAIL(what, error) MUST((what) && errno == (error))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int is_open;
static const char *directory;

static void rest(void)
{
	struct timespec time = {.tv_nsec = 5000000};

	nanosleep(&time, NULL);
}

static NOINLINE void do_mutex(void)
{
	struct timespec soon;

	pthread_mutex_lock(&mutex);
	MUST(pthread_mutex_trylock(&mutex) == EBUSY);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 5000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	MUST(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static NOINLINE void do_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static NOINLINE void do_cond(void)
{
	pthread_mutex_lock(&gate);
	while (!is_open)
		pthread_cond_wait(&opened, &gate);
	pthread_mutex_unlock(&gate);
}

static NOINLINE void do_semaphore(void)
{
	MUST_FAIL(sem_trywait(&semaphore) == -1, EAGAIN);
	MUST(sem_wait(&semaphore) == 0);
}

static NOINLINE void do_barrier(void)
{
	pthread_barrier_wait(&meeting);
}

static NOINLINE void do_spin(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
	}
}

static void *other(void *unused)
{
	do_mutex();
	do_rwlock();
	do_cond();
	do_semaphore();
	rest();
	do_barrier();
	do_spin();
	rest();
	return unused;
}

/* What the other thread waits for. */
static NOINLINE void run_threads(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	pthread_create(&thread, NULL, other, NULL);
	rest();
	pthread_mutex_unlock(&mutex);
	rest();
	rest();
	pthread_rwlock_unlock(&rwlock);
	rest();
	pthread_mutex_lock(&gate);
	is_open = 1;
	pthread_cond_signal(&opened);
	pthread_mutex_unlock(&gate);
	rest();
	sem_post(&semaphore);
	do_barrier();
	pthread_join(thread, NULL);
}

static NOINLINE void use_file(const char *path)
{
	char buffer[16] = "0123456789abcde";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 10; i++)
		MUST(write(fd, buffer, 7) == 7);
	MUST(pwrite(fd, buffer, 16, 0) == 16);
	MUST(pread(fd, buffer, 8, 4) == 8);
	MUST(lseek(fd, 0, SEEK_SET) == 0);
	MUST(read(fd, buffer, 10) == 10);
	MUST(fsync(fd) == 0);
	MUST(close(fd) == 0);
	MUST_FAIL(open("/nowhere/at/all", O_RDONLY) == -1, ENOENT);
	MUST_FAIL(read(-1, buffer, 10) == -1, EBADF);
}

static NOINLINE void use_stream(const char *path)
{
	FILE *stream = fopen(path, "w");
	char buffer[16];

	for (int i = 0; i < 3; i++)
		MUST(fputs("abcd\n", stream) >= 0);
	fclose(stream);
	stream = fopen(path, "r");
	for (int i = 0; i < 3; i++)
		MUST(fgets(buffer, sizeof(buffer), stream) != NULL);
	MUST(!fgets(buffer, sizeof(buffer), stream));
	fclose(stream);
}

static NOINLINE void use_pair(void)
{
	int pipes[2], sockets[2];
	char buffer[16] = "123456789";

	MUST(pipe(pipes) == 0);
	MUST(write(pipes[1], buffer, 5) == 5);
	MUST(read(pipes[0], buffer, sizeof(buffer)) == 5);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	for (int i = 0; i < 2; i++) {
		MUST(send(sockets[0], buffer, 9, 0) == 9);
		MUST(recv(sockets[1], buffer, 9, 0) == 9);
	}
	for (int i = 0; i < 2; i++) {
		MUST(close(pipes[i]) == 0);
		MUST(close(sockets[i]) == 0);
	}
}

static NOINLINE void use_names(void)
{
	char file[256], stream[256];
	struct stat status;

	snprintf(file, sizeof(file), "%s/file", directory);
	snprintf(stream, sizeof(stream), "%s/stream", directory);
	MUST(mkdir(directory, 0700) == 0);
	use_file(file);
	use_stream(stream);
	use_pair();
	MUST_FAIL(access("/nowhere/at/all", R_OK) == -1, ENOENT);
	MUST(stat(file, &status) == 0 && status.st_size == 70);
	MUST(unlink(file) == 0);
	MUST(unlink(stream) == 0);
	MUST(rmdir(directory) == 0);
}

int main(int argc, char **argv)
{
	directory = argc > 1 ? argv[1] : "waits.d";
	pthread_barrier_init(&meeting, NULL, 2);
	pthread_spin_init(&spin, 0);
	sem_init(&semaphore, 0, 0);
	run_threads();
	use_names();
	return 0;
}
