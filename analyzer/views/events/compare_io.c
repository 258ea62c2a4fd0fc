/* compare_io.c: files and descriptors of compared groups, side by side. */
#include "analyzer/table/compare.h"
#include "analyzer/report/compare/named.h"
#include "format/record.h"
#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct metric_values values_of(const struct exp_io_totals *totals)
{
	struct metric_values values = {.of = {0}};

	values.of[METRIC_IOREADCNT] = totals->count[EXP_IO_READ];
	values.of[METRIC_IOREADBYTES] = totals->bytes[EXP_IO_READ];
	values.of[METRIC_IOREADTIME] = totals->wait_ns[EXP_IO_READ];
	values.of[METRIC_IOWRITECNT] = totals->count[EXP_IO_WRITE];
	values.of[METRIC_IOWRITEBYTES] = totals->bytes[EXP_IO_WRITE];
	values.of[METRIC_IOWRITETIME] = totals->wait_ns[EXP_IO_WRITE];
	values.of[METRIC_IOOTHERCNT] = totals->count[EXP_IO_OTHER];
	values.of[METRIC_IOOTHERTIME] = totals->wait_ns[EXP_IO_OTHER];
	values.of[METRIC_IOERRORCNT] = totals->count[EXP_IO_ERROR];
	values.of[METRIC_IOERRORTIME] = totals->wait_ns[EXP_IO_ERROR];
	return values;
}

/* The name of a file in a comparison. The numbers of pipes and sockets, as in "pipe:[123]", mean
 * nothing in another run; files without a name are told apart by what they are. */
static char *file_name(const struct exp_io_file *file)
{
	const char *type = fmt_enum_name("file_type", file->type);
	const char *number;

	if (!file->name)
		return memory_format("<Not named> (%s)", type ? type : "?");
	number = file->name[0] == '/' ? NULL : strstr(file->name, ":[");
	return memory_text(file->name, number ? (size_t)(number - file->name) : file->name_size);
}

static void add_files(struct compare_named *named, size_t column, const struct exp_io *io)
{
	for (size_t i = 0; i < io->file_count; i++) {
		struct metric_values values = values_of(&io->files[i].totals);

		if (metric_values_any(&values)) /* some were only named */
			compare_named_add(named, column, file_name(&io->files[i]), 0, &values);
	}
}

static void add_descriptors(struct compare_named *named, size_t column, const struct exp_io *io)
{
	for (size_t i = 0; i < io->descriptor_count; i++) {
		const struct exp_io_descriptor *from = &io->descriptors[i];
		struct metric_values values = values_of(&from->totals);
		char *name = file_name(&io->files[from->file]);

		if (from->fd == UINT32_MAX)
			compare_named_add(named, column, memory_format("- %s", name), 0, &values);
		else
			compare_named_add(named, column, memory_format("%u %s", from->fd, name), 0,
			                  &values);
		free(name);
	}
}

/* Files or descriptors of the compared groups side by side. */
static void put_compared(const struct dataset *dataset, const struct choices *choices,
                         struct output *output, const char *what, const char *key,
                         void (*add)(struct compare_named *named, size_t column,
                                     const struct exp_io *io))
{
	struct compare_named *named = compare_named_create();

	for (size_t i = 0, columns = dataset_columns(dataset); i < columns; i++) {
		const struct dataset part = compare_part(dataset, i);
		const struct dataset_experiment *at = NULL;

		while ((at = dataset_next(&part, at)))
			add(named, i, at->data->io);
	}
	compare_named_put_kind(dataset, choices, output, named, EXP_DATA_IO, what, key, NULL);
}

void compare_files(const struct dataset *dataset, const struct choices *choices,
                   struct output *output)
{
	put_compared(dataset, choices, output, "Files", "ioactivity", add_files);
}

void compare_descriptors(const struct dataset *dataset, const struct choices *choices,
                         struct output *output)
{
	put_compared(dataset, choices, output, "Descriptors", "iodetail", add_descriptors);
}
