/* io.c: calls for input and output by file, by descriptor and by call stack. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"
#include "analyzer/filter/valuenames.h"
#include "analyzer/report/compare/named.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/table/compare.h"
#include "analyzer/views/events/iofile.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

/* ---- files and descriptors ---- */

/* A row: what was done with a file, or with a descriptor while it stood for it. */
struct row {
	const struct dataset_experiment *at;
	const struct exp_io_file *file;
	uint32_t fd;
	struct exp_io_totals totals;
};

static uint64_t time_of(const struct exp_io_totals *totals)
{
	uint64_t sum = 0;

	for (size_t class = 0; class < EXP_IO_CLASSES; class ++)
		sum += totals->wait_ns[class];
	return sum;
}

static uint64_t count_of(const struct exp_io_totals *totals)
{
	uint64_t sum = 0;

	for (size_t class = 0; class < EXP_IO_CLASSES; class ++)
		sum += totals->count[class];
	return sum;
}

static void add_totals(struct exp_io_totals *to, const struct exp_io_totals *from)
{
	for (size_t class = 0; class < EXP_IO_CLASSES; class ++) {
		to->count[class] += from->count[class];
		to->bytes[class] += from->bytes[class];
		to->wait_ns[class] += from->wait_ns[class];
	}
}

/* Order of names; files without one stand behind, each for itself. */
static int compare_names(const struct row *a, const struct row *b)
{
	size_t shorter;
	int order;

	if (!a->file->name || !b->file->name) {
		if (a->file->name || b->file->name)
			return !a->file->name ? 1 : -1;
		if (a->at != b->at)
			return a->at < b->at ? -1 : 1;
		return (a->file->number > b->file->number) - (a->file->number < b->file->number);
	}
	shorter = a->file->name_size < b->file->name_size ? a->file->name_size : b->file->name_size;
	order = memcmp(a->file->name, b->file->name, shorter);
	if (order != 0)
		return order;
	return (a->file->name_size > b->file->name_size) -
	       (a->file->name_size < b->file->name_size);
}

static int by_name(const void *left, const void *right)
{
	return compare_names(left, right);
}

/* Order of descriptors, each with a name. */
static int by_descriptor(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->fd != b->fd)
		return a->fd < b->fd ? -1 : 1;
	return compare_names(a, b);
}

static int by_time(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	uint64_t x = time_of(&a->totals), y = time_of(&b->totals);

	if (x == y) {
		x = count_of(&a->totals);
		y = count_of(&b->totals);
	}
	if (x != y)
		return x > y ? -1 : 1;
	if (compare_names(a, b) != 0)
		return compare_names(a, b);
	return (a->fd > b->fd) - (a->fd < b->fd);
}

const char *io_file_type(const struct exp_io_file *file)
{
	const char *type = fmt_enum_name("file_type", file->type);
	const char *system = value_file_system_name(file->file_system);

	if (file->type != FMT_file_type_REGULAR && file->type != FMT_file_type_UNKNOWN)
		return type;
	return system;
}

static void add_row(struct print_table *table, const struct row *row, int with_fd)
{
	const struct exp_io_file *file = row->file;
	const char *unnamed = file->number == 0 ? "<Unknown>" : "<Not named>";
	char *name = file->name ? memory_text(file->name, file->name_size) : NULL;

	data_io_add(table,
	            &(struct data_io_row){row->at, name ? name : unnamed, io_file_type(file),
	                                  row->fd, &row->totals},
	            with_fd);
	free(name);
}

/* The name, then what it is unless that is a plain file, and the file system it is on. */
static void put_file(FILE *out, const struct exp_io_file *file)
{
	const char *type = fmt_enum_name("file_type", file->type);
	const char *system = value_file_system_name(file->file_system);

	if (file->name)
		text_put_bytes(out, file->name, file->name_size);
	else
		fputs(file->number == 0 ? "<Unknown>" : "<Not named>", out);
	if (file->type != FMT_file_type_REGULAR && file->type != FMT_file_type_UNKNOWN && type)
		fprintf(out, " (%s)", type);
	else if (system)
		fprintf(out, " (%s)", system);
	else if (file->file_system != 0)
		fprintf(out, " (file system 0x%x)", file->file_system);
}

/* One unit for all times of a table: the sums of what calls took are those of the <Total>. */
static int is_short(const struct exp_io_totals *sum)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < EXP_IO_CLASSES; i++)
		all += sum->wait_ns[i];
	return text_is_short(all);
}

static void put_totals(FILE *out, const struct exp_io_totals *totals,
                       const struct exp_io_totals *sum)
{
	static const unsigned order[] = {EXP_IO_READ, EXP_IO_WRITE, EXP_IO_OTHER, EXP_IO_ERROR};
	char text[TEXT_TIME_MAX], number[TERMINAL_NUMBER_MAX];

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		unsigned class = order[i];

		fprintf(out, "%9s", terminal_number(out, totals->count[class], number));
		if (class == EXP_IO_READ || class == EXP_IO_WRITE)
			fprintf(out, " %13s", terminal_number(out, totals->bytes[class], number));
		fprintf(out, " %10s  ", text_time(totals->wait_ns[class], is_short(sum), text));
	}
}

