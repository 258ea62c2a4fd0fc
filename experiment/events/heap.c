/* heap.c: reads heap events in order of time, and pairs allocations with frees over all threads. A
 * block that is live at the end is a leak, which counts for the stack that allocated it.
 * See doc/decisions/34-parallel-readers.md. */
#include "experiment/events/heapreader.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many events ahead the slots of blocks are prefetched. A slot is nearly always a cache miss,
 * and there is nothing else to do in the meantime; 100 ns are enough for five events, and events of
 * other threads come in between. The rows of what lives are prefetched too, when the slots are
 * there, if there are so many rows (512 KB) that they are cache misses as well. */
enum { AHEAD = 16, NEAR = 6, MANY_ROWS = 8192 };

static unsigned bucket_of(uint64_t size)
{
	return size == 0 ? 0 : 64 - (unsigned)__builtin_clzll(size);
}

/* Does the latest allocation live to the end? */
static int is_leaked(const struct exp_heap_reader *reader, uint64_t address)
{
	struct exp_block block;

	return reader->leaked && exp_blocks_find(reader->leaked, address, &block) &&
	       block.node == reader->number;
}

/* When the latest allocation is freed. */
static uint64_t freed_ticks(const struct exp_heap_reader *reader)
{
	const struct exp_frees *frees = reader->frees;

	if (!frees || reader->number >= frees->count || frees->ticks[reader->number] == 0)
		return UINT64_MAX;
	return frees->ticks[reader->number];
}

/* Remember when a block is freed. */
static int note_free(struct exp_frees *frees, uint32_t number, uint64_t ticks)
{
	if (number >= frees->count) {
		size_t count = 2 * (size_t)number + 1024;
		uint64_t *more = realloc(frees->ticks, count * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + frees->count, 0, (count - frees->count) * sizeof(*more));
		frees->ticks = more;
		frees->count = count;
	}
	frees->ticks[number] = ticks;
	return 0;
}

/* The row for an allocation, which its free will follow. */
static uint32_t row_of(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                       uint64_t address, uint64_t size, uint32_t stack)
{
	struct exp_load *load = reader->load;
	struct exp_fact fact;

	if (!load->selection)
		return exp_load_node_row(load, exp_load_stack(load, cursor, stack));
	reader->number++;
	if (reader->is_first)
		return reader->number;
	fact = (struct exp_fact){.data = EXP_DATA_HEAP,
	                         .type = cursor->payload[1],
	                         .bytes = size,
	                         .address = address};
	fact.node = exp_load_stack(load, cursor, stack);
	fact.is_leaked = is_leaked(reader, address);
	fact.freed_ticks = freed_ticks(reader);
	reader->live_bytes += exp_heap_weight_of(reader, exp_blocks_size(size)).bytes;
	reader->leaked_bytes += fact.is_leaked ? exp_heap_weight_of(reader, size).bytes : 0;
	fact.live_bytes = reader->live_bytes;
	fact.leaked_bytes = reader->leaked_bytes;
	return exp_load_row(load, cursor, &fact);
}

/* The same, with room for it in what lives. */
static uint32_t live_row_of(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                            uint64_t address, uint64_t size, uint32_t stack)
{
	uint32_t row = row_of(reader, cursor, address, size, stack);

	if (reader->load->rc == 0)
		reader->load->rc = exp_live_grow(&reader->live, reader->load->rows.capacity);
	return row;
}

/* A block that was not selected is paired, but counts for nothing. */
static int counts(const struct exp_block *block)
{
	return block->node != EXP_ROW_NONE;
}

/* It lives no more. */
static void end_block(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                      const struct exp_block *block)
{
	struct exp_heap_weight weight = exp_heap_weight_of(reader, block->size);
	const struct exp_selection *selection = reader->load->selection;

	reader->live_bytes -= weight.bytes;
	if (reader->is_first && reader->frees &&
	    note_free(reader->frees, block->node, cursor->tsc) != 0)
		reader->load->rc = -ENOMEM;
	if (!counts(block))
		return;
	exp_live_remove_some(&reader->live, block->node, weight.units, weight.bytes);
	if (selection && selection->freed && !reader->is_first)
		selection->freed(selection->context, &(struct exp_freed){.row = block->node,
		                                                         .ticks = cursor->tsc,
		                                                         .bytes = weight.bytes,
		                                                         .count = weight.units,
		                                                         .units = reader->units});
}

