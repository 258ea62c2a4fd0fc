/* inlined_heap: two functions, one of which is inlined into the other, in two units.
 *
 * Facts: `make` calls `block` 3 times, which is inlined in it and allocates 100 bytes each time, in
 * line 13; `make_more`, in another unit (-DMORE), calls it 2 times with 50 bytes. Nothing is
 * freed. */
#include <stddef.h>

void *malloc(size_t size);
void make_more(void);
extern void *volatile kept;

static inline __attribute__((always_inline)) void block(size_t size)
{
	kept = malloc(size);
}

#ifdef MORE
__attribute__((noinline)) void make_more(void)
{
	for (int i = 0; i < 2; i++)
		block(50);
}
#else
void *volatile kept;

static __attribute__((noinline)) void make(void)
{
	for (int i = 0; i < 3; i++)
		block(100);
}

int main(void)
{
	make();
	make_more();
	return 0;
}
#endif
