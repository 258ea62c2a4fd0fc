/* heap_sampled.h: which blocks are chosen, if the heap is sampled. Nearly none is, and the wrappers
 * (heap.c) find that out here in a few instructions. Normal context.
 * See doc/decisions/98-sampled-heap.md. */
#ifndef XER_COLLECTOR_HEAP_SAMPLED_H
#define XER_COLLECTOR_HEAP_SAMPLED_H

#include "libcollector/heap/chosen.h"
#include "libcollector/events/mapping.h"
#include "libcollector/thread/scope.h"

static inline int heap_is_sampled(void)
{
	return (heap_mode() & HEAP_CHOSEN) != 0;
}

/* The next block of the thread has `size` bytes: go past them, if none of them is marked. An empty
 * block counts as one byte. */
static inline int heap_go_past(struct heap_thread *heap, size_t size)
{
	if (unlikely(size + !size >= heap->left))
		return 0;
	heap->left -= size + !size;
	return 1;
}

/* The heap is sampled, and a block of `size` bytes will not be chosen. If it cannot be made, the
 * bytes are gone past in vain, which changes nothing: the rest of the way is as long as ever. */
static inline int heap_passes_over(size_t size)
{
	struct col_thread *thread = col_self;

	return heap_is_sampled() && likely(thread != NULL) && likely(thread->scope == OUTSIDE) &&
	       likely(heap_go_past(&thread->heap, size));
}

/* The heap is sampled, and this is no chosen block. */
static inline int heap_is_other(const void *block)
{
	return heap_is_sampled() && likely(!heap_chosen_may_have((uintptr_t)block));
}

/* The thread, in its scope, has made a block: is it chosen? One that there is no room for is
 * lost. */
int heap_choose(struct col_thread *thread, const void *block, size_t size);

/* A block is about to be moved, NULL: none. Is its end recorded, if that succeeds? A chosen block
 * is none from here on: another thread may have its place before the call returns. */
static inline int heap_begin_move(const void *old)
{
	return old && (!heap_is_sampled() || heap_chosen_take((uintptr_t)old));
}

/* It could not be moved; is_recorded: what heap_begin_move() returned. */
void heap_undo_move(const void *old, int is_recorded);

#endif
