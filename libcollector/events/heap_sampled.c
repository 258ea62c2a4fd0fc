/* heap_sampled.c: see heap_sampled.h. */
#include "libcollector/events/heap_sampled.h"

#include "libcollector/heap/draw.h"

static int add(const void *block)
{
	if (heap_chosen_add((uintptr_t)block) == 0)
		return 1;
	col_count(&col.count.lost[FMT_STREAM_HEAPTRACE], 1);
	return 0;
}

static void draw(struct heap_thread *heap)
{
	heap->left = heap_draw_distance(heap_draw_random(&heap->random), col.descriptor.heap_mean);
}

int heap_choose(struct col_thread *thread, const void *block, size_t size)
{
	struct heap_thread *heap = &thread->heap;

	if (heap->left == 0) {
		heap->random = col_any_of(UINT64_MAX);
		draw(heap);
	}
	if (heap_go_past(heap, size))
		return 0;
	draw(heap);
	return add(block);
}

void heap_undo_move(const void *old, int is_recorded)
{
	if (is_recorded && heap_is_sampled())
		add(old);
}
