/* ftrace.c: the calls of each thread, one after the other. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "experiment/xray/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What to show. */
struct range {
	uint64_t tid, depth; /* 0: all */
	double from_s, to_s; /* to_s 0: to the end */
	double min_us;       /* shortest call to show */
};

/* A line that waits: if the call ends with the next event, it is one line. */
struct pending {
	int is_there;
	struct exp_trace_event event;
	uint64_t arguments[4];
	unsigned argument_count;
};

struct printer {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	const struct dataset_experiment *at;
	const struct range *range;
	struct print_table *table; /* NULL: text */
	char **names;              /* names[calls.function_count], NULL until needed */
	struct pending pending;
	uint32_t tid;
	uint64_t lines;
};

enum { INDENT = 2, DEPTH_SHOWN = 60 };

static const char *name_of(struct printer *printer, uint32_t function)
{
	const struct exp_call_function *call = &printer->at->data->calls.functions[function];
	const struct sym_frame *frames;
	int count;

	if (printer->names[function])
		return printer->names[function];
	count = symbols_frames(printer->dataset->symbols, printer->at->experiment, call->address,
	                       call->generation, 1, &frames);
	if (count < 0)
		memory_fail();
	printer->names[function] = name_function(
		printer->choices, count < 1 ? symbols_unknown(printer->dataset->symbols)
					    : frames[count - 1].function);
	return printer->names[function];
}

static int is_full(const struct printer *printer)
{
	return printer->choices->limit != 0 && printer->lines >= printer->choices->limit;
}

/* The forms of a line. */
enum form { BEGIN, WHOLE, END, NO_EXIT };
static const struct {
	const char *word, *before, *behind;
	int has_arguments;
} forms[] = {{"enter", "", " {", 1},
             {"call", "", "", 1},
             {"leave", "} ", "", 0},
             {"cut", "} ", " (no exit)", 0}};

static void put_line(struct printer *printer, const struct exp_trace_event *event, double time_s,
                     enum form form)
{
	int has_duration = event->type != EXP_TRACE_ENTER;
	FILE *out = printer->output->out;
	size_t depth = event->depth < DEPTH_SHOWN ? event->depth : DEPTH_SHOWN;

	if (is_full(printer))
		return;
	printer->lines++;
	if (printer->table) {
		print_number(printer->table, printer->tid);
		print_real(printer->table, time_s);
		if (has_duration)
			print_number(printer->table, event->duration_ns);
		else
			print_none(printer->table);
		print_number(printer->table, event->depth);
		print_word(printer->table, forms[form].word);
		print_word(printer->table, name_of(printer, event->function));
		return;
	}
	fprintf(out, "%14.9f ", time_s);
	if (has_duration)
		fprintf(out, "%13.3f  ", (double)event->duration_ns / 1e3);
	else
		fprintf(out, "%13s  ", "");
	fprintf(out, "%*s%s", (int)depth * INDENT, "", forms[form].before);
	text_put(out, name_of(printer, event->function));
	for (unsigned i = 0; forms[form].has_arguments && i < printer->pending.argument_count; i++)
		fprintf(out, "%s0x%llx", i == 0 ? "(" : ", ",
		        (unsigned long long)printer->pending.arguments[i]);
	if (forms[form].has_arguments && printer->pending.argument_count != 0)
		fputc(')', out);
	fprintf(out, "%s\n", forms[form].behind);
}

static void flush(struct printer *printer)
{
	if (!printer->pending.is_there)
		return;
	put_line(printer, &printer->pending.event, printer->pending.event.time_s, BEGIN);
	printer->pending = (struct pending){.is_there = 0};
}

static int is_shown(const struct printer *printer, const struct exp_trace_event *event)
{
	const struct range *range = printer->range;

	if (range->depth != 0 && event->depth >= range->depth)
		return 0;
	if (range->to_s != 0 && event->time_s > range->to_s)
		return 0;
	return event->time_s >= range->from_s;
}

/* With a shortest time, calls show where they end, since only then they are known to be long
 * enough. */
static int on_timed(struct printer *printer, const struct exp_trace_event *event)
{
	double duration_us = (double)event->duration_ns / 1e3;

	if (event->type == EXP_TRACE_LEAVE || event->type == EXP_TRACE_CUT)
		if (duration_us >= printer->range->min_us && is_shown(printer, event))
			put_line(printer, event, event->time_s - (double)event->duration_ns / 1e9,
			         WHOLE);
	return is_full(printer);
}

static void on_leave(struct printer *printer, const struct exp_trace_event *event)
{
	const struct pending *pending = &printer->pending;

	if (pending->is_there && pending->event.depth == event->depth &&
	    event->type == EXP_TRACE_LEAVE) {
		put_line(printer, event, pending->event.time_s, WHOLE);
		printer->pending = (struct pending){.is_there = 0};
		return;
	}
	flush(printer);
	if (is_shown(printer, event))
		put_line(printer, event, event->time_s,
		         event->type == EXP_TRACE_CUT ? NO_EXIT : END);
}

/* The bytes in quotes, as far as they are there. */
static char *describe(const struct exp_trace_event *event)
{
	char *text = NULL;
	size_t len;
	FILE *out = memory_stream(&text, &len);

	fputs("event", out);
	if (event->is_typed)
		fprintf(out, " %u", event->event_type);
	fputs(": \"", out);
	text_put_bytes(out, (const char *)event->bytes, event->size);
	fprintf(out, "\"%s", event->whole > event->size ? "..." : "");
	memory_stream_end(out, &text);
	return text;
}

