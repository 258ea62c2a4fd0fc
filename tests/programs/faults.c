/* faults.c: page faults and context switches at known places.
 *
 *   touch, called by part_a    3000 page faults (pages of 4 KiB that nobody has touched)
 *   touch, called by part_b    1000
 *   wait_for                   500 times: waits for an answer of a child, which costs a context
 * switch at least
 *
 * It rests now and then: with a sample for each fault, a ring buffer of 16 MiB holds only 2000 that
 * are not read yet. Prints the minor faults and the context switches of the process, as getrusage
 * reports them. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, TURNS = 500, REST_AFTER = 250, REST_US = 5000 };

__attribute__((noinline)) static void touch(volatile char *at, long pages)
{
	for (long i = 0; i < pages; i++) {
		at[i * PAGE] = 1;
		if (i % REST_AFTER == 0)
			usleep(REST_US);
	}
}

__attribute__((noinline)) static void part_a(char *at)
{
	touch(at, 3000);
}

__attribute__((noinline)) static void part_b(char *at)
{
	touch(at, 1000);
}

__attribute__((noinline)) static void wait_for(int to, int from)
{
	char byte = 0;

	for (int i = 0; i < TURNS; i++)
		if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
			return;
}

int main(void)
{
	char *memory = mmap(NULL, 8000 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                    -1, 0);
	int there[2], back[2];
	struct rusage used;

	if (memory == MAP_FAILED || madvise(memory, 8000 * PAGE, MADV_NOHUGEPAGE) < 0 ||
	    pipe(there) < 0 || pipe(back) < 0)
		return 1;
	usleep(1); /* the first call has page faults of its own */
	part_a(memory);
	part_b(memory + 4000 * PAGE);
	if (fork() == 0) {
		char byte;

		close(there[1]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	wait_for(there[1], back[0]);
	close(there[1]);
	wait(NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("minor_faults %ld\nswitches %ld\n", used.ru_minflt, used.ru_nvcsw + used.ru_nivcsw);
	return 0;
}
