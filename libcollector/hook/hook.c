/* hook.c: find the functions behind the wrappers. See hook.h.
 * See doc/decisions/23-symbol-versions.md. */
#include "libcollector/hook/hook.h"

#include "libcollector/hook/visible.h"

enum { POOL_SIZE = 64 * 1024 };

struct hook_table hook_real;

static void *search_from = RTLD_NEXT;

static _Alignas(4096) char pool[POOL_SIZE];
static atomic_size_t pool_used;
static __thread volatile int resolving; /* dlsym comes back to us, which its declaration denies */

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

/* Where there is one operator of C++, there are all; where there is none, 20 searches would be in
 * vain. */
static void find_operators(struct hook_table *found)
{
	if (!dlsym(search_from, "_Znwm"))
		return;
#define NEW(name, parameters, arguments, alignment) \
	found->name = (__typeof__(name) *)dlsym(search_from, #name);
#define DELETE(name, parameters, arguments) NEW(name, parameters, arguments, 0)
#include "libcollector/hook/operators.def"
}

void hook_search_all(void)
{
	search_from = RTLD_DEFAULT;
	hook_resolve();
}

void hook_resolve(void)
{
	struct hook_table found = {.malloc = NULL};

	if (resolving)
		return;
	resolving = 1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define HOOK(name) found.name = (__typeof__(name) *)dlsym(search_from, #name);
#define HOOK_OLD(name, of, version) \
	found.name = (__typeof__(of) *)dlvsym(search_from, #of, version);
#include "libcollector/hook/hook.def"
#pragma GCC diagnostic pop
	find_operators(&found);
	hook_real = found;
	resolving = 0;
}
