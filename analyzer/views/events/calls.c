/* calls.c: the calls of traced functions: how many, how long, and how evenly distributed. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"

#include "experiment/base/clock.h"
#include "experiment/base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A row: a function in all experiments. */
struct row {
	const struct sym_function *function;
	struct exp_call_function sum; /* its histogram is the row's own */
	double mean_ns, deviation_ns;
};

struct rows {
	struct row *at; /* at[count] */
	size_t count, capacity;
	uint32_t *of_function; /* by the symbols' index of functions, plus 1 */
	size_t function_capacity;
};

static double count_of(const struct row *row)
{
	return (double)(row->sum.count + row->sum.cut);
}
static double total_of(const struct row *row)
{
	return (double)row->sum.total_ns;
}
static double self_of(const struct row *row)
{
	return (double)row->sum.self_ns;
}
static double min_of(const struct row *row)
{
	return (double)row->sum.min_ns;
}
static double mean_of(const struct row *row)
{
	return row->mean_ns;
}
static double max_of(const struct row *row)
{
	return (double)row->sum.max_ns;
}
static double deviation_of(const struct row *row)
{
	return row->deviation_ns;
}

/* A percentile is the middle of a bucket, which may lie beyond the extremes. */
static double quantile(const struct row *row, double share)
{
	uint64_t value = experiment_quantile(&row->sum.ns, share);

	if (value < row->sum.min_ns)
		value = row->sum.min_ns;
	return (double)(value > row->sum.max_ns ? row->sum.max_ns : value);
}

static double p50_of(const struct row *row)
{
	return quantile(row, 0.5);
}
static double p90_of(const struct row *row)
{
	return quantile(row, 0.9);
}
static double p99_of(const struct row *row)
{
	return quantile(row, 0.99);
}

/* The columns. The text shows seconds where is_seconds, else microseconds. */
static const struct column {
	const char *key, *heading;
	int is_count, is_seconds, width;
	double (*value)(const struct row *row);
} columns[] = {
	{"total", "Total", 0, 1, 12, total_of}, {"self", "Self", 0, 1, 12, self_of},
	{"count", "Calls", 1, 0, 11, count_of}, {"min", "Min", 0, 0, 11, min_of},
	{"mean", "Mean", 0, 0, 11, mean_of},    {"p50", "P50", 0, 0, 11, p50_of},
	{"p90", "P90", 0, 0, 11, p90_of},       {"p99", "P99", 0, 0, 11, p99_of},
	{"max", "Max", 0, 0, 11, max_of},       {"stddev", "Std.dev.", 0, 0, 11, deviation_of},
};
enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0]),
	OF_ALL = 3 /* columns of all calls; the others are of complete ones */
};

static int has_value(const struct row *row, size_t column)
{
	return column < OF_ALL || row->sum.count != 0;
}

/* The function at an address of a trace; one that nobody has named is unknown. */
static const struct sym_function *find_function(const struct dataset *dataset,
                                                const struct dataset_experiment *at,
                                                const struct exp_call_function *call)
{
	const struct sym_frame *frames;
	int count = symbols_frames(dataset->symbols, at->experiment, call->address,
	                           call->generation, 1, &frames);

	if (count < 0)
		memory_fail();
	return count < 1 ? symbols_unknown(dataset->symbols) : frames[count - 1].function;
}

static struct row *row_of(struct rows *rows, const struct sym_function *function)
{
	rows->of_function = memory_reach(rows->of_function, function->index,
	                                 &rows->function_capacity, sizeof(*rows->of_function));
	if (rows->of_function[function->index] == 0) {
		rows->at = memory_grow(rows->at, rows->count, &rows->capacity, sizeof(*rows->at));
		rows->at[rows->count] = (struct row){.function = function};
		rows->of_function[function->index] = (uint32_t)++rows->count;
	}
	return &rows->at[rows->of_function[function->index] - 1];
}

/* The spread of both together: Chan, Golub and LeVeque, "Updating formulae ... for computing sample
 * variances", 1979. */
static double join_spread(const struct exp_call_function *a, const struct exp_call_function *b)
{
	double m = (double)a->count, n = (double)b->count, difference;

	if (a->count == 0 || b->count == 0)
		return a->spread + b->spread;
	difference = a->sum_ns / m - b->sum_ns / n;
	return a->spread + b->spread + difference * difference * m * n / (m + n);
}