static void put_heading(const struct dataset *dataset, struct output *output, int with_fd,
                        const struct exp_io_totals *sum)
{
	FILE *out = output->out;
	const char *unit = is_short(sum) ? "usec." : "sec.";

	fprintf(out, "%9s %13s %10s  %9s %13s %10s  %9s %10s  %9s %10s  ", "Reads", "Bytes", unit,
	        "Writes", "Bytes", unit, "Other", unit, "Errors", unit);
	if (with_fd && dataset->count > 1)
		fprintf(out, "%3s  ", "ID");
	fprintf(out, "%s%s\n", with_fd ? "   FD  " : "", "File");
}

static void put_row(const struct dataset *dataset, struct output *output, const struct row *row,
                    const struct exp_io_totals *sum, int with_fd)
{
	FILE *out = output->out;

	put_totals(out, &row->totals, sum);
	if (with_fd && dataset->count > 1)
		fprintf(out, "%3u  ", row->at->id);
	if (with_fd && row->fd == UINT32_MAX)
		fputs("    -  ", out);
	else if (with_fd)
		fprintf(out, "%5u  ", row->fd);
	put_file(out, row->file);
	fputc('\n', out);
}

/* Print rows[count] below their sum, those that took the longest first. */
static void put_rows(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, struct row *rows, size_t count, int with_fd)
{
	size_t shown = choices->limit != 0 && choices->limit < count ? choices->limit : count;
	struct exp_io_totals sum = {.count = {0}};

	for (size_t i = 0; i < count; i++)
		add_totals(&sum, &rows[i].totals);
	if (count > 1)
		qsort(rows, count, sizeof(*rows), by_time);
	if (print_is_data(output)) {
		struct print_table *table = data_io_begin(with_fd ? "iodetail" : "ioactivity",
		                                          with_fd);

		data_io_add(table, &(struct data_io_row){NULL, "<Total>", NULL, UINT32_MAX, &sum},
		            with_fd);
		for (size_t i = 0; i < shown; i++)
			add_row(table, &rows[i], with_fd);
		print_table_end(output, table, 0);
		return;
	}
	put_heading(dataset, output, with_fd, &sum);
	put_totals(output->out, &sum, &sum);
	if (with_fd)
		fprintf(output->out, "%*s", dataset->count > 1 ? 12 : 7, "");
	fputs("<Total>\n", output->out);
	for (size_t i = 0; i < shown; i++)
		put_row(dataset, output, &rows[i], &sum, with_fd);
	fputc('\n', output->out);
}

/* Add a row to one of the same name. A path that was only asked about has no type: whoever opened
 * the file knows better. */
static void join(struct row *to, const struct row *from)
{
	add_totals(&to->totals, &from->totals);
	if (to->file->type == FMT_file_type_UNKNOWN)
		to->file = from->file;
}

/* Rows that are equal in that order are one: files of one name, in whatever process; a descriptor
 * with one name, which may have had several numbers. Returns how many of rows[count] stay. */
