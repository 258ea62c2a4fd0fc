/* soak: allocates, forks, makes threads, reads and writes, at a bounded rate and for a given time,
 * and measures itself.
 *
 * usage: soak SECONDS
 *
 * Facts: every 10 ms, `work` allocates and frees 20 blocks in the main thread; every 100 ms a
 * thread is made that does the same and ends; every 500 ms a child is forked that calls `work` and
 * leaves by _exit. Every second a line "S anon N files N maps N": seconds, the process's anonymous
 * memory in kB, its open files, its mappings. The stacks are always the same, so none of these has
 * a reason to grow. Exit status 0. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) static void *work(void *unused)
{
	void *mine[20];

	for (int i = 0; i < 20; i++)
		mine[i] = malloc((size_t)(50 + i * 100));
	kept = mine[3];
	for (int i = 0; i < 20; i++)
		free(mine[i]);
	return unused;
}

static long status_kb(const char *name)
{
	char line[256];
	long value = -1;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			value = atol(line + strlen(name));
	if (file)
		fclose(file);
	return value;
}

static int open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count;
}

static int mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	int count = 0, c;

	while (file && (c = fgetc(file)) != EOF)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

int main(int argc, char **argv)
{
	long rounds = (argc > 1 ? atol(argv[1]) : 10) * 100;
	struct timespec next;

	setvbuf(stdout, NULL, _IOLBF, 0);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 1; i <= rounds; i++) {
		pthread_t thread;

		work(NULL);
		if (i % 10 == 0 && pthread_create(&thread, NULL, work, NULL) == 0)
			pthread_join(thread, NULL);
		if (i % 50 == 0) {
			pid_t pid = fork();

			if (pid == 0) {
				work(NULL);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		}
		if (i % 100 == 0)
			printf("%ld anon %ld files %d maps %d\n", i / 100, status_kb("RssAnon:"),
			       open_files(), mappings());
		next.tv_nsec += 10000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return 0;
}