static void add(struct row *row, const struct exp_call_function *from)
{
	struct exp_call_function *to = &row->sum;

	to->spread = join_spread(to, from);
	if (from->count != 0 && (to->count == 0 || from->min_ns < to->min_ns))
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->count += from->count;
	to->cut += from->cut;
	to->total_ns += from->total_ns;
	to->self_ns += from->self_ns;
	to->sum_ns += from->sum_ns;
	if (exp_histogram_merge(&to->ns, &from->ns) != 0)
		memory_fail();
}

static void gather(const struct dataset *dataset, struct rows *rows)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->data->calls.function_count; i++) {
			const struct exp_call_function *call = &at->data->calls.functions[i];

			/* Filters may leave none. */
			if (call->count + call->cut != 0)
				add(row_of(rows, find_function(dataset, at, call)), call);
		}
	for (size_t i = 0; i < rows->count; i++) {
		struct row *row = &rows->at[i];
		double count = (double)row->sum.count;

		row->mean_ns = row->sum.count != 0 ? row->sum.sum_ns / count : 0;
		row->deviation_ns = row->sum.count > 1 ? sqrt(row->sum.spread / (count - 1)) : 0;
	}
}

static int by_column(const void *left, const void *right, void *context)
{
	const struct column *column = context;
	const struct row *a = left, *b = right;
	double x = column->value(a), y = column->value(b);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->function->name, b->function->name);
}

static const struct column *find_column(struct output *output, const char *word)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (strcasecmp(columns[i].key, word) == 0)
			return &columns[i];
	output_fail(output, EXIT_USAGE,
	            "calls: no column '%.64s' (there are total, self, count, min, mean, p50, "
	            "p90, p99, max and stddev)",
	            word);
	return NULL;
}

static void put_text(const struct choices *choices, struct output *output, const struct rows *rows,
                     size_t shown)
{
	FILE *out = output->out;

	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "%*s ", columns[i].width, columns[i].heading);
	fputs(" Name\n", out);
	for (size_t i = 0; i < COLUMNS; i++) {
		const char *unit = columns[i].is_seconds ? "sec." : "usec.";

		fprintf(out, "%*s ", columns[i].width, columns[i].is_count ? "" : unit);
	}
	fputc('\n', out);
	for (size_t i = 0; i < shown; i++) {
		const struct row *row = &rows->at[i];
		char *name = name_function(choices, row->function);

		for (size_t j = 0; j < COLUMNS; j++) {
			const struct column *column = &columns[j];
			double scale = column->is_count ? 1 : column->is_seconds ? 1e9 : 1e3;

			if (!has_value(row, j)) {
				fprintf(out, "%*s ", column->width, "-");
				continue;
			}
			fprintf(out, "%*.*f ", column->width,
			        column->is_count     ? 0
			        : column->is_seconds ? 6
			                             : 3,
			        column->value(row) / scale);
		}
		fputc(' ', out);
		text_put(out, name);
		fputc('\n', out);
		free(name);
	}
	fputc('\n', out);
}

static void put_data(const struct choices *choices, struct output *output, const struct rows *rows,
                     size_t shown)
{
	struct print_table *table = print_table_begin("calls");

	print_describe(table, "Calls of traced functions", 1);
	print_column(table, PRINT_WORD, "name", "Name");
	for (size_t i = 0; i < COLUMNS; i++)
		print_column(table, columns[i].is_count ? PRINT_COUNT : PRINT_NS, columns[i].key,
		             columns[i].heading);
	for (size_t i = 0; i < shown; i++) {
		char *name = name_function(choices, rows->at[i].function);

		print_word(table, name);
		free(name);
		for (size_t j = 0; j < COLUMNS; j++) {
			if (has_value(&rows->at[i], j))
				print_number(table, exp_whole(columns[j].value(&rows->at[i])));
			else
				print_none(table);
		}
	}
	print_table_end(output, table, 0);
}