/* A block of this size has been allocated. */
static void count_alloc(struct exp_heap *heap, struct exp_live_row *row, uint64_t size,
                        struct exp_heap_weight weight)
{
	row->allocs += weight.units;
	row->alloc_bytes += weight.bytes;
	heap->recorded++;
	heap->allocs += weight.units;
	heap->alloc_bytes += weight.bytes;
	heap->size_count[bucket_of(size)] += weight.units;
	if (size < heap->smallest)
		heap->smallest = size;
	if (size > heap->largest)
		heap->largest = size;
}

static void on_alloc(struct exp_heap_reader *reader, struct exp_cursor *cursor, uint64_t address,
                     uint64_t size, uint32_t stack)
{
	struct exp_heap_weight weight;
	struct exp_block block, old;
	int rc;

	if (address == 0 || address >> EXP_ADDRESS_BITS != 0 || size >> EXP_ADDRESS_BITS != 0) {
		exp_cursor_fault(cursor, "an allocation's address or size is damaged");
		return;
	}
	block.node = live_row_of(reader, cursor, address, size, stack);
	if (reader->load->rc != 0)
		return;
	block.size = size;
	rc = exp_blocks_put(&reader->blocks, address, &block, &old);
	if (rc < 0) {
		reader->load->rc = rc;
		return;
	}
	if (rc > 0) {
		reader->heap.lost_frees += (uint64_t)counts(&old);
		end_block(reader, cursor, &old);
	}
	reader->recent.threads[cursor->owner].address = address;
	if (!counts(&block))
		return;
	reader->events++;
	count_alloc(&reader->heap, exp_live_row(&reader->live, block.node), size,
	            exp_heap_weight_of(reader, size));
	weight = exp_heap_weight_of(reader, exp_blocks_size(size));
	if (exp_live_add_some(&reader->live, block.node, weight.units, weight.bytes))
		reader->peak_tsc = cursor->tsc;
}

static void on_free(struct exp_heap_reader *reader, const struct exp_cursor *cursor,
                    uint64_t address)
{
	uint64_t *recent = &reader->recent.threads[cursor->owner].address;
	int is_recent = *recent == address;
	struct exp_block block;

	*recent = 0;
	if (address >> EXP_ADDRESS_BITS != 0 ||
	    !exp_blocks_take(&reader->blocks, address, &block)) {
		reader->events += !reader->load->selection;
		reader->heap.frees += reader->load->selection ? 0 : reader->units;
		reader->heap.unmatched_frees += !reader->load->selection;
		return;
	}
	end_block(reader, cursor, &block);
	if (!counts(&block))
		return;
	reader->events++;
	reader->heap.frees += exp_heap_weight_of(reader, block.size).units;
	/* Whether other heap calls came in between is not known of sampled blocks. */
	if (is_recent && reader->mean == 0) {
		exp_live_row(&reader->live, block.node)->temps++;
		reader->heap.temps++;
	}
}

/* Size of the payload that each kind of heap event must have. */
static uint32_t size_of(unsigned kind)
{
	switch (kind) {
	case FMT_KIND_heap_alloc:
		return sizeof(struct fmt_heap_alloc);
	case FMT_KIND_heap_alloc_wide:
		return sizeof(struct fmt_heap_alloc_wide);
	case FMT_KIND_heap_free:
		return sizeof(struct fmt_heap_free);
	case FMT_KIND_heap_map:
		return sizeof(struct fmt_heap_map);
	default:
		return 0;
	}
}

static void on_event(struct exp_heap_reader *reader, struct exp_cursor *cursor)
{
	const uint8_t *at = cursor->payload;
	struct fmt_heap_alloc alloc;
	struct fmt_heap_alloc_wide alloc_wide;
	struct fmt_heap_free freed;
	struct fmt_heap_map map;

	if (cursor->payload_size < size_of(at[0])) {
		exp_cursor_fault(cursor, "a heap event is too short");
		return;
	}
	exp_load_time(reader->load, cursor->tsc);
	exp_timeline_reach(&reader->load->timeline, cursor->tsc, reader->live.bytes,
	                   exp_heap_blocks(reader->live.count, reader->units));
	switch (at[0]) {
	case FMT_KIND_heap_alloc:
		memcpy(&alloc, at, sizeof(alloc));
		on_alloc(reader, cursor, fmt_u48_get(&alloc.addr), alloc.size, alloc.stack);
		break;
	case FMT_KIND_heap_alloc_wide:
		memcpy(&alloc_wide, at, sizeof(alloc_wide));
		on_alloc(reader, cursor, alloc_wide.addr, alloc_wide.size, alloc_wide.stack);
		break;
	case FMT_KIND_heap_free:
		memcpy(&freed, at, sizeof(freed));
		on_free(reader, cursor, freed.addr);
		break;
	case FMT_KIND_heap_map:
		if (reader->is_first)
			break;
		memcpy(&map, at, sizeof(map));
		exp_heap_on_map(reader, cursor, &map);
		break;
	default:
		break;
	}
}

