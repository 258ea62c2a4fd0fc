/* pool.h: memory for allocations during the look-up of functions, when there is no malloc yet. Its
 * blocks are never freed. */
#ifndef XER_LIBCOLLECTOR_HOOK_POOL_H
#define XER_LIBCOLLECTOR_HOOK_POOL_H

#include <stddef.h>

/* During the look-up of symbols, and between begin and end, allocations of the thread come from a
 * pool. */
int hook_is_resolving(void);
void hook_pool_begin(void);
void hook_pool_end(void);
void *hook_pool_allocate(size_t size, size_t alignment);
int hook_pool_owns(const void *block);

/* `size`, or the rest of the pool after `block` if that is less. */
size_t hook_pool_clip(const void *block, size_t size);

#endif
