/* statistics.c: statistics of the heap and of input and output as tables. */
#include "analyzer/report/data.h"

#include "format/record.h"
#include "analyzer/views/events/heapmaps.h"

#include <string.h>

/* How many blocks or calls had which size: from `from` bytes on, below `below`. */
static void put_sizes(struct output *output, const char *name, const char *title,
                      const uint64_t counts[EXP_HISTOGRAM])
{
	struct print_table *table = print_table_begin(name);

	print_describe(table, title, 2);
	print_column(table, PRINT_BYTES, "from", "From");
	print_column(table, PRINT_BYTES, "below", "Below");
	print_column(table, PRINT_COUNT, "count", "Count");
	for (unsigned bits = 0; bits < EXP_HISTOGRAM; bits++) {
		if (counts[bits] == 0)
			continue;
		print_number(table, bits > 0 ? 1ull << (bits - 1) : 0);
		if (bits < 64)
			print_number(table, 1ull << bits);
		else
			print_none(table); /* 2^64 */
		print_number(table, counts[bits]);
	}
	print_table_end(output, table, 0);
}

static void put_moments(struct output *output, const struct exp_heap *heap)
{
	struct print_table *table = print_table_begin("live");

	print_describe(table, "Live in the course of time", 0);
	print_column(table, PRINT_MOMENT, "time", "Time");
	print_column(table, PRINT_BYTES, "bytes", "Bytes");
	print_column(table, PRINT_COUNT, "blocks", "Blocks");
	for (unsigned i = 0; i < heap->moment_count; i++) {
		print_real(table, heap->moments[i].time_s);
		print_number(table, heap->moments[i].bytes);
		print_number(table, heap->moments[i].blocks);
	}
	print_table_end(output, table, 0);
}

/* Memory mapped without a file. */
static void put_maps(const struct dataset *dataset, struct output *output)
{
	struct exp_heap_maps maps = heapmaps_sum(dataset);
	struct print_table *record;

	if (maps.maps == 0)
		return;
	record = print_record_begin("mapped");
	print_describe(record, "Memory mapped without a file", 0);
	print_field(record, PRINT_COUNT, "mappings", "Mappings", maps.maps);
	print_field(record, PRINT_BYTES, "bytes", "Bytes mapped", maps.map_bytes);
	print_field(record, PRINT_COUNT, "unmappings", "Unmapping calls", maps.unmaps);
	print_field(record, PRINT_BYTES, "unmapped", "Bytes unmapped", maps.unmap_bytes);
	print_field(record, PRINT_BYTES, "live", "Bytes still mapped", maps.live_bytes);
	print_field(record, PRINT_BYTES, "peak", "Bytes at the peak", maps.peak_bytes);
	print_field_real(record, PRINT_MOMENT, "peak_time", "Time of the peak", maps.peak_time_s);
	print_table_end(output, record, 0);
}

void data_heapstat(const struct dataset *dataset, struct output *output, const struct exp_heap *sum,
                   const struct dataset_experiment *highest)
{
	const struct exp_heap *heap = &highest->data->heap;
	struct print_table *peak = print_record_begin("peak"),
			   *totals = print_record_begin("totals");

	print_describe(peak, "Process with the highest peak", 0);
	print_describe(totals, "Allocations and leaks", 0);
	print_field(peak, PRINT_BYTES, "bytes", "Heap size", heap->peak_bytes);
	print_field_real(peak, PRINT_MOMENT, "time", "Time of peak", heap->peak_time_s);
	print_field(peak, PRINT_ID, "experiment", "Experiment Id", highest->id);
	print_field(peak, PRINT_ID, "pid", "Process Id", (uint64_t)highest->info->pid);
	print_table_end(output, peak, 0);
	put_moments(output, heap);
	print_field(totals, PRINT_COUNT, "allocations", "Allocations", sum->allocs);
	print_field(totals, PRINT_BYTES, "bytes", "Bytes allocated", sum->alloc_bytes);
	print_field(totals, PRINT_BYTES, "smallest", "Smallest", sum->smallest);
	print_field(totals, PRINT_BYTES, "largest", "Largest", sum->largest);
	if (sum->sampled_every == 0) /* else they are not known */
		print_field(totals, PRINT_COUNT, "temporary", "Temporary allocations", sum->temps);
	print_field(totals, PRINT_COUNT, "frees", "Frees", sum->frees);
	print_field(totals, PRINT_COUNT, "unmatched_frees", "Frees of unknown blocks",
	            sum->unmatched_frees);
	print_field(totals, PRINT_COUNT, "leaks", "Leaks", sum->leaks);
	print_field(totals, PRINT_BYTES, "leaked", "Bytes leaked", sum->leak_bytes);
	print_table_end(output, totals, 0);
	put_sizes(output, "sizes", "Sizes of blocks", sum->size_count);
	put_sizes(output, "leak_sizes", "Sizes of leaks", sum->leak_size_count);
	put_maps(dataset, output);
}

