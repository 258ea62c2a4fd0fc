/* filters.c: the commands that choose events, and the lists of what can be chosen. */
#include "analyzer/views/view.h"

#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/filter/ranges.h"
#include "analyzer/report/report.h"
#include "analyzer/model/datakind.h"

#include "format/record.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void set_part(struct dataset *dataset, struct output *output, enum filters_part part,
                     const char *command, const char *shown, const char *expression)
{
	struct expression_error error = {.column = 0};

	if (filters_set(dataset, part, shown, expression, &error) != 0)
		output_fail_at(output, command, error.column, error.text);
}

static void put_part(const struct dataset *dataset, struct output *output, enum filters_part part,
                     const char *command)
{
	const char *shown = filters_shown(dataset->filters, part);

	view_put_setting(output, command, shown ? shown : "all");
}

void view_filters(struct analysis *analysis, const struct command_argument *argument)
{
	const char *text = argument->text;

	if (!text) {
		put_part(&analysis->dataset, &analysis->output, FILTERS_EXPRESSION, "filters");
		return;
	}
	set_part(&analysis->dataset, &analysis->output, FILTERS_EXPRESSION, "filters", text,
	         strcasecmp(text, "all") == 0 ? NULL : text);
}

void view_time(struct analysis *analysis, const struct command_argument *argument)
{
	struct expression_error error;
	char *expression;

	if (!argument->text) {
		put_part(&analysis->dataset, &analysis->output, FILTERS_TIME, "time");
		return;
	}
	if (ranges_time(argument->text, &expression, &error) != 0) {
		output_fail_at(&analysis->output, "time", error.column, error.text);
		return;
	}
	set_part(&analysis->dataset, &analysis->output, FILTERS_TIME, "time", argument->text,
	         expression);
	free(expression);
}

static void select_list(struct dataset *dataset, struct output *output, enum filters_part part,
                        const char *command, const char *token, const char *text)
{
	struct expression_error error;
	char *expression;

	if (ranges_expression(text, token, &expression, &error) != 0) {
		output_fail_at(output, command, error.column, error.text);
		return;
	}
	set_part(dataset, output, part, command, text, expression);
	free(expression);
}

void view_thread_select(struct analysis *analysis, const struct command_argument *argument)
{
	select_list(&analysis->dataset, &analysis->output, FILTERS_THREADS, "thread_select",
	            "THRID", argument->text);
}

void view_lwp_select(struct analysis *analysis, const struct command_argument *argument)
{
	select_list(&analysis->dataset, &analysis->output, FILTERS_LWPS, "lwp_select", "LWPID",
	            argument->text);
}

void view_cpu_select(struct analysis *analysis, const struct command_argument *argument)
{
	select_list(&analysis->dataset, &analysis->output, FILTERS_CPUS, "cpu_select", "CPUID",
	            argument->text);
}

void view_sample_select(struct analysis *analysis, const struct command_argument *argument)
{
	select_list(&analysis->dataset, &analysis->output, FILTERS_SAMPLES, "sample_select",
	            "SAMPLE", argument->text);
}

/* ---- lists ---- */

static void put_selected(const struct dataset *dataset, struct output *output,
                         enum filters_part part)
{
	const char *shown = filters_shown(dataset->filters, part);

	print_note(output, "selected: %s", shown ? shown : "all");
}

static void put_threads(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, enum filters_part part, const char *name)
{
	struct print_table *table = print_table_begin(name);
	const struct dataset_experiment *at = NULL;

	put_selected(dataset, output, part);
	print_column(table, PRINT_VALUE, "experiment", "Experiment");
	if (part == FILTERS_THREADS)
		print_column(table, PRINT_VALUE, "thread", "Thread");
	print_column(table, PRINT_VALUE, "tid", "System's Id");
	print_column(table, PRINT_SECONDS, "start", "Start");
	print_column(table, PRINT_NS, "cpu", "CPU Time");
	print_column(table, PRINT_WORD, "name", "Name");
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->whole->thread_count; i++) {
			const struct exp_thread *thread = &at->whole->threads[i];

			print_real(table, at->id);
			if (part == FILTERS_THREADS)
				print_real(table, (double)i + 1);
			print_real(table, thread->tid);
			print_real(table, thread->time_s);
			report_put_thread_cpu(dataset, table, thread);
			print_word(table, thread->name);
		}
	print_table_end(output, table, choices->limit);
}

void view_thread_list(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_threads(dataset, choices, output, FILTERS_THREADS, "threads");
}

void view_lwp_list(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_threads(dataset, choices, output, FILTERS_LWPS, "lwps");
}

