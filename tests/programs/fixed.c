/* fixed: a program linked to a fixed address, in which malloc has an address of its own, where a
 * jump to it stands.
 *
 * Facts: 3 blocks of 10 bytes are allocated in allocate, through a pointer. Exit status 0. */
#include <stdlib.h>

static void *(*const volatile allocator)(size_t) = malloc;
static void *volatile kept;

__attribute__((noinline)) static void allocate(void)
{
	for (int i = 0; i < 3; i++)
		kept = allocator(10);
}

int main(void)
{
	allocate();
	return 0;
}