static const struct {
	unsigned class;
	const char *name, *sizes, *title; /* sizes: NULL if its calls move no bytes */
} classes[] = {
	{EXP_IO_READ, "read", "read_sizes", "Bytes a read"},
	{EXP_IO_WRITE, "write", "write_sizes", "Bytes a write"},
	{EXP_IO_OTHER, "other", NULL, NULL},
	{EXP_IO_ERROR, "error", NULL, NULL},
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

static void put_classes(struct output *output, const struct exp_io *io)
{
	struct print_table *table = print_table_begin("classes");

	print_describe(table, "Calls", 1);
	print_column(table, PRINT_WORD, "class", "Class");
	print_column(table, PRINT_COUNT, "calls", "Calls");
	print_column(table, PRINT_BYTES, "bytes", "Bytes");
	print_column(table, PRINT_NS, "time", "Time");
	print_column(table, PRINT_NS, "longest", "Longest Call");
	print_column(table, PRINT_BYTES, "smallest", "Smallest");
	print_column(table, PRINT_BYTES, "largest", "Largest");
	for (size_t i = 0; i < CLASSES; i++) {
		const struct exp_io_sizes *sizes = &io->sizes[classes[i].class];

		print_word(table, classes[i].name);
		print_number(table, io->totals.count[classes[i].class]);
		print_number(table, io->totals.bytes[classes[i].class]);
		print_number(table, io->totals.wait_ns[classes[i].class]);
		print_number(table, sizes->longest_ns);
		print_number(table, sizes->smallest);
		print_number(table, sizes->largest);
	}
	print_table_end(output, table, 0);
}

static void put_functions(struct output *output, const struct exp_io *io)
{
	struct print_table *table = print_table_begin("functions");

	print_describe(table, "Functions, each with its variants", 1);
	print_column(table, PRINT_WORD, "function", "Function");
	print_column(table, PRINT_COUNT, "calls", "Calls");
	print_column(table, PRINT_COUNT, "errors", "Errors");
	print_column(table, PRINT_BYTES, "bytes", "Bytes");
	print_column(table, PRINT_NS, "time", "Time");
	for (unsigned i = 0; i < EXP_IO_FUNCTIONS; i++) {
		const struct exp_io_function *at = &io->functions[i];
		const char *name = fmt_enum_name("io_func", i);

		if (at->count == 0)
			continue;
		print_word(table, name ? name : "<Unknown>");
		print_number(table, at->count);
		print_number(table, at->errors);
		print_number(table, at->bytes);
		print_number(table, at->wait_ns);
	}
	print_table_end(output, table, 0);
}

void data_iostat(struct output *output, const struct exp_io *io)
{
	struct print_table *errors = print_table_begin("errors");

	print_describe(errors, "Why calls failed", 1);
	put_classes(output, io);
	for (size_t i = 0; i < CLASSES; i++)
		if (classes[i].sizes)
			put_sizes(output, classes[i].sizes, classes[i].title,
			          io->sizes[classes[i].class].size_count);
	put_functions(output, io);
	print_column(errors, PRINT_WORD, "error", "Error");
	print_column(errors, PRINT_COUNT, "calls", "Calls");
	for (int i = 0; i < EXP_IO_ERRORS; i++) {
		if (io->errors[i] == 0)
			continue;
		print_word(errors, i != 0 ? strerrorname_np(i) : NULL);
		print_number(errors, io->errors[i]);
	}
	print_table_end(output, errors, 0);
}

struct print_table *data_io_begin(const char *name, int with_fd)
{
	struct print_table *table = print_table_begin(name);

	if (with_fd) {
		print_column(table, PRINT_ID, "experiment", "Experiment");
		print_column(table, PRINT_ID, "fd", "Descriptor");
	}
	print_column(table, PRINT_WORD, "file", "File");
	print_column(table, PRINT_WORD, "type", "Type");
	print_column(table, PRINT_COUNT, "reads", "Reads");
	print_column(table, PRINT_BYTES, "read_bytes", "Bytes Read");
	print_column(table, PRINT_NS, "read_time", "Read Time");
	print_column(table, PRINT_COUNT, "writes", "Writes");
	print_column(table, PRINT_BYTES, "write_bytes", "Bytes Written");
	print_column(table, PRINT_NS, "write_time", "Write Time");
	print_column(table, PRINT_COUNT, "others", "Other Calls");
	print_column(table, PRINT_NS, "other_time", "Other Time");
	print_column(table, PRINT_COUNT, "errors", "Errors");
	print_column(table, PRINT_NS, "error_time", "Error Time");
	return table;
}

void data_io_add(struct print_table *table, const struct data_io_row *row, int with_fd)
{
	if (with_fd && row->at)
		print_number(table, row->at->id);
	else if (with_fd)
		print_none(table);
	if (with_fd && row->fd != UINT32_MAX)
		print_number(table, row->fd);
	else if (with_fd)
		print_none(table);
	print_word(table, row->file);
	print_word(table, row->type);
	for (size_t i = 0; i < CLASSES; i++) {
		unsigned class = classes[i].class;

		print_number(table, row->totals->count[class]);
		if (classes[i].sizes)
			print_number(table, row->totals->bytes[class]);
		print_number(table, row->totals->wait_ns[class]);
	}
}
