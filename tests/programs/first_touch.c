/* first_touch: CPU time of page faults, which belongs to the kernel.
 *
 * usage: first_touch [seconds]      default: 1
 *
 * Facts: one thread alternates between `compute` (user time), `first` (writes into each page of
 * fresh memory: nearly all of its time is the kernel's, which makes the pages), `again` (writes
 * into the same pages: user time), `fill_first` and `fill_again` (the same by a repeated string
 * instruction). It measures each by its thread CPU clock. At the end it prints "NAME TOTAL SYSTEM"
 * for each: its share of all time and, of its own time, the kernel's, both in per cent. The user
 * time of `first` is that of `again`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 512, SIZE = PAGES * PAGE };

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void compute(void *memory)
{
	uint64_t value = sink;

	(void)memory;
	for (int i = 0; i < 600000; i++)
		__asm__ volatile("imul $0x5851f42d, %0, %0\n\tadd $0x14057b7e, %0" : "+r"(value));
	sink = value;
}

/* Macros, since inlined functions would be shown instead of the parts. */
#define TOUCH(memory) \
	for (volatile char *at = memory, *end = at + SIZE; at < end; at += PAGE) \
	*at = 1

#define FILL(memory) \
	do { \
		void *at = memory; \
		size_t size = SIZE; \
		__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(1) : "memory"); \
	} while (0)

__attribute__((noinline)) static void first(void *memory)
{
	TOUCH(memory);
}

__attribute__((noinline)) static void again(void *memory)
{
	TOUCH(memory);
	sink++; /* it is not `first` */
}

__attribute__((noinline)) static void fill_first(void *memory)
{
	FILL(memory);
}

__attribute__((noinline)) static void fill_again(void *memory)
{
	FILL(memory);
	sink++;
}

static void *fresh(void)
{
	void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, SIZE, MADV_NOHUGEPAGE) < 0)
		exit(1);
	return memory;
}

enum { COMPUTE, FIRST, AGAIN, FILL_FIRST, FILL_AGAIN, PARTS };
static const struct {
	const char *name;
	void (*run)(void *memory);
	int turns;    /* the short ones are done more often */
	int is_first; /* in fresh memory; the next part has the same user time a turn */
} parts[PARTS] = {
	[COMPUTE] = {"compute", compute, 1, 0},
	[FIRST] = {"first", first, 1, 1},
	[AGAIN] = {"again", again, 200, 0},
	[FILL_FIRST] = {"fill_first", fill_first, 1, 1},
	[FILL_AGAIN] = {"fill_again", fill_again, 15, 0},
};

static double spent[PARTS];

static void round_of_all(void)
{
	void *memory = NULL;

	for (int i = 0; i < PARTS; i++) {
		uint64_t start;

		if (parts[i].is_first) {
			if (memory)
				munmap(memory, SIZE);
			memory = fresh();
		}
		start = cpu_ns();
		for (int turn = 0; turn < parts[i].turns; turn++)
			parts[i].run(memory);
		spent[i] += (double)(cpu_ns() - start);
	}
	munmap(memory, SIZE);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, all = 0;

	while ((double)cpu_ns() < seconds * 1e9)
		round_of_all();
	for (int i = 0; i < PARTS; i++)
		all += spent[i];
	for (int i = 0; i < PARTS; i++)
		printf("%s %.2f %.2f\n", parts[i].name, 100 * spent[i] / all,
		       parts[i].is_first ? 100 - 100 * spent[i + 1] / parts[i + 1].turns / spent[i]
		                         : 0);
	return 0;
}
