/* mapped: memory that does not come from an allocator of the C library.
 *
 * usage: mapped [MiB [mmap|fork]]      default: 100
 *
 * Facts: it maps that many MiB, by a direct system call or by mmap, writes to each page, and
 * allocates one block of 1000 bytes, which it frees. With `fork`, by a direct system call, and a
 * child does the latter, too, after another one that does nothing. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

int main(int argc, char **argv)
{
	size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 100) << 20;
	int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int forks = argc > 2 && strcmp(argv[2], "fork") == 0;
	void *map = argc > 2 && !forks
	                    ? mmap(NULL, size, protection, flags, -1, 0)
	                    : (void *)syscall(SYS_mmap, NULL, size, protection, flags, -1, 0L);

	if (map == MAP_FAILED)
		return 1;
	memset(map, 1, size);
	if (forks && fork() == 0)
		_exit(0);
	if (forks && fork() > 0)
		while (wait(NULL) > 0)
			continue;
	kept = malloc(1000);
	free(kept);
	return 0;
}
