/* kernel_known.c [MS]: four functions that each spend MS of CPU time (200) mostly in the kernel, in
 * known places: asking for the parent's number, reading zeros, writing to nowhere, and page faults.
 * Prints for each of them its CPU time in seconds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, PAGES = 256, PAGE = 4096 };
static char block[BLOCK];
static int zero, nowhere;

static double used_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static __attribute__((noinline)) void ask_parent(void)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	__asm__ volatile("");
}

static __attribute__((noinline)) void read_zeros(void)
{
	for (int i = 0; i < 20; i++)
		if (read(zero, block, BLOCK) != BLOCK)
			exit(1);
}

static __attribute__((noinline)) void write_nothing(void)
{
	for (int i = 0; i < 1000; i++)
		if (write(nowhere, block, 1) != 1)
			exit(1);
}

static __attribute__((noinline)) void touch_pages(void)
{
	volatile char *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
	                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	for (int i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
	munmap((void *)pages, (size_t)PAGES * PAGE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"ask_parent", ask_parent},
	           {"read_zeros", read_zeros},
	           {"write_nothing", write_nothing},
	           {"touch_pages", touch_pages}};
	double ms = argc > 1 ? atof(argv[1]) : 200, begin = used_s();

	zero = open("/dev/zero", O_RDONLY);
	nowhere = open("/dev/null", O_WRONLY);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		double from = used_s();

		while (used_s() - from < ms * 1e-3)
			all[i].run();
		printf("%s %.6f\n", all[i].name, used_s() - from);
	}
	printf("all %.6f\n", used_s() - begin);
	return 0;
}
