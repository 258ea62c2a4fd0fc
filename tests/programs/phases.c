/* phases: a program that does known things before and after a moment that somebody chooses.
 *
 * usage: phases FILE [CHILDREN]
 *
 * Facts: the process and each of CHILDREN allocate 1000 blocks of 24 bytes in middle_phase, and
 * keep them. When all have, FILE.ready is made. When FILE.go is there, each allocates and frees
 * 200000 blocks of 100 bytes in end_phase, and then keeps 500 blocks of 40 bytes from last_phase.
 * It ends after 60 s at most. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIDDLE = 1000, BETWEEN = 200000, LAST = 500, MS = 1000, WAITS = 60000 };

static void *volatile block;
static _Atomic int *arrived;

__attribute__((noinline)) static void middle_phase(void)
{
	for (int i = 0; i < MIDDLE; i++)
		block = malloc(24);
}

__attribute__((noinline)) static void end_phase(void)
{
	for (int i = 0; i < BETWEEN; i++) {
		block = malloc(100);
		free(block);
	}
}

__attribute__((noinline)) static void last_phase(void)
{
	for (int i = 0; i < LAST; i++)
		block = malloc(40);
}

static void wait_for(const char *path)
{
	for (int i = 0; i < WAITS && access(path, F_OK) != 0; i++)
		usleep(MS);
}

static void run(const char *go)
{
	middle_phase();
	++*arrived;
	wait_for(go);
	end_phase();
	last_phase();
}

int main(int argc, char **argv)
{
	char ready[4096], go[4096];
	int children = argc > 2 ? atoi(argv[2]) : 0, status, failed = 0;

	if (argc < 2)
		return 2;
	snprintf(ready, sizeof(ready), "%s.ready", argv[1]);
	snprintf(go, sizeof(go), "%s.go", argv[1]);
	arrived = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < children; i++)
		if (fork() == 0) {
			run(go);
			_exit(0);
		}
	middle_phase();
	for (int i = 0; i < WAITS && *arrived < children; i++)
		usleep(MS);
	close(open(ready, O_WRONLY | O_CREAT, 0600));
	wait_for(go);
	end_phase();
	last_phase();
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