void view_sample_list(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("samples");
	const struct dataset_experiment *at = NULL;

	(void)argument;
	put_selected(dataset, output, FILTERS_SAMPLES);
	print_column(table, PRINT_VALUE, "experiment", "Experiment");
	print_column(table, PRINT_VALUE, "sample", "Sample");
	print_column(table, PRINT_SECONDS, "start", "Start");
	print_column(table, PRINT_SECONDS, "end", "End");
	print_column(table, PRINT_NS, "cpu", "CPU Time");
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 1; i < at->whole->usage_count; i++) {
			const struct exp_usage *before = &at->whole->usage[i - 1],
					       *after = before + 1;

			print_real(table, at->id);
			print_real(table, after->number);
			print_real(table, before->time_s);
			print_real(table, after->time_s);
			print_number(table, after->cpu_ns > before->cpu_ns
			                            ? after->cpu_ns - before->cpu_ns
			                            : 0);
		}
	print_table_end(output, table, choices->limit);
}

/* ---- describe ---- */

static const char *kind_name(enum token_kind kind)
{
	static const char *const names[] = {
		[TOKEN_KIND_NUMBER] = "number",   [TOKEN_KIND_TIME] = "ns",
		[TOKEN_KIND_BYTES] = "bytes",     [TOKEN_KIND_HEX] = "address",
		[TOKEN_KIND_ENUM] = "name",       [TOKEN_KIND_HEAPFUNC] = "name",
		[TOKEN_KIND_IOCLASS] = "name",    [TOKEN_KIND_ERROR] = "errno",
		[TOKEN_KIND_FILE] = "text",       [TOKEN_KIND_SYSTEM] = "text",
		[TOKEN_KIND_THREAD] = "text",     [TOKEN_KIND_COUNTER] = "text",
		[TOKEN_KIND_STACK] = "functions",
	};

	return names[kind];
}

/* The kinds of data in a set. */
static void put_data(struct print_table *table, unsigned data)
{
	const char *separator = "";
	unsigned count = 0;
	char *text = NULL;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (data & 1u << kind) {
			fprintf(out, "%s%s", separator, datakinds[kind].word);
			separator = ",";
			count++;
		}
	memory_stream_end(out, &text);
	print_word(table, count == FMT_DATAKINDS ? "all" : text);
	free(text);
}

static void put_alias(void *context, const char *name)
{
	fprintf(context, " [%s]", name);
}

/* The meaning, the names of values that are the same everywhere, other spellings. */
static void put_meaning(struct print_table *table, unsigned id)
{
	const struct token *token = &token_table[id];
	const char *separator = ": ";
	char *text = NULL;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	fputs(token->meaning, out);
	for (int value = -1;
	     token->kind != TOKEN_KIND_ERROR && (value = token_value_next(token, value)) >= 0;
	     separator = ", ")
		fprintf(out, "%s%s", separator, token_value_name(token, value));
	token_aliases(id, put_alias, out);
	memory_stream_end(out, &text);
	print_word(table, text);
	free(text);
}

static unsigned loaded_data(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;
	unsigned data = 0;

	while ((at = dataset_next(dataset, at)))
		data |= at->whole->have;
	return data;
}

static int has_mark(const struct dataset *dataset, uint64_t mark)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->whole->nodes.count; i++)
			if (at->whole->nodes.pc[i] == mark)
				return 1;
	return 0;
}

static int has_rank(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		if (at->info->mpi_rank >= 0)
			return 1;
	return 0;
}

/* Are there data with this property? Some names also apply to events of other kinds. */
static int is_worth(const struct dataset *dataset, unsigned id, unsigned have)
{
	switch (id) {
	case TOKEN_OMPREG:
		return has_mark(dataset, FMT_PC_PARALLEL);
	case TOKEN_OMPTASK:
		return has_mark(dataset, FMT_PC_TASK);
	case TOKEN_OMPSTATE:
		return (have & EXP_DATA_OMP) != 0 || has_mark(dataset, FMT_PC_PARALLEL);
	case TOKEN_MPISTATE:
		return (have & EXP_DATA_MPI) != 0;
	case TOKEN_MPIRANK:
		return has_rank(dataset);
	default:
		return (token_table[id].data & have) != 0;
	}
}

void view_describe(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct print_table *table = print_table_begin("words");
	const char *shown = filters_shown(dataset->filters, FILTERS_EXPRESSION);
	unsigned have = loaded_data(dataset);

	(void)choices;
	(void)argument;
	print_note(output, "filters: %s", shown ? shown : "none");
	print_note(
		output,
		"FNAME(\"regex\"): functions whose names match as a whole, for IN, SOME IN and ORDERED IN with stacks");
	print_note(
		output,
		"REGEX(\"regex\"): names that match as a whole, for == and IN with values that have names or texts");
	print_note(output, "LOG2(n), LOG10(n): logarithms, rounded down");
	print_column(table, PRINT_WORD, "word", "Word");
	print_column(table, PRINT_WORD, "value", "Value");
	print_column(table, PRINT_WORD, "events", "Events");
	print_column(table, PRINT_WORD, "meaning", "Meaning");
	for (unsigned id = 0; id < TOKENS; id++) {
		const struct token *token = &token_table[id];

		if (!is_worth(dataset, id, have))
			continue;
		print_word(table, token->name);
		print_word(table, kind_name(token->kind));
		put_data(table, token->data);
		put_meaning(table, id);
	}
	print_table_end(output, table, 0);
}
