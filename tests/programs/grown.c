/* Two builds of one program, to be compared; -DLATER makes the second. Facts, by function:
 *              first                          second
 *   keep       10 blocks of 100 bytes         30 of 100            kept for ever
 *   drop       7 of 1000, freed               not called
 *   fresh      not called                     5 of 200, kept
 *   shared     2 of 64, kept                  2 of 64, kept        unchanged, at another address
 * All are called by main. */
#include <stdlib.h>

enum { KEPT = 64 };
static void *volatile kept[KEPT];
static int next;

#ifdef LATER
enum { BLOCKS = 30 };
__attribute__((noinline)) void fresh(void)
{
	/* Code after this is at another address. */
	__asm__ volatile("jmp 1f; .skip 256; 1:");
	for (int i = 0; i < 5; i++)
		kept[next++] = malloc(200);
}
#else
enum { BLOCKS = 10 };
__attribute__((noinline)) void drop(void)
{
	for (int i = 0; i < 7; i++) {
		void *volatile block = malloc(1000);

		free(block);
	}
}
#endif

__attribute__((noinline)) void shared(void)
{
	for (int i = 0; i < 2; i++)
		kept[next++] = malloc(64);
}

__attribute__((noinline)) void keep(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept[next++] = malloc(100);
}

int main(void)
{
	keep();
#ifdef LATER
	fresh();
#else
	drop();
#endif
	shared();
	return 0;
}