/* A buffer is of one thread; events before the first sound buffer are of thread 0. Returns 0 or
 * -ENOMEM. */
static int begin_buffer(struct exp_heap_reader *reader, struct exp_cursor *cursor)
{
	if (cursor->noted == cursor->buffers && cursor->buffers != 0)
		return 0;
	if (exp_recent_find(&reader->recent, cursor->tid, &cursor->owner) != 0)
		return -ENOMEM;
	return exp_load_note_buffer(reader->load, cursor);
}

/* The payload of the record `ahead` ordinary ones after the current event, and the address in it;
 * NULL and some other number if records of other sizes or kinds come in between. They are only used
 * for prefetches, so nothing is checked except that the bytes exist. */
static const uint8_t *guess_ahead(const struct exp_cursor *cursor, size_t ahead, uint64_t *address)
{
	const size_t size = FDR_METADATA_SIZE + sizeof(struct fmt_heap_alloc);
	const uint8_t *payload;

	*address = 0;
	if ((size_t)(cursor->end - cursor->at) < (ahead + 1) * size)
		return NULL;
	payload = cursor->at + ahead * size + FDR_METADATA_SIZE;
	memcpy(address, payload + offsetof(struct fmt_heap_free, addr), sizeof(*address));
	if (payload[0] == FMT_KIND_heap_alloc)
		*address = fmt_u48_get(
			(const struct fmt_u48 *)(payload + offsetof(struct fmt_heap_alloc, addr)));
	return payload;
}

/* The row of what lives that the record NEAR ordinary ones after the current event will change; or
 * some other one. The slot of its block is already there. */
static const struct exp_live_row *guess_row(const struct exp_heap_reader *reader,
                                            const struct exp_cursor *cursor)
{
	const struct exp_load *load = reader->load;
	uint32_t row = EXP_NO_INDEX, stack;
	uint64_t address;
	const uint8_t *payload = guess_ahead(cursor, NEAR, &address);

	if (payload && payload[0] == FMT_KIND_heap_free)
		row = exp_blocks_guess(&reader->blocks, address);
	if (payload && payload[0] == FMT_KIND_heap_alloc && !load->selection) {
		memcpy(&stack, payload + offsetof(struct fmt_heap_alloc, stack), sizeof(stack));
		row = exp_rows_find(&load->rows, exp_nodes_find(&load->nodes, stack));
	}
	return exp_live_row(&reader->live, row);
}

static int run(void *context, struct exp_cursor *cursor, uint64_t until)
{
	struct exp_heap_reader *reader = context;
	uint64_t address;
	int more;

	do {
		/* Not in a separate function: GCC 12 removes calls of functions that only
		 * prefetch. */
		guess_ahead(cursor, AHEAD, &address);
		__builtin_prefetch(exp_blocks_home(&reader->blocks, address), 1);
		if (reader->live.row_count > MANY_ROWS)
			__builtin_prefetch(guess_row(reader, cursor), 1);
		if (begin_buffer(reader, cursor) != 0) {
			reader->load->rc = -ENOMEM;
			return 0;
		}
		on_event(reader, cursor);
		more = exp_cursor_next(cursor);
	} while (more && cursor->key <= until && reader->load->rc == 0);
	return more && reader->load->rc == 0;
}

/* The leaks by size; by stack, they are the blocks that are live at the end. */
static void count_leaks(struct exp_heap_reader *reader)
{
	struct exp_heap *heap = &reader->heap;

	for (size_t i = 0; i <= reader->blocks.mask; i++) {
		struct exp_block block;

		if (reader->blocks.slot[i].word[0] == 0)
			continue;
		block = exp_blocks_get(&reader->blocks.slot[i]);
		if (!counts(&block))
			continue;
		heap->leak_size_count[bucket_of(block.size)] += exp_heap_weight_of(reader,
		                                                                   block.size)
		                                                        .units;
	}
	heap->leaks = exp_heap_blocks(reader->live.count, reader->units);
	heap->leak_bytes = reader->live.bytes;
	heap->peak_bytes = reader->live.peak_bytes;
}

