/* io.c: reads calls for input and output, and the names of files. Sums do not need the order of
 * time, so buffers are read as they come; a file may be named after the calls that refer to it. */
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "experiment/table/index.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>

/* FILES_MAX bounds memory: the number of files, and of descriptors. */
enum { FILES_MAX = 4 << 20, CLASS_SHIFT = 6 };

struct reader {
	struct exp_load *load;
	struct exp_io *io; /* of the load */
	struct exp_index by_number, by_descriptor;
	size_t file_capacity, descriptor_capacity;
	uint64_t overflow; /* calls for files beyond FILES_MAX */
};

/* The metrics of a class; EXP_METRICS: none. */
static const struct {
	enum exp_metric count, bytes, wait;
} metrics[EXP_IO_CLASSES] = {
	[EXP_IO_OTHER] = {EXP_IO_OTHER_COUNT, EXP_METRICS, EXP_IO_OTHER_WAIT},
	[EXP_IO_READ] = {EXP_IO_READ_COUNT, EXP_IO_READ_BYTES, EXP_IO_READ_WAIT},
	[EXP_IO_WRITE] = {EXP_IO_WRITE_COUNT, EXP_IO_WRITE_BYTES, EXP_IO_WRITE_WAIT},
	[EXP_IO_ERROR] = {EXP_IO_ERROR_COUNT, EXP_METRICS, EXP_IO_ERROR_WAIT},
};

/* The file of this number, made if it is new. Returns its index; EXP_NO_INDEX if there are too many
 * or (load->rc) no memory. */
static uint32_t find_file(struct reader *reader, uint32_t number)
{
	struct exp_load *load = reader->load;
	uint32_t at = exp_index_find(&reader->by_number, number);

	if (at != EXP_INDEX_NONE || reader->io->file_count == FILES_MAX)
		return at;
	if (exp_array_reserve(&load->io_files, &reader->file_capacity, reader->io->file_count,
	                      sizeof(*load->io_files)) != 0 ||
	    exp_index_add(&reader->by_number, number, (uint32_t)reader->io->file_count) != 0) {
		load->rc = -ENOMEM;
		return EXP_NO_INDEX;
	}
	load->io_files[reader->io->file_count] = (struct exp_io_file){.number = number};
	return (uint32_t)reader->io->file_count++;
}

/* What a descriptor was used for while it referred to this file. Returns as find_file. */
static uint32_t find_descriptor(struct reader *reader, uint32_t number, uint32_t fd)
{
	struct exp_load *load = reader->load;
	uint64_t key = (uint64_t)number << 32 | fd;
	uint32_t at = exp_index_find(&reader->by_descriptor, key);
	uint32_t file;

	if (at != EXP_INDEX_NONE || reader->io->descriptor_count == FILES_MAX)
		return at;
	file = find_file(reader, number);
	if (file == EXP_NO_INDEX)
		return EXP_NO_INDEX;
	if (exp_array_reserve(&load->io_descriptors, &reader->descriptor_capacity,
	                      reader->io->descriptor_count, sizeof(*load->io_descriptors)) != 0 ||
	    exp_index_add(&reader->by_descriptor, key, (uint32_t)reader->io->descriptor_count) !=
	            0) {
		load->rc = -ENOMEM;
		return EXP_NO_INDEX;
	}
	load->io_descriptors[reader->io->descriptor_count] = (struct exp_io_descriptor){
		.file = file, .fd = fd};
	return (uint32_t)reader->io->descriptor_count++;
}

static unsigned class_of(const struct fmt_io *event)
{
	static const uint8_t classes[] = {EXP_IO_OTHER, EXP_IO_READ, EXP_IO_WRITE, EXP_IO_OTHER};

	return event->error != 0 ? EXP_IO_ERROR : classes[event->func >> CLASS_SHIFT];
}

/* Sizes and functions of the whole process; wait is in ticks still. */
static void add_statistics(struct reader *reader, const struct fmt_io *event, unsigned class,
                           uint64_t bytes, uint64_t wait)
{
	struct exp_io_sizes *sizes = &reader->io->sizes[class];
	struct exp_io_function *function = &reader->io->functions[event->func];

	sizes->size_count[bytes == 0 ? 0 : 64 - __builtin_clzll(bytes)]++;
	if (bytes < sizes->smallest)
		sizes->smallest = bytes;
	if (bytes > sizes->largest)
		sizes->largest = bytes;
	if (wait > sizes->longest_ns)
		sizes->longest_ns = wait;
	function->count++;
	function->bytes += bytes;
	function->wait_ns += wait;
	if (event->error == 0)
		return;
	function->errors++;
	reader->io->errors[event->error < EXP_IO_ERRORS ? event->error : 0]++;
}

static void on_call(struct reader *reader, const struct exp_cursor *cursor,
                    const struct fmt_io *event)
{
	struct exp_load *load = reader->load;
	unsigned class = class_of(event);
	uint64_t wait = fmt_ticks_get(event->wait_high, &event->wait);
	uint64_t bytes = metrics[class].bytes == EXP_METRICS ? 0 : fmt_u48_get(&event->bytes);
	struct exp_fact fact = {.data = EXP_DATA_IO,
	                        .type = event->func,
	                        .wait_ticks = wait,
	                        .error = event->error,
	                        .bytes = bytes,
	                        .class = class,
	                        .file = event->file,
	                        .fd = event->fd,
	                        .node = exp_load_stack(load, cursor, event->stack)};
	uint32_t row = exp_load_row(load, cursor, &fact);
	uint32_t at;

	exp_load_time(load, cursor->tsc);
	if (row == EXP_ROW_NONE)
		return;
	at = find_descriptor(reader, event->file, event->fd);
	if (load->rc != 0)
		return;
	exp_load_add(load, metrics[class].count, row, 1);
	exp_load_add(load, metrics[class].wait, row, wait);
	exp_load_raise(load, EXP_IO_LONGEST, row, wait);
	if (metrics[class].bytes != EXP_METRICS)
		exp_load_add(load, metrics[class].bytes, row, bytes);
	load->set.quality.io_events++;
	add_statistics(reader, event, class, bytes, wait);
	if (at == EXP_NO_INDEX) {
		reader->overflow++;
		return;
	}
	load->io_descriptors[at].totals.count[class]++;
	load->io_descriptors[at].totals.bytes[class] += bytes;
	load->io_descriptors[at].totals.wait_ns[class] += wait;
}

