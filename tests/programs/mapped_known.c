/* mapped_known: memory mapped and unmapped in known ways.
 *
 * Facts (P is 4096 bytes), all ranges anonymous but in map_file; the last column is still mapped:
 *   function     what                                                       mapped
 *   whole        50 times mmap 4 P, munmap all of it                        50, 200 P     0
 *   parts        mmap 100 P; munmap 10 P at each end, 20 P in the middle     1, 100 P     60 P
 *   over         mmap 30 P, then mmap 10 P with MAP_FIXED in its middle      2,  40 P     30 P
 *   move         10 times mmap 2 P, mremap to 8 P, munmap                   20, 100 P     0
 *   shrink       mmap 40 P, mremap to 15 P                                   2,  55 P     15 P
 *   covered      mmap 6 P, then map 2 P of a file over its start             1,   6 P     4 P
 *   map_file     5 times mmap of a file, munmap                              0
 *   refused      3 times mmap of no length, munmap of an odd address         0
 *   grow_break   sbrk of 64 P, then of -16 P                                 1,  64 P     48 P
 * `small_blocks` allocates 4000 blocks of 1000 bytes and frees none: the break grows by 4 MB and at
 * most 256 KiB. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { P = 4096 };

static int failures;
static void *volatile kept;

static char *map(void *at, size_t size, int flags)
{
	char *got = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
	                 0);

	failures += got == MAP_FAILED;
	return got;
}

static NOINLINE void whole(void)
{
	for (int i = 0; i < 50; i++)
		failures += munmap(map(NULL, 4 * P, 0), 4 * P) != 0;
}

static NOINLINE void parts(void)
{
	char *at = map(NULL, 100 * P, 0);

	failures += munmap(at, 10 * P) != 0;
	failures += munmap(at + 90 * P, 10 * P) != 0;
	failures += munmap(at + 40 * P, 20 * P) != 0;
}

static NOINLINE void over(void)
{
	char *at = map(NULL, 30 * P, 0);

	map(at + 10 * P, 10 * P, MAP_FIXED);
}

static NOINLINE void move(void)
{
	for (int i = 0; i < 10; i++) {
		char *at = map(NULL, 2 * P, 0);

		at = mremap(at, 2 * P, 8 * P, MREMAP_MAYMOVE);
		failures += at == MAP_FAILED || munmap(at, 8 * P) != 0;
	}
}

static NOINLINE void shrink(void)
{
	failures += mremap(map(NULL, 40 * P, 0), 40 * P, 15 * P, 0) == MAP_FAILED;
}

static NOINLINE void covered(int fd)
{
	failures += mmap(map(NULL, 6 * P, 0), 2 * P, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
	            MAP_FAILED;
}

static NOINLINE void map_file(int fd)
{
	for (int i = 0; i < 5; i++)
		failures += munmap(mmap(NULL, P, PROT_READ, MAP_PRIVATE, fd, 0), P) != 0;
}

static NOINLINE void refused(void)
{
	for (int i = 0; i < 3; i++) {
		failures += mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		            MAP_FAILED;
		failures += munmap((void *)1, P) != -1;
	}
}

static NOINLINE void grow_break(void)
{
	failures += sbrk(64 * P) == (void *)-1;
	failures += sbrk(-16 * P) == (void *)-1;
}

static NOINLINE void small_blocks(void)
{
	for (int i = 0; i < 4000; i++)
		kept = malloc(1000);
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDONLY);

	failures += fd < 0;
	whole();
	parts();
	over();
	move();
	shrink();
	covered(fd);
	map_file(fd);
	refused();
	small_blocks();
	grow_break();
	return failures;
}
