/* fixed: a program linked at a fixed address, which takes the address of malloc: that is a jump in
 * the program itself.
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
