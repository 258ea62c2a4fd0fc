/* Heap blocks, through the wrappers that programs call, and the records of them. */
#include "libcollector/events/heap.h"
#include "libcollector/events/mapping.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct col_thread *thread;

static void setup(void)
{
	scratch_open();
	thread = thread_current();
}

static void done(void)
{
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	scratch_remove();
}

TestSuite(heap, .init = setup, .fini = done);

/* Everything between the two is recorded. */
static void begin(void)
{
	heap_start();
}

static struct fmt_heap_alloc allocs[32];
static struct fmt_heap_free frees[32];

static void end(int expected_allocs, int expected_frees)
{
	int count;

	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	count = scratch_records("heaptrace", FMT_KIND_heap_alloc, allocs, sizeof(allocs[0]), 32);
	cr_assert_eq(count, expected_allocs, "%d allocations", count);
	count = scratch_records("heaptrace", FMT_KIND_heap_free, frees, sizeof(frees[0]), 32);
	cr_assert_eq(count, expected_frees, "%d frees", count);
}

static void is_alloc(int index, enum fmt_heap_func func, const void *block, size_t size)
{
	cr_assert_eq(allocs[index].func, func, "%d: %d", index, allocs[index].func);
	cr_assert_eq(fmt_u48_get(&allocs[index].addr), (uint64_t)block, "%d", index);
	cr_assert_eq(allocs[index].size, size, "%d: %u", index, allocs[index].size);
	cr_assert_neq(allocs[index].stack, 0, "%d", index);
}

static void is_free(int index, enum fmt_heap_func func, const void *block)
{
	cr_assert_eq(frees[index].func, func, "%d: %d", index, frees[index].func);
	cr_assert_eq(frees[index].addr, (uint64_t)block, "%d", index);
}

static void *volatile kept[16], *volatile none;

Test(heap, blocks_have_their_function_their_address_and_their_size)
{
	void *block = NULL;

	begin();
	kept[0] = malloc(24);
	kept[1] = calloc(3, 10);
	kept[2] = aligned_alloc(64, 128);
	kept[3] = memalign(32, 50);
	kept[4] = valloc(60);
	kept[5] = pvalloc(70);
	cr_assert_eq(posix_memalign(&block, 16, 80), 0);
	kept[6] = block;
	end(7, 0);
	is_alloc(0, FMT_heap_func_MALLOC, kept[0], 24);
	is_alloc(1, FMT_heap_func_CALLOC, kept[1], 30);
	is_alloc(2, FMT_heap_func_ALIGNED_ALLOC, kept[2], 128);
	is_alloc(3, FMT_heap_func_MEMALIGN, kept[3], 50);
	is_alloc(4, FMT_heap_func_VALLOC, kept[4], 60);
	is_alloc(5, FMT_heap_func_PVALLOC, kept[5], 70);
	is_alloc(6, FMT_heap_func_POSIX_MEMALIGN, kept[6], 80);
	cr_assert_eq(thread->events[SOURCE_HEAP], 7);
	begin();
	for (int i = 0; i < 7; i++)
		free(kept[i]);
	free(NULL);
	end(7, 7);
	for (int i = 0; i < 7; i++)
		is_free(i, FMT_heap_func_FREE, kept[i]);
}

Test(heap, a_block_that_is_moved_ends_and_begins)
{
	kept[0] = malloc(10);
	begin();
	kept[1] = realloc(kept[0], 20000);
	kept[2] = reallocarray(kept[1], 10, 4000);
	kept[3] = realloc(none, 5);
	kept[4] = reallocarray(none, 2, 3);
	end(4, 2);
	is_free(0, FMT_heap_func_REALLOC, kept[0]);
	is_alloc(0, FMT_heap_func_REALLOC, kept[1], 20000);
	is_free(1, FMT_heap_func_REALLOCARRAY, kept[1]);
	is_alloc(1, FMT_heap_func_REALLOCARRAY, kept[2], 40000);
	is_alloc(2, FMT_heap_func_REALLOC, kept[3], 5);
	is_alloc(3, FMT_heap_func_REALLOCARRAY, kept[4], 6);
	begin();
	kept[5] = realloc(kept[3], 0);
	kept[6] = reallocarray(kept[4], 0, 5);
	end(4, 4);
	cr_assert(!kept[5] && !kept[6]);
	is_free(2, FMT_heap_func_REALLOC, kept[3]);
	is_free(3, FMT_heap_func_REALLOCARRAY, kept[4]);
}

Test(heap, calls_that_fail_have_no_records)
{
	volatile size_t much = PTRDIFF_MAX;
	void *block = NULL;

	kept[0] = malloc(10);
	begin();
	kept[1] = malloc(much);
	kept[2] = calloc(much, 4);
	kept[3] = realloc(kept[0], much);
	kept[4] = reallocarray(kept[0], much, 4);
	cr_assert_neq(posix_memalign(&block, 16, much), 0);
	end(0, 0);
	cr_assert(!kept[1] && !kept[2] && !kept[3] && !kept[4]);
}

/* 4 GiB and more; no page of it is touched. */
Test(heap, sizes_beyond_32_bits_have_records_of_their_own)
{
	struct fmt_heap_alloc_wide wide[2];

	begin();
	kept[0] = malloc((size_t)5 << 30);
	kept[1] = malloc(UINT32_MAX);
	end(1, 0);
	if (!kept[0] || !kept[1])
		cr_skip_test("there is no address space for 5 GiB");
	is_alloc(0, FMT_heap_func_MALLOC, kept[1], UINT32_MAX);
	cr_assert_eq(
		scratch_records("heaptrace", FMT_KIND_heap_alloc_wide, wide, sizeof(wide[0]), 2),
		1);
	cr_assert_eq(wide[0].func, FMT_heap_func_MALLOC);
	cr_assert_eq(wide[0].addr, (uint64_t)kept[0]);
	cr_assert_eq(wide[0].size, (uint64_t)5 << 30);
	cr_assert_neq(wide[0].stack, 0);
	free(kept[0]);
	free(kept[1]);
}

