/* Memory that was mapped without a file: which stacks hold it, at the end and at the peak; and
 * ranges that move are still known. */
#include "format/record.h"

enum { NODES = 2 };
static const uint64_t pcs[NODES] = {0x1000, 0x2000};
static const int parents[NODES] = {-1, -1};

#include "tests/unit/experiment/one_stream.h"

#include <string.h>

TestSuite(heapmaps, .init = set_up, .fini = tear_down);

static void event(uint64_t time, unsigned func, int ends, uint64_t start, uint64_t size,
                  uint32_t stack)
{
	struct fmt_heap_map record = {.kind = FMT_KIND_heap_map,
	                              .func = (uint8_t)func,
	                              .ends = (uint8_t)ends,
	                              .stack = stack,
	                              .addr = start,
	                              .size = size};

	maker_event(&stream, t + time, &record, sizeof(record));
}

static void mapped(uint64_t time, uint64_t start, uint64_t size, int node)
{
	event(time, FMT_map_func_MMAP, 0, start, size, ids[node]);
}

static void unmapped(uint64_t time, uint64_t start, uint64_t size)
{
	event(time, FMT_map_func_MUNMAP, 1, start, size, 0);
}

/* mremap: the old range ends, then the new one begins. */
static void moved(uint64_t time, uint64_t from, uint64_t size, uint64_t to, uint64_t new_size)
{
	event(time, FMT_map_func_MREMAP, 1, from, size, ids[1]);
	event(time + 1, FMT_map_func_MREMAP, 0, to, new_size, ids[1]);
}

Test(heapmaps, stacks_hold_what_they_mapped)
{
	const struct exp_heap_maps *maps;
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	mapped(10, 0x10000, 0x3000, 0);
	mapped(20, 0x20000, 0x1000, 1);
	mapped(30, 0x30000, 0x2000, 0);
	unmapped(40, 0x10000, 0x1000);
	unmapped(50, 0x20000, 0x1000);
	unmapped(60, 0x90000, 0x1000); /* of a file */
	mapped(70, 0x40000, 0x1000, 1);
	set = load("heaptrace");
	maps = &set->heap.maps;
	cr_expect_eq(maps->maps, 4);
	cr_expect_eq(maps->map_bytes, 0x7000);
	cr_expect_eq(maps->unmaps, 2);
	cr_expect_eq(maps->unmap_bytes, 0x2000);
	cr_expect_eq(maps->unknown_unmaps, 1);
	cr_expect_eq(maps->live_bytes, 0x5000);
	cr_expect_eq(maps->peak_bytes, 0x6000);
	cr_expect_float_eq(maps->peak_time_s, 30e-9, 1e-12);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_COUNT, 0), 2);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_BYTES, 0), 0x5000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_LIVE_BYTES, 0), 0x4000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_PEAK_BYTES, 0), 0x5000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_COUNT, 1), 2);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_LIVE_BYTES, 1), 0x1000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_PEAK_BYTES, 1), 0x1000);
	cr_expect_eq(set->heap.allocs, 0);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(heapmaps, a_range_that_moves_is_held_by_who_moved_it)
{
	const struct exp_heap_maps *maps;
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	mapped(10, 0x10000, 0x1000, 0);
	moved(20, 0x10000, 0x1000, 0x50000, 0x4000);
	moved(30, 0x90000, 0x1000, 0xa0000, 0x1000); /* of a file */
	set = load("heaptrace");
	maps = &set->heap.maps;
	cr_expect_eq(maps->maps, 2);
	cr_expect_eq(maps->map_bytes, 0x5000);
	cr_expect_eq(maps->unmaps, 1);
	cr_expect_eq(maps->unmap_bytes, 0x1000);
	cr_expect_eq(maps->unknown_unmaps, 0, "they are no calls of munmap");
	cr_expect_eq(maps->live_bytes, 0x4000);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_LIVE_BYTES, 0), 0);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_MAP_LIVE_BYTES, 1), 0x4000);
}

/* Each thread moves its own. */
Test(heapmaps, what_another_thread_moves_is_another_range)
{
	const struct exp_heap_maps *maps;

	maker_extent(&stream, 42, t, 4096);
	mapped(10, 0x10000, 0x1000, 0);
	event(20, FMT_map_func_MREMAP, 1, 0x10000, 0x1000, ids[0]);
	event(40, FMT_map_func_MREMAP, 0, 0x50000, 0x1000, ids[0]);
	event(50, FMT_map_func_MREMAP, 0, 0x60000, 0x1000, ids[0]); /* of a file */
	maker_extent(&stream, 43, t, 4096);
	event(30, FMT_map_func_MREMAP, 0, 0x80000, 0x1000, ids[1]); /* of a file */
	maps = &load("heaptrace")->heap.maps;
	cr_expect_eq(maps->maps, 2);
	cr_expect_eq(maps->live_bytes, 0x1000);
}

Test(heapmaps, memory_without_a_stack_counts_as_such)
{
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	event(10, FMT_map_func_BRK, 0, 0x10000, 0x123, 0);
	set = load("heaptrace");
	cr_expect_eq(set->nodes.no_stack[EXP_MAP_LIVE_BYTES], 0x123);
	cr_expect_eq(set->nodes.no_stack[EXP_MAP_COUNT], 1);
	cr_expect_eq(set->heap.maps.live_bytes, 0x123);
}

Test(heapmaps, a_range_that_cannot_be_is_damage)
{
	static const uint64_t ranges[][2] = {
		{UINT64_C(1) << 57, 0x1000},
		{0x1000, UINT64_C(1) << 57},
		{0x1000, 0},
		{(UINT64_C(1) << 57) - 0x1000, (UINT64_C(1) << 57) - 1},
	};
	const struct exp_data_set *set;

	maker_extent(&stream, 42, t, 4096);
	for (uint64_t i = 0; i < 4; i++) {
		maker_extent(&stream, (uint32_t)(50 + i), t, 4096);
		mapped(10 + i, ranges[i][0], ranges[i][1], 0);
	}
	set = load("heaptrace");
	cr_expect_eq(maker.warnings, 3, "%s", maker.warning);
	cr_expect_neq(strstr(maker.warning, "the address or size of a mapping is damaged"), NULL,
	              "%s", maker.warning);
	cr_expect_eq(set->heap.maps.maps, 1, "the last one can be");
}