/* What was not seen to begin or to end. */
static void put_faults(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	struct exp_calls sum = {.functions = NULL};

	while ((at = dataset_next(dataset, at))) {
		const struct exp_calls *calls = &at->data->calls;

		sum.unwound += calls->unwound;
		sum.open += calls->open;
		sum.stray += calls->stray;
		sum.too_deep += calls->too_deep;
	}
	if (sum.unwound + sum.open + sum.stray + sum.too_deep != 0)
		print_note(
			output,
			"of the calls, %llu were left without an exit, %llu had not ended, %llu were too deep to be "
			"timed; %llu exits of calls whose entry was not seen",
			(unsigned long long)sum.unwound, (unsigned long long)sum.open,
			(unsigned long long)sum.too_deep, (unsigned long long)sum.stray);
}

/* Not a single call, of which filters know nothing: what the code lacks. */
void view_put_untraced(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	int with_returns = 1, was_on = 0;

	while ((at = dataset_next(dataset, at))) {
		if (at->whole->calls.function_count != 0 ||
		    experiment_counter(at->experiment, "calls_erased", 0) != 0 ||
		    experiment_counter(at->experiment, "calls_unhooked", 0) != 0)
			return;
		was_on |= strcmp(experiment_setting(at->experiment, "functrace", "off"), "off") !=
		          0;
		with_returns &= strcmp(experiment_setting(at->experiment, "functrace_returns",
		                                          "off"),
		                       "on") == 0;
	}
	if (!was_on)
		return;
	print_note(
		output,
		"no call was traced: the functions that ran were not compiled for it, or not chosen (the header has warnings, if there are any)");
	if (with_returns)
		print_note(
			output,
			"traced is code that is compiled with -finstrument-functions, -fxray-instrument, -pg or -fpatchable-function-entry");
	else
		print_note(
			output,
			"traced is code that is compiled with -finstrument-functions or -fxray-instrument; with -pg or "
			"-fpatchable-function-entry, record with --functrace=returns=on");
}

/* What xcollect --functrace=min= has left out, and what it could not record. */
static void put_absent(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	uint64_t erased = 0, unhooked = 0;

	while ((at = dataset_next(dataset, at))) {
		erased += experiment_counter(at->experiment, "calls_erased", 0);
		unhooked += experiment_counter(at->experiment, "calls_unhooked", 0);
	}
	if (erased != 0)
		print_note(output,
		           "%llu short calls were not recorded, as asked for by --functrace",
		           (unsigned long long)erased);
	if (unhooked != 0)
		print_note(
			output,
			"%llu calls were not recorded, since it is not sure where they return to",
			(unsigned long long)unhooked);
}

/* What the program said in traced functions. */
static void put_events(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	uint64_t events = 0;

	while ((at = dataset_next(dataset, at)))
		events += at->data->calls.events;
	if (events != 0)
		print_note(
			output,
			"%llu events of the program's own in traced functions (ftrace shows them)",
			(unsigned long long)events);
}

static void put(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct rows *rows, const struct column *column)
{
	size_t shown = choices->limit != 0 && choices->limit < rows->count ? choices->limit
	                                                                   : rows->count;

	quality_put(dataset, output);
	put_faults(dataset, output);
	put_absent(dataset, output);
	put_events(dataset, output);
	view_put_untraced(dataset, output);
	if (print_is_data(output)) {
		put_data(choices, output, rows, shown);
	} else {
		fprintf(output->out, "Calls of %zu traced functions, sorted by %s\n\n", rows->count,
		        column->heading);
		put_text(choices, output, rows, shown);
	}
	if (rows->count == 0)
		return;
	report_put_next(dataset, choices, output, "csingle", rows->at[0].function,
	                "who calls it, and what it calls");
	fputc('\n', output->out);
}

void view_calls(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	const struct column *column = &columns[0];
	struct rows rows = {.count = 0};

	if (argument->text)
		column = find_column(output, argument->text);
	if (!column)
		return;
	gather(dataset, &rows);
	if (rows.count > 1)
		qsort_r(rows.at, rows.count, sizeof(*rows.at), by_column,
		        (void *)(uintptr_t)column);
	put(dataset, choices, output, &rows, column);
	for (size_t i = 0; i < rows.count; i++)
		exp_histogram_fini(&rows.at[i].sum.ns);
	free(rows.at);
	free(rows.of_function);
}