Test(heap, in_a_pause_blocks_only_end)
{
	kept[0] = malloc(10);
	begin();
	kept[1] = malloc(20);
	heap_pause();
	cr_assert_eq(heap_mode(), HEAP_FREES);
	kept[2] = malloc(30);
	kept[3] = realloc(kept[0], 40000);
	free(kept[1]);
	heap_start();
	kept[4] = malloc(50);
	end(2, 2);
	is_alloc(0, FMT_heap_func_MALLOC, kept[1], 20);
	is_alloc(1, FMT_heap_func_MALLOC, kept[4], 50);
	is_free(0, FMT_heap_func_REALLOC, kept[0]);
	is_free(1, FMT_heap_func_FREE, kept[1]);
	heap_pause();
	cr_assert_eq(heap_mode(), HEAP_OFF, "it was off");
}

/* ---- sampled */

/* One in `mean` bytes; nearly every block if it is 1. */
static void begin_sampled(uint64_t mean)
{
	col.descriptor.heap_mean = mean;
	heap_start();
	cr_assert_eq(heap_mode(), HEAP_SAMPLED);
}

Test(heap, chosen_blocks_and_their_ends_are_recorded)
{
	begin_sampled(1);
	kept[0] = malloc(100);
	kept[1] = calloc(10, 10);
	kept[2] = realloc(kept[0], 20000);
	kept[3] = reallocarray(kept[2], 10, 4000);
	kept[4] = aligned_alloc(64, 128);
	free(kept[1]);
	free(kept[3]);
	free(kept[4]);
	kept[5] = malloc(50);
	free(kept[5]);
	end(6, 6);
	is_alloc(0, FMT_heap_func_MALLOC, kept[0], 100);
	is_alloc(1, FMT_heap_func_CALLOC, kept[1], 100);
	is_alloc(2, FMT_heap_func_REALLOC, kept[2], 20000);
	is_alloc(3, FMT_heap_func_REALLOCARRAY, kept[3], 40000);
	is_alloc(4, FMT_heap_func_ALIGNED_ALLOC, kept[4], 128);
	is_free(0, FMT_heap_func_REALLOC, kept[0]);
	is_free(1, FMT_heap_func_REALLOCARRAY, kept[2]);
	is_free(2, FMT_heap_func_FREE, kept[1]);
}

/* With 1 TB to go, no small block is chosen but by a chance of one in millions. */
Test(heap, other_blocks_are_not)
{
	kept[0] = malloc(100);
	begin_sampled(FMT_HEAP_MEAN_MAX);
	kept[1] = malloc(100);
	kept[2] = realloc(kept[0], 200);
	kept[3] = reallocarray(kept[1], 10, 40);
	kept[4] = valloc(500);
	free(kept[2]);
	free(kept[3]);
	free(kept[4]);
	free(NULL);
	end(0, 0);
	cr_assert_neq(thread->heap.left, 0);
}

/* Criterion allocates, too: claims come after the end. The compiler believes that malloc changes
 * nothing that we see. */
Test(heap, every_wrapper_goes_past_its_bytes)
{
	volatile uint64_t *at = &thread->heap.left;
	uint64_t left, last;

	begin_sampled(FMT_HEAP_MEAN_MAX);
	kept[0] = malloc(1);
	*at = 1 << 20;
	kept[1] = malloc(1000);
	kept[2] = calloc(10, 200);
	kept[3] = realloc(kept[0], 3000);
	kept[4] = reallocarray(kept[1], 10, 400);
	kept[5] = aligned_alloc(64, 5056);
	kept[6] = malloc(0);
	left = *at;
	*at = 6000;
	kept[7] = malloc(5999);
	last = *at;
	kept[8] = malloc(0); /* takes a byte: it is chosen */
	end(1, 0);
	is_alloc(0, FMT_heap_func_MALLOC, kept[8], 0);
	cr_expect_eq(left, (1 << 20) - 1000 - 2000 - 3000 - 4000 - 5056 - 1);
	cr_expect_eq(last, 1);
}

Test(heap, a_chosen_block_that_cannot_be_moved_is_still_one)
{
	volatile size_t much = PTRDIFF_MAX;

	begin_sampled(1);
	kept[0] = malloc(100);
	kept[1] = realloc(kept[0], much);
	kept[2] = reallocarray(kept[0], much, 4);
	kept[3] = reallocarray(kept[0], much, 1);
	cr_assert(!kept[1] && !kept[2] && !kept[3]);
	free(kept[0]);
	end(1, 1);
	is_free(0, FMT_heap_func_FREE, kept[0]);
}

Test(heap, in_a_pause_chosen_blocks_only_end)
{
	begin_sampled(1);
	kept[0] = malloc(100);
	heap_pause();
	cr_assert_eq(heap_mode(), HEAP_FREES | HEAP_CHOSEN);
	kept[1] = malloc(100);
	free(kept[0]);
	free(kept[1]);
	heap_start();
	kept[2] = malloc(100);
	end(2, 1);
	is_free(0, FMT_heap_func_FREE, kept[0]);
	is_alloc(1, FMT_heap_func_MALLOC, kept[2], 100);
}
