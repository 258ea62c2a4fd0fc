/* mapped: memory that no allocator of the C library hands out.
 *
 * usage: mapped [MiB]      default: 100
 *
 * Facts: it maps so many MiB, writes to each page, and allocates one block of 1000 bytes, which it frees. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *volatile kept;

int main(int argc, char **argv)
{
	size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 100) << 20;
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return 1;
	memset(map, 1, size);
	kept = malloc(1000);
	free(kept);
	return 0;
}
