/* heapmaps.c: reads the events of memory that was mapped without a file, range by range. */
#include "experiment/events/heapreader.h"

#include <errno.h>

static void on_map_end(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                       const struct fmt_heap_map *map)
{
	struct exp_heap_maps *maps = &reader->heap.maps;
	uint64_t bytes;

	if (exp_mappings_remove(&reader->mappings, map->addr, map->addr + map->size, &bytes) != 0) {
		reader->load->rc = -ENOMEM;
		return;
	}
	if (map->func == FMT_map_func_MREMAP)
		reader->recent.threads[cursor->owner].remapped = bytes;
	maps->unmaps += reader->mappings.removed != 0;
	maps->unmap_bytes += reader->mappings.removed;
	maps->unknown_unmaps += bytes == 0 && map->func == FMT_map_func_MUNMAP &&
	                        !reader->load->selection;
}

static uint32_t row_of_map(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                           const struct fmt_heap_map *map)
{
	struct exp_load *load = reader->load;
	struct exp_fact fact = {.data = EXP_DATA_HEAP,
	                        .is_map = 1,
	                        .type = map->func,
	                        .bytes = map->size,
	                        .address = map->addr,
	                        .node = exp_load_stack(load, cursor, map->stack)};
	uint32_t row = exp_load_row(load, cursor, &fact);

	if (load->rc == 0)
		load->rc = exp_live_grow(&reader->mappings.live, load->rows.capacity);
	return row;
}

static void on_map_begin(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                         const struct fmt_heap_map *map)
{
	uint64_t *remapped = &reader->recent.threads[cursor->owner].remapped;
	struct exp_heap_maps *maps = &reader->heap.maps;
	int is_known = map->func != FMT_map_func_MREMAP || *remapped != 0;
	uint32_t row;
	int rc;

	*remapped = 0;
	if (!is_known) /* a file's, or one older than the recording */
		return;
	row = row_of_map(reader, cursor, map);
	rc = exp_mappings_add(&reader->mappings, map->addr, map->addr + map->size, row);
	if (rc < 0)
		reader->load->rc = rc;
	if (rc == 1)
		reader->map_peak_tsc = cursor->tsc;
	if (row == EXP_ROW_NONE)
		return;
	maps->maps++;
	maps->map_bytes += map->size;
}

void exp_heap_on_map(struct exp_heap_reader *reader, struct exp_cursor *cursor,
                     const struct fmt_heap_map *map)
{
	if (map->addr >> EXP_ADDRESS_BITS != 0 || map->size >> EXP_ADDRESS_BITS != 0 ||
	    map->size == 0) {
		exp_cursor_fault(cursor, "the address or size of a mapping is damaged");
		return;
	}
	if (map->ends)
		on_map_end(reader, cursor, map);
	else
		on_map_begin(reader, cursor, map);
}

int exp_heap_credit_maps(struct exp_heap_reader *reader)
{
	static const struct exp_heap_column columns[] = {
		{EXP_MAP_COUNT, offsetof(struct exp_live_row, allocs), 0},
		{EXP_MAP_BYTES, offsetof(struct exp_live_row, alloc_bytes), 0},
		{EXP_MAP_LIVE_BYTES, offsetof(struct exp_live_row, bytes), 0},
		{EXP_MAP_PEAK_BYTES, offsetof(struct exp_live_row, peak_bytes), 0},
	};

	reader->heap.maps.live_bytes = reader->mappings.live.bytes;
	reader->heap.maps.peak_bytes = reader->mappings.live.peak_bytes;
	return exp_heap_credit(reader->load, &reader->mappings.live, columns,
	                       sizeof(columns) / sizeof(columns[0]));
}
