/* heap_known: exact numbers of allocations by every function of the malloc family, and known leaks.
 *
 * Facts, for main and what it calls (it prints nothing and uses no stdio):
 *   function          calls and bytes each           freed
 *   use_malloc        malloc          100 x 10       all
 *   use_calloc        calloc           50 x 4*25     all
 *   use_realloc       malloc+realloc   20 x 16->64   all (each realloc is a free and an allocation)
 *   use_reallocarray  reallocarray     10 x 8*8      all (of NULL)
 *   use_aligned       aligned_alloc 5 x 128, posix_memalign 5 x 256, memalign 5 x 512,
 *                     valloc 5 x 100, pvalloc 5 x 100; use_strdup: strdup 30 x 13 bytes: all freed
 *   leak_malloc       malloc            7 x 1000     never: 7 leaks, 7000 bytes
 *   leak_calloc       calloc            3 x 2*250    never: 3 leaks, 1500 bytes
 *   zero_malloc       malloc(0)         4 x 0        all
 * malloc(PTRDIFF_MAX + 1) in `refused` fails 2 times, and reallocarray of the last leak to twice
 * that: no allocation, and no free. In total: allocations 100 + 50 + 40 + 10 + 25 + 30 + 7 + 3 + 4
 * = 269, leaks 10 with 8500 bytes. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

#define NOINLINE __attribute__((noinline))

static NOINLINE void use_malloc(void)
{
	for (int i = 0; i < 100; i++) {
		kept = malloc(10);
		free(kept);
	}
}

static NOINLINE void use_calloc(void)
{
	for (int i = 0; i < 50; i++) {
		kept = calloc(4, 25);
		free(kept);
	}
}

static NOINLINE void use_realloc(void)
{
	for (int i = 0; i < 20; i++) {
		kept = malloc(16);
		kept = realloc(kept, 64);
		free(kept);
	}
}

static NOINLINE void use_reallocarray(void)
{
	for (int i = 0; i < 10; i++) {
		kept = reallocarray(NULL, 8, 8);
		free(kept);
	}
}

static NOINLINE void use_aligned(void)
{
	for (int i = 0; i < 5; i++) {
		void *block = NULL;

		kept = aligned_alloc(64, 128);
		free(kept);
		if (posix_memalign(&block, 64, 256) == 0)
			kept = block;
		free(kept);
		kept = memalign(64, 512);
		free(kept);
		kept = valloc(100);
		free(kept);
		kept = pvalloc(100);
		free(kept);
	}
}

static NOINLINE void use_strdup(void)
{
	for (int i = 0; i < 30; i++) {
		kept = strdup("twelve bytes");
		free(kept);
	}
}

static NOINLINE void leak_malloc(void)
{
	for (int i = 0; i < 7; i++)
		kept = malloc(1000);
}

static NOINLINE void leak_calloc(void)
{
	for (int i = 0; i < 3; i++)
		kept = calloc(2, 250);
}

static NOINLINE void zero_malloc(void)
{
	for (int i = 0; i < 4; i++) {
		kept = malloc(0);
		free(kept);
	}
}

static NOINLINE int refused(void)
{
	volatile size_t huge = (size_t)PTRDIFF_MAX + 1;
	void *one = malloc(huge), *two = malloc(huge);

	return !one && !two && !reallocarray(kept, huge, 2);
}

int main(void)
{
	use_malloc();
	use_calloc();
	use_realloc();
	use_reallocarray();
	use_aligned();
	use_strdup();
	leak_malloc();
	leak_calloc();
	if (!refused())
		return 1;
	zero_malloc();
	return 0;
}