/* The numbers of blocks were counted in units of them. */
static void tell_blocks(const struct exp_heap_reader *reader, struct exp_heap *heap)
{
	*heap = reader->heap;
	heap->sampled_every = reader->mean;
	heap->allocs = exp_heap_blocks(heap->allocs, reader->units);
	heap->frees = exp_heap_blocks(heap->frees, reader->units);
	for (unsigned i = 0; i < EXP_HISTOGRAM; i++) {
		heap->size_count[i] = exp_heap_blocks(heap->size_count[i], reader->units);
		heap->leak_size_count[i] = exp_heap_blocks(heap->leak_size_count[i], reader->units);
	}
}

static int credit_blocks(struct exp_heap_reader *reader)
{
	const uint64_t units = reader->units;
	const struct exp_heap_column columns[] = {
		{EXP_ALLOC_COUNT, offsetof(struct exp_live_row, allocs), units},
		{EXP_ALLOC_BYTES, offsetof(struct exp_live_row, alloc_bytes), 0},
		{EXP_LEAK_COUNT, offsetof(struct exp_live_row, count), units},
		{EXP_LEAK_BYTES, offsetof(struct exp_live_row, bytes), 0},
		{EXP_PEAK_COUNT, offsetof(struct exp_live_row, peak_count), units},
		{EXP_PEAK_BYTES, offsetof(struct exp_live_row, peak_bytes), 0},
		{EXP_TEMP_COUNT, offsetof(struct exp_live_row, temps), 0},
	};

	return exp_heap_credit(reader->load, &reader->live, columns,
	                       sizeof(columns) / sizeof(columns[0]));
}

/* Find the blocks that are never freed, and when the others are. Returns 0 or -ENOMEM; in either
 * case the caller frees them.
 */
static int find_leaked(struct exp_load *load, struct exp_stream *stream, struct exp_blocks *out,
                       struct exp_frees *frees)
{
	const struct exp_timeline timeline = load->timeline;
	struct exp_heap_reader reader = {.load = load, .units = 1, .is_first = 1, .frees = frees};
	int rc = exp_blocks_init(&reader.blocks);

	if (rc == 0)
		rc = exp_live_init(&reader.live, 0);
	if (rc == 0)
		rc = exp_stream_merge(stream, run, &reader);
	exp_recent_fini(&reader.recent);
	exp_live_fini(&reader.live);
	load->timeline = timeline;
	*out = reader.blocks;
	return rc;
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	const uint64_t mean = exp_heap_mean(load->experiment);
	struct exp_heap_reader reader = {.load = load,
	                                 .mean = mean,
	                                 .units = mean ? EXP_HEAP_UNITS : 1,
	                                 .heap = {.smallest = UINT64_MAX}};
	const struct exp_selection *selection = load->selection;
	struct exp_blocks leaked = {0};
	struct exp_frees frees = {0};
	int rc = exp_blocks_init(&reader.blocks);

	if (rc == 0)
		rc = exp_live_init(&reader.live, load->rows.capacity);
	if (rc == 0 && selection && (selection->wants_leaks || selection->wants_frees)) {
		reader.frees = selection->wants_frees ? &frees : NULL;
		reader.leaked = &leaked;
		rc = find_leaked(load, stream, &leaked, reader.frees);
	}
	if (rc == 0)
		rc = exp_mappings_init(&reader.mappings, load->rows.capacity);
	if (rc == 0)
		rc = exp_stream_merge(stream, run, &reader);
	if (rc == 0)
		rc = load->rc;
	if (rc == 0) {
		count_leaks(&reader);
		rc = credit_blocks(&reader);
	}
	if (rc == 0)
		rc = exp_heap_credit_maps(&reader);
	if (rc == 0) {
		if (reader.heap.recorded == 0)
			reader.heap.smallest = 0;
		tell_blocks(&reader, &load->set.heap);
		load->set.quality.heap_events = reader.events;
		load->peak_tsc = reader.peak_tsc;
		load->map_peak_tsc = reader.map_peak_tsc;
	}
	exp_recent_fini(&reader.recent);
	exp_mappings_fini(&reader.mappings);
	exp_live_fini(&reader.live);
	exp_blocks_fini(&reader.blocks);
	exp_blocks_fini(&leaked);
	free(frees.ticks);
	return rc;
}

int exp_heap_read(struct exp_load *load)
{
	struct exp_stream stream;
	int rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_HEAPTRACE], &stream);

	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	load->set.have |= EXP_DATA_HEAP;
	load->timeline.start = load->experiment->clock.start.ticks;
	rc = read_stream(load, &stream);
	exp_stream_close(&stream);
	return rc;
}
