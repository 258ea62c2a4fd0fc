/* ft_faults: a little of everything that is recorded, for runs with failing calls of the recorder.
 *
 * usage: ft_faults [child]
 *
 * Facts: `work` is called 5 times (by main, two threads, a forked child and a spawned child, which
 * is this program with "child") and allocates 100 blocks of 48 bytes each time. The program leaves
 * a file "left" of 3 lines, prints the result of each step on standard output, with errno and the
 * descriptors below 100, and exits with 7. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static void *volatile kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void work(void)
{
	struct timespec begin, now;

	for (int i = 0; i < 100; i++)
		kept = malloc(48);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 5000000);
}

static void *thread(void *unused)
{
	pthread_mutex_lock(&lock);
	work();
	pthread_mutex_unlock(&lock);
	return unused;
}

static void put_line(const char *line)
{
	int fd = open("left", O_WRONLY | O_CREAT | O_APPEND, 0600);
	ssize_t len = write(fd, line, strlen(line));

	printf("%s%zd %d\n", line, len, close(fd));
	fflush(stdout);
}

static void wait_for(const char *kind, pid_t pid)
{
	int status = -1;

	printf("%s %d", kind, waitpid(pid, &status, 0) == pid);
	printf(" %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
	fflush(stdout);
}

static void descriptors(void)
{
	for (int fd = 0; fd < 100; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	printf("\n");
}

static void threads(void)
{
	pthread_t made[2];
	int error[2];

	for (int i = 0; i < 2; i++)
		printf("thread %d\n", error[i] = pthread_create(&made[i], NULL, thread, NULL));
	for (int i = 0; i < 2; i++)
		if (error[i] == 0)
			printf("thread %d\n", pthread_join(made[i], NULL));
	fflush(stdout);
}

static void processes(char **argv)
{
	char *child[] = {argv[0], (char *)"child", NULL};
	pid_t pid = fork();
	int error;

	if (pid == 0) {
		work();
		put_line("forked\n");
		_exit(3);
	}
	wait_for("fork", pid);
	error = posix_spawn(&pid, argv[0], NULL, NULL, child, environ);
	wait_for("spawn", pid); /* it prints something too */
	printf("spawn %d\n", error);
}

int main(int argc, char **argv)
{
	void *map;

	if (argc > 1) {
		work();
		put_line("spawned\n");
		return 4;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	errno = 77;
	work();
	free(kept);
	printf("errno %d\n", errno);
	put_line("first\n");
	threads();
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("mapped %d %d\n", map != MAP_FAILED, munmap(map, 8192));
	processes(argv);
	descriptors();
	return 7;
}