static void on_name(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_io_file named;
	const char *text = (const char *)cursor->payload + sizeof(named);
	struct exp_io_file *file;
	uint32_t at;

	memcpy(&named, cursor->payload, sizeof(named));
	if (named.name_size > cursor->payload_size - sizeof(named) ||
	    named.end_size > cursor->payload_size - sizeof(named) - named.name_size) {
		exp_cursor_fault(cursor, "the name of a file is cut off");
		return;
	}
	at = find_file(reader, named.file);
	if (at == EXP_NO_INDEX)
		return;
	file = &load->io_files[at];
	if (file->name)
		return;
	file->type = named.type;
	file->file_system = named.file_system;
	file->name_size = named.name_size;
	file->name = exp_arena_text(&load->arena, text, named.name_size);
	file->end = exp_arena_text(&load->arena, text + named.name_size, named.end_size);
	if (!file->name || !file->end)
		load->rc = -ENOMEM;
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct reader *reader = context;
	const struct fmt_record *record;
	struct fmt_io event;

	if (reader->load->rc != 0)
		return;
	if (exp_load_note_buffer(reader->load, cursor) != 0) {
		reader->load->rc = -ENOMEM;
		return;
	}
	if (cursor->payload[0] != FMT_KIND_io && cursor->payload[0] != FMT_KIND_io_file)
		return;
	record = fmt_record_find(cursor->payload[0]);
	if (cursor->payload_size < record->size) {
		exp_cursor_fault(cursor, "a record is too short");
		return;
	}
	if (cursor->payload[0] == FMT_KIND_io_file) {
		on_name(reader, cursor);
		return;
	}
	memcpy(&event, cursor->payload, sizeof(event));
	if (cursor->tsc < reader->load->experiment->kept_from)
		return;
	if (exp_load_cut_wait(reader->load, cursor->tsc, &event.wait_high, &event.wait))
		on_call(reader, cursor, &event);
	else
		exp_cursor_fault(cursor, "a call began before the recording");
}

static void add_totals(struct exp_io_totals *to, const struct exp_io_totals *from)
{
	for (size_t class = 0; class < EXP_IO_CLASSES; class ++) {
		to->count[class] += from->count[class];
		to->bytes[class] += from->bytes[class];
		to->wait_ns[class] += from->wait_ns[class];
	}
}

static void finish(struct reader *reader)
{
	struct exp_load *load = reader->load;
	struct exp_io *io = reader->io;

	for (size_t i = 0; i < io->descriptor_count; i++) {
		struct exp_io_descriptor *descriptor = &load->io_descriptors[i];

		for (size_t class = 0; class < EXP_IO_CLASSES; class ++)
			descriptor->totals.wait_ns[class] = exp_load_ns(
				load, descriptor->totals.wait_ns[class]);
		add_totals(&load->io_files[descriptor->file].totals, &descriptor->totals);
		add_totals(&io->totals, &descriptor->totals);
	}
	for (size_t class = 0; class < EXP_IO_CLASSES; class ++) {
		exp_load_metric_ns(load, metrics[class].wait);
		io->sizes[class].longest_ns = exp_load_ns(load, io->sizes[class].longest_ns);
		if (io->sizes[class].smallest == UINT64_MAX)
			io->sizes[class].smallest = 0;
	}
	exp_load_metric_ns(load, EXP_IO_LONGEST);
	for (size_t i = 0; i < EXP_IO_FUNCTIONS; i++)
		io->functions[i].wait_ns = exp_load_ns(load, io->functions[i].wait_ns);
	io->files = load->io_files;
	io->descriptors = load->io_descriptors;
	if (reader->overflow != 0)
		exp_warn(load->experiment, "%s: too many files: %llu calls belong to none",
		         exp_stream_names[FMT_STREAM_IOTRACE],
		         (unsigned long long)reader->overflow);
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	struct reader reader = {.load = load,
	                        .io = exp_arena_alloc(&load->arena, sizeof(*reader.io))};
	int rc;

	if (!reader.io)
		return -ENOMEM;
	for (size_t class = 0; class < EXP_IO_CLASSES; class ++)
		reader.io->sizes[class].smallest = UINT64_MAX;
	rc = exp_stream_each(stream, on_event, &reader);
	if (rc == 0)
		rc = load->rc;
	load->set.io = reader.io;
	if (rc == 0)
		finish(&reader);
	exp_index_fini(&reader.by_number);
	exp_index_fini(&reader.by_descriptor);
	return rc;
}

int exp_io_read(struct exp_load *load)
{
	int rc = exp_load_kind(load, EXP_DATA_IO, EXP_IO_READ_COUNT, EXP_IO_LONGEST, read_stream);

	/* Without calls, it has the names of files that were waited for. */
	if (strcmp(experiment_setting(load->experiment, "io", "on"), "off") == 0)
		load->set.have &= ~(unsigned)EXP_DATA_IO;
	return rc;
}