static void put_event(struct printer *printer, const struct exp_trace_event *event)
{
	size_t depth = event->depth < DEPTH_SHOWN ? event->depth : DEPTH_SHOWN;
	char *text;

	if (is_full(printer))
		return;
	printer->lines++;
	text = describe(event);
	if (printer->table) {
		print_number(printer->table, printer->tid);
		print_real(printer->table, event->time_s);
		print_none(printer->table);
		print_number(printer->table, event->depth);
		print_word(printer->table, "event");
		print_word(printer->table, text);
	} else {
		fprintf(printer->output->out, "%14.9f %13s  %*s%s\n", event->time_s, "",
		        (int)depth * INDENT, "", text);
	}
	free(text);
}

/* If short calls are left out, an event is printed at its time, before the calls around it. */
static void on_program_event(struct printer *printer, const struct exp_trace_event *event)
{
	if (!is_shown(printer, event))
		return;
	flush(printer);
	put_event(printer, event);
}

static int on_event(void *context, const struct exp_trace_event *event)
{
	struct printer *printer = context;
	struct pending *pending = &printer->pending;

	if (event->type == EXP_TRACE_ARGUMENT) {
		if (pending->is_there &&
		    pending->argument_count <
		            sizeof(pending->arguments) / sizeof(pending->arguments[0]))
			pending->arguments[pending->argument_count++] = event->argument;
		return 0;
	}
	if (printer->range->to_s != 0 && event->time_s > printer->range->to_s && !pending->is_there)
		return 1;
	if (event->type == EXP_TRACE_EVENT) {
		on_program_event(printer, event);
		return is_full(printer);
	}
	if (printer->range->min_us > 0)
		return on_timed(printer, event);
	if (event->type != EXP_TRACE_ENTER) {
		on_leave(printer, event);
	} else if (is_shown(printer, event)) {
		flush(printer);
		*pending = (struct pending){.is_there = 1, .event = *event};
	}
	return is_full(printer);
}

static void put_thread(struct printer *printer, uint32_t tid)
{
	int rc;

	printer->tid = tid;
	printer->pending = (struct pending){.is_there = 0};
	if (!printer->table)
		fprintf(printer->output->out, "Thread %u\n", tid);
	rc = experiment_trace(printer->at->experiment, tid, on_event, printer);
	if (rc == -ENOMEM)
		memory_fail();
	flush(printer);
	if (!printer->table)
		fputc('\n', printer->output->out);
}

static void put_experiment(struct printer *printer)
{
	size_t functions = printer->at->data->calls.function_count, count;
	uint32_t *tids;

	if (experiment_trace_threads(printer->at->experiment, &tids, &count) < 0)
		memory_fail();
	printer->names = memory_take(functions, sizeof(*printer->names));
	for (size_t i = 0; i < count && !is_full(printer); i++)
		if (printer->range->tid == 0 || printer->range->tid == tids[i])
			put_thread(printer, tids[i]);
	for (size_t i = 0; i < functions; i++)
		free(printer->names[i]);
	free(printer->names);
	free(tids);
}

/* One WORD=NUMBER of the argument at *text, which is moved behind it. Returns 0 or -EINVAL. */
static int read_word(const char **text, struct range *range)
{
	static const char *const words[] = {"tid=", "depth=", "from=", "to=", "min="};
	double values[] = {(double)range->tid, (double)range->depth, range->from_s, range->to_s,
	                   range->min_us};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);
		char *end;

		if (strncmp(*text, words[i], len) != 0)
			continue;
		values[i] = strtod(*text + len, &end);
		if (end == *text + len || !(values[i] >= 0) || values[i] > 1e15)
			return -EINVAL;
		*text = end;
		*range = (struct range){(uint64_t)values[0], (uint64_t)values[1], values[2],
		                        values[3], values[4]};
		return 0;
	}
	return -EINVAL;
}

static int read_range(struct output *output, const char *text, struct range *range)
{
	while (text && *text != '\0') {
		if (read_word(&text, range) < 0 || (*text != ',' && *text != '\0')) {
			output_fail(output, EXIT_USAGE,
			            "ftrace: '%.64s' is none of tid=N, depth=N, from=SECONDS, "
			            "to=SECONDS, min=MICROSECONDS",
			            text);
			return -EINVAL;
		}
		text += *text == ',';
	}
	return 0;
}

static struct print_table *begin_table(struct output *output)
{
	struct print_table *table;

	if (!print_is_data(output)) {
		fprintf(output->out, "%14s %13s\n%14s %13s\n", "Time", "Duration", "sec.", "usec.");
		return NULL;
	}
	table = print_table_begin("ftrace");
	print_column(table, PRINT_ID, "tid", "Thread");
	print_column(table, PRINT_SECONDS, "time", "Time");
	print_column(table, PRINT_NS, "duration", "Duration");
	print_column(table, PRINT_COUNT, "depth", "Depth");
	print_column(table, PRINT_WORD, "event", "Event");
	print_column(table, PRINT_WORD, "name", "Name");
	return table;
}

void view_ftrace(const struct dataset *dataset, const struct choices *choices,
                 struct output *output, const struct command_argument *argument)
{
	struct range range = {.tid = 0};
	struct printer printer = {
		.dataset = dataset, .choices = choices, .output = output, .range = &range};

	if (read_range(output, argument->text, &range) < 0)
		return;
	quality_put(dataset, output);
	view_put_untraced(dataset, output);
	if (filters_are_set(dataset->filters))
		print_note(
			output,
			"filters choose nothing here: ftrace tid=N,depth=N,from=SECONDS,to=SECONDS,min=MICROSECONDS does");
	printer.table = begin_table(output);
	while ((printer.at = dataset_next(dataset, printer.at)))
		put_experiment(&printer);
	if (printer.table)
		print_table_end(output, printer.table, 0);
	if (is_full(&printer))
		print_note(output, "the limit of %zu lines is reached", choices->limit);
}