static size_t join_equal(struct row *rows, size_t count,
                         int (*compare)(const void *left, const void *right))
{
	size_t kept = 0;

	if (count > 1)
		qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && compare(&rows[kept - 1], &rows[i]) == 0)
			join(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

void view_ioactivity(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct command_argument *argument)
{
	struct row *rows = NULL;
	const struct dataset_experiment *at = NULL;
	size_t count = 0, capacity = 0;

	(void)argument;
	if (dataset_columns(dataset) > 1) {
		compare_files(dataset, choices, output);
		return;
	}
	while ((at = dataset_next(dataset, at))) {
		for (size_t j = 0; j < at->data->io->file_count; j++) {
			const struct exp_io_file *file = &at->data->io->files[j];

			if (count_of(&file->totals) == 0)
				continue;
			rows = memory_grow(rows, count, &capacity, sizeof(*rows));
			rows[count++] = (struct row){at, file, 0, file->totals};
		}
	}
	count = join_equal(rows, count, by_name);
	quality_put(dataset, output);
	fprintf(output->out, "Files: %zu, sorted by the time of all calls\n\n", count);
	put_rows(dataset, choices, output, rows, count, 0);
	if (count != 0) {
		report_put_next(dataset, choices, output, "iodetail", NULL,
		                "the same by descriptor");
		report_put_next(dataset, choices, output, "iocallstack", NULL,
		                "the stacks that read and write");
		fputc('\n', output->out);
	}
	free(rows);
}

void view_iodetail(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct row *rows = NULL;
	const struct dataset_experiment *at = NULL;
	size_t count = 0, capacity = 0;

	(void)argument;
	if (dataset_columns(dataset) > 1) {
		compare_descriptors(dataset, choices, output);
		return;
	}
	while ((at = dataset_next(dataset, at))) {
		const struct exp_io *io = at->data->io;

		for (size_t j = 0; j < io->descriptor_count; j++) {
			const struct exp_io_descriptor *from = &io->descriptors[j];

			rows = memory_grow(rows, count, &capacity, sizeof(*rows));
			rows[count++] = (struct row){at, &io->files[from->file], from->fd,
			                             from->totals};
		}
	}
	count = join_equal(rows, count, by_descriptor);
	quality_put(dataset, output);
	fprintf(output->out,
	        "Descriptors, each with every file that it stood for: %zu, sorted by the time of all "
	        "calls\n\n",
	        count);
	put_rows(dataset, choices, output, rows, count, 1);
	if (count != 0) {
		report_put_next(dataset, choices, output, "iostat", NULL,
		                "sizes, functions and errors");
		fputc('\n', output->out);
	}
	free(rows);
}

/* ---- call stacks ---- */

/* The metrics of a class, as the headers of stacks list them. */
static const struct {
	const char *name;
	unsigned count, bytes, time; /* bytes: METRICS if there are none */
} classes[] = {
	{"Read", METRIC_IOREADCNT, METRIC_IOREADBYTES, METRIC_IOREADTIME},
	{"Write", METRIC_IOWRITECNT, METRIC_IOWRITEBYTES, METRIC_IOWRITETIME},
	{"Other", METRIC_IOOTHERCNT, METRICS, METRIC_IOOTHERTIME},
	{"Error", METRIC_IOERRORCNT, METRICS, METRIC_IOERRORTIME},
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

static uint64_t calls_of(const struct metric_view *values, const void *context)
{
	uint64_t sum = 0;

	(void)context;
	for (size_t i = 0; i < CLASSES; i++)
		sum += metric_at(values, classes[i].count);
	return sum;
}

static uint64_t seconds_of(const struct metric_view *values, const void *context)
{
	uint64_t sum = 0;

	(void)context;
	for (size_t i = 0; i < CLASSES; i++)
		sum += metric_at(values, classes[i].time);
	return sum;
}

static void put_classes(FILE *out, const struct metric_view *values)
{
	char number[TERMINAL_NUMBER_MAX];

	for (size_t i = 0; i < CLASSES; i++) {
		if (metric_at(values, classes[i].count) == 0)
			continue;
		fprintf(out, ", %s: Calls = %s", classes[i].name,
		        terminal_number(out, metric_at(values, classes[i].count), number));
		if (classes[i].bytes != METRICS)
			fprintf(out, " Bytes = %s",
			        terminal_number(out, metric_at(values, classes[i].bytes), number));
		fprintf(out, " Time = %.6f", report_seconds(metric_at(values, classes[i].time)));
	}
	fputc('\n', out);
}

static void put_head(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct tree *tree, uint32_t node, size_t number,
                     const void *context)
{
	const struct metric_view values = tree_own_view(tree, node);

	(void)dataset;
	(void)choices;
	(void)context;
	fprintf(output->out, "Stack #%zu, Total = %.6f (secs.), Longest = %.6f", number,
	        report_seconds(seconds_of(&values, NULL)),
	        report_seconds(tree_longest_of(tree, node).io));
	put_classes(output->out, &values);
}

static void put_summary(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct tree *tree, const void *context)
{
	const struct metric_view sum = metric_view_of(&tree->sum);
	size_t distinct = 0;

	(void)dataset;
	(void)choices;
	for (size_t row = 0; row < tree->own.values.count; row++) {
		struct metric_view values = columns_view(&tree->own.values, row);

		distinct += calls_of(&values, context) != 0;
	}
	fprintf(output->out, "Summary Results: Distinct Stacks = %zu, Total = %.6f (secs.)",
	        distinct, report_seconds(seconds_of(&sum, NULL)));
	put_classes(output->out, &sum);
}

void view_iocallstack(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	static const struct stacks_kind kind = {calls_of, seconds_of,    put_head,
	                                        NULL,     "iocallstack", EXP_DATA_IO};
	const struct tree *tree = stacks_tree(dataset, output, &kind, metric_set_of(EXP_DATA_IO));
	size_t count;
	uint32_t *stacks = stacks_find(tree, &kind, &count);

	(void)argument;
	quality_put(dataset, output);
	stacks_put_parts(dataset, choices, output, tree, put_summary, NULL);
	stacks_put(dataset, choices, output, tree, &kind, stacks, count);
	if (count != 0) {
		report_put_next(dataset, choices, output, "ioactivity", NULL,
		                "the files behind them");
		fputc('\n', output->out);
	}
	free(stacks);
}
