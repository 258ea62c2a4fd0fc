/* pool.c: memory for what the search for functions allocates. See pool.h. */
#include "libcollector/hook/pool.h"

#include "libcollector/base/collector.h"

enum { POOL_SIZE = 64 * 1024 };

static _Alignas(4096) char pool[POOL_SIZE];
static atomic_size_t pool_used;
static __thread volatile int resolving; /* dlsym may call us again, although its declaration says
                                         * that it does not */

int hook_is_resolving(void)
{
	return resolving;
}

void hook_pool_begin(void)
{
	resolving++;
}

void hook_pool_end(void)
{
	resolving--;
}

void *hook_pool_allocate(size_t size, size_t alignment)
{
	size_t at = atomic_load(&pool_used);
	size_t start;

	alignment = alignment < 16 ? 16 : alignment;
	do {
		start = (at + alignment - 1) & ~(alignment - 1);
		if (size > POOL_SIZE || start > POOL_SIZE - size)
			return NULL;
	} while (!atomic_compare_exchange_weak(&pool_used, &at, start + size));
	return pool + start;
}

int hook_pool_owns(const void *block)
{
	return (uintptr_t)block - (uintptr_t)pool < POOL_SIZE;
}

size_t hook_pool_clip(const void *block, size_t size)
{
	size_t left = (size_t)(pool + POOL_SIZE - (const char *)block);

	return size < left ? size : left;
}
