/* iostat.c: statistics of input and output: totals and sizes, functions, errors. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/compare/beside.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	unsigned class;
	const char *title, *calls;
	int has_bytes;
} sections[] = {
	{EXP_IO_READ, "Read", "Reads", 1},
	{EXP_IO_WRITE, "Write", "Writes", 1},
	{EXP_IO_OTHER, "Other", "Calls", 0},
	{EXP_IO_ERROR, "Errors", "Calls", 0},
};

static void add_sizes(struct exp_io_sizes *to, const struct exp_io_sizes *from, int is_first)
{
	if (is_first || from->smallest < to->smallest)
		to->smallest = from->smallest;
	if (from->largest > to->largest)
		to->largest = from->largest;
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
	for (size_t i = 0; i < EXP_HISTOGRAM; i++)
		to->size_count[i] += from->size_count[i];
}

static void add_class(struct exp_io *to, const struct exp_io *from, size_t class)
{
	if (from->totals.count[class] == 0)
		return;
	add_sizes(&to->sizes[class], &from->sizes[class], to->totals.count[class] == 0);
	to->totals.count[class] += from->totals.count[class];
	to->totals.bytes[class] += from->totals.bytes[class];
	to->totals.wait_ns[class] += from->totals.wait_ns[class];
}

/* The statistics of all experiments together. */
static void sum_up(const struct dataset *dataset, struct exp_io *sum)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at))) {
		const struct exp_io *io = at->data->io;

		for (size_t class = 0; class < EXP_IO_CLASSES; class ++)
			add_class(sum, io, class);
		for (size_t j = 0; j < EXP_IO_FUNCTIONS; j++) {
			sum->functions[j].count += io->functions[j].count;
			sum->functions[j].errors += io->functions[j].errors;
			sum->functions[j].bytes += io->functions[j].bytes;
			sum->functions[j].wait_ns += io->functions[j].wait_ns;
		}
		for (size_t j = 0; j < EXP_IO_ERRORS; j++)
			sum->errors[j] += io->errors[j];
	}
}

static void put_seconds(FILE *out, const char *what, uint64_t ns)
{
	char text[TEXT_TIME_MAX];
	int is_short = text_is_short(ns);

	fprintf(out, "  %-23s  %s (%s)\n", what, text_time(ns, is_short, text),
	        is_short ? "usecs." : "secs.");
}

static void put_section(FILE *out, const struct exp_io *io, size_t index)
{
	unsigned class = sections[index].class;
	const struct exp_io_sizes *sizes = &io->sizes[class];
	uint64_t count = io->totals.count[class], bytes = io->totals.bytes[class];

	fprintf(out, "%s\n", sections[index].title);
	report_put_count(out, "Total calls", count);
	put_seconds(out, "Total time", io->totals.wait_ns[class]);
	if (count == 0)
		return;
	put_seconds(out, "Longest call", sizes->longest_ns);
	if (!sections[index].has_bytes)
		return;
	report_put_count(out, "Total bytes", bytes);
	report_put_count(out, "Smallest bytes", sizes->smallest);
	report_put_count(out, "Largest bytes", sizes->largest);
	report_put_count(out, "Average bytes", bytes / count);
	report_put_sizes(out, sizes->size_count, "Bytes a call", sections[index].calls);
}

static int by_time(const void *left, const void *right, void *context)
{
	const struct exp_io_function *functions = context;
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	if (functions[a].wait_ns != functions[b].wait_ns)
		return functions[a].wait_ns > functions[b].wait_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void put_functions(FILE *out, struct exp_io *io)
{
	unsigned order[EXP_IO_FUNCTIONS];
	size_t count = 0;

	for (unsigned i = 0; i < EXP_IO_FUNCTIONS; i++)
		if (io->functions[i].count != 0)
			order[count++] = i;
	if (count > 1)
		qsort_r(order, count, sizeof(*order), by_time, io->functions);
	fprintf(out, "\nFunctions, each with its variants\n  %9s  %9s  %14s  %12s  %s\n", "Calls",
	        "Errors", "Bytes", "Time (secs.)", "Function");
	for (size_t i = 0; i < count; i++) {
		const struct exp_io_function *at = &io->functions[order[i]];
		const char *name = fmt_enum_name("io_func", order[i]);

		fprintf(out, "  %9llu  %9llu  %14llu  %12.6f  %s\n", (unsigned long long)at->count,
		        (unsigned long long)at->errors, (unsigned long long)at->bytes,
		        report_seconds(at->wait_ns), name ? name : "<Unknown>");
	}
}

static void put_errors(FILE *out, const struct exp_io *io)
{
	if (io->totals.count[EXP_IO_ERROR] == 0)
		return;
	fprintf(out, "\nWhy calls failed\n  %9s  %s\n", "Calls", "Error");
	for (int i = 1; i < EXP_IO_ERRORS; i++) {
		const char *name = strerrorname_np(i);

		if (io->errors[i] != 0)
			fprintf(out, "  %9llu  %s (%s)\n", (unsigned long long)io->errors[i],
			        name ? name : "?", strerror(i));
	}
	if (io->errors[0] != 0)
		fprintf(out, "  %9llu  <Unknown>\n", (unsigned long long)io->errors[0]);
}

static void put_data(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	struct exp_io *io = memory_take(1, sizeof(*io));

	(void)choices;
	sum_up(dataset, io);
	data_iostat(output, io);
	free(io);
}

static void put_text(const struct dataset *dataset, struct output *output)
{
	struct exp_io *io = memory_take(1, sizeof(*io));
	FILE *out = output->out;

	sum_up(dataset, io);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (i != 0)
			fputc('\n', out);
		put_section(out, io, i);
	}
	put_functions(out, io);
	put_errors(out, io);
	fputc('\n', out);
	free(io);
}

void view_iostat(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	(void)argument;
	quality_put(dataset, output);
	if (dataset_columns(dataset) > 1)
		compare_beside(dataset, choices, output, put_data);
	else if (print_is_data(output))
		put_data(dataset, choices, output);
	else
		put_text(dataset, output);
	if (print_is_data(output))
		return;
	report_put_next(dataset, choices, output, "ioactivity", NULL, "the files behind it");
	report_put_next(dataset, choices, output, "iocallstack", NULL,
	                "the stacks that read and write");
	fputc('\n', output->out);
}
