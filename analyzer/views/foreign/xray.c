/* xray.c: foreign logs as llvm-xray prints them: records as YAML or as trace events, and
 * accounts of functions. */
#include "analyzer/views/view.h"

#include "experiment/xray/xraylog.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/sorter.h"
#include "analyzer/base/text.h"
#include "analyzer/views/foreign/xraylogs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_MEMORY = 24 << 20 };

/* ---- the records of a log in order of time ---- */

/* A record as a sorter keeps it; arguments and data follow. */
struct packed {
	uint16_t cpu, event_type;
	uint32_t kind, function, tid, pid, argument_count, data_size, zero;
};

struct packer {
	struct sorter *sorter;
	uint64_t count;
	uint8_t *bytes;
	size_t capacity;
};

static int pack(void *context, const struct xraylog_record *record)
{
	struct packer *packer = context;
	struct packed packed = {record->cpu,
	                        record->event_type,
	                        record->kind,
	                        record->function,
	                        record->tid,
	                        record->pid,
	                        record->argument_count,
	                        record->data_size,
	                        0};
	size_t arguments = record->argument_count * sizeof(uint64_t),
	       size = sizeof(packed) + arguments + record->data_size;

	if (size > packer->capacity) {
		packer->bytes = memory_resize(packer->bytes, size, 1);
		packer->capacity = size;
	}
	memcpy(packer->bytes, &packed, sizeof(packed));
	if (arguments != 0)
		memcpy(packer->bytes + sizeof(packed), record->arguments, arguments);
	if (record->data_size != 0)
		memcpy(packer->bytes + sizeof(packed) + arguments, record->data, record->data_size);
	sorter_add(packer->sorter, record->tsc, packer->count++, packer->bytes, (uint32_t)size);
	return 0;
}

static struct xraylog_record unpack(const struct sorter_item *item)
{
	const struct packed *packed = item->payload;
	const uint64_t *arguments = (const uint64_t *)(packed + 1);

	return (struct xraylog_record){
		.kind = (enum xraylog_kind)packed->kind,
		.cpu = packed->cpu,
		.event_type = packed->event_type,
		.function = packed->function,
		.tid = packed->tid,
		.pid = packed->pid,
		.tsc = item->major,
		.arguments = arguments,
		.argument_count = packed->argument_count,
		.data = (const uint8_t *)(arguments + packed->argument_count),
		.data_size = packed->data_size,
	};
}

/* The caller frees. */
static struct sorter *sort(const struct xraylog *log)
{
	struct packer packer = {.sorter = sorter_new(SORT_MEMORY)};

	xraylogs_each(log, pack, &packer);
	free(packer.bytes);
	sorter_begin(packer.sorter);
	return packer.sorter;
}

/* ---- YAML, quoted as LLVM does ---- */

enum quoting { PLAIN, SINGLE, DOUBLE };

static int is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(text, *words) != 0)
		words++;
	return *words != NULL;
}

static const char *skip(const char *text, const char *characters)
{
	return text + strspn(text, characters);
}

/* Would a reader take it for a number? (YAML 1.2, core schema) */
static int is_number(const char *text)
{
	static const char *const odd[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", NULL};
	static const char decimal[] = "0123456789";
	const char *whole, *end;

	if (is_one_of(text, odd))
		return 1;
	if (strncmp(text, "0x", 2) == 0 || strncmp(text, "0o", 2) == 0)
		return text[2] != '\0' && *skip(text + 2, text[1] == 'x' ? "0123456789abcdefABCDEF"
		                                                         : "01234567") == '\0';
	whole = skip(text, decimal);
	end = *whole == '.' ? skip(whole + 1, decimal) : whole;
	if (end - text - (*whole == '.') <= 0)
		return 0;
	if (*end == 'e' || *end == 'E') {
		const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');

		end = skip(exponent, decimal);
		if (end == exponent)
			return 0;
	}
	return *end == '\0';
}

/* Would a reader take it for something else than a text? What begins with a sign is quoted anyway.
 */
static int is_value(const uint8_t *text, size_t len)
{
	static const char *const words[] = {"null", "Null",  "NULL",  "true",  "True",
	                                    "TRUE", "false", "False", "FALSE", NULL};
	char *copy = memory_text((const char *)text, len);
	int is = is_one_of(copy, words) || is_number(copy);

	free(copy);
	return is;
}

static enum quoting quoting_of(const uint8_t *text, size_t len)
{
	enum quoting quoting = PLAIN;

	if (len == 0 || strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]) || text[0] == ' ' ||
	    text[len - 1] == ' ')
		quoting = SINGLE;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < 0x20 ? text[i] != '\t' : text[i] >= 0x7f)
			return DOUBLE;
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-^., \t",
		            text[i]))
			quoting = SINGLE;
	}
	return is_value(text, len) ? SINGLE : quoting;
}

static void put_double(FILE *out, const uint8_t *text, size_t len)
{
	static const char names[] = "0abtnvfre", values[] = "\0\a\b\t\n\v\f\r\x1b";

	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		const char *known = memchr(values, text[i], sizeof(values) - 1);

		if (known)
			fprintf(out, "\\%c", names[known - values]);
		else if (text[i] == '"' || text[i] == '\\')
			fprintf(out, "\\%c", text[i]);
		else if (text[i] < 0x20 || text[i] >= 0x7f)
			fprintf(out, "\\x%02X", text[i]);
		else
			fputc(text[i], out);
	}
	fputc('"', out);
}

static void put_scalar(FILE *out, const uint8_t *text, size_t len)
{
	enum quoting quoting = quoting_of(text, len);

	if (quoting == DOUBLE) {
		put_double(out, text, len);
		return;
	}
	if (quoting == SINGLE)
		fputc('\'', out);
	for (size_t i = 0; i < len; i++) {
		if (quoting == SINGLE && text[i] == '\'')
			fputc('\'', out);
		fputc(text[i], out);
	}
	if (quoting == SINGLE)
		fputc('\'', out);
}

static void put_yaml_record(FILE *out, const struct xraylogs_source *source,
                            const struct xraylog_record *record)
{
	const struct sym_function *function = xraylogs_function(source, record->function);

	static const char *const kinds[] = {"function-enter",     "function-exit",
	                                    "function-tail-exit", "function-enter-arg",
	                                    "custom-event",       "typed-event"};

	fprintf(out, "  - { type: %u, func-id: %u, function: ", record->event_type,
	        record->function);
	if (function)
		put_scalar(out, (const uint8_t *)function->name, strlen(function->name));
	else
		fprintf(out, "'%u'", record->function);
	for (uint32_t i = 0; i < record->argument_count; i++)
		fprintf(out, "%s%llu%s", i == 0 ? ", args: [ " : ", ",
		        (unsigned long long)record->arguments[i],
		        i + 1 == record->argument_count ? " ]" : "");
	fprintf(out, ", cpu: %u, thread: %u", record->cpu, record->tid);
	if (record->pid != 0)
		fprintf(out, ", process: %u", record->pid);
	fprintf(out, ", kind: %s, tsc: %llu, data: ", kinds[record->kind],
	        (unsigned long long)record->tsc);
	put_scalar(out, record->data, record->data_size);
	fputs(" }\n", out);
}

static void put_yaml(FILE *out, const struct xraylogs_source *source)
{
	const struct xraylog *log = source->log;
	struct sorter *sorter = sort(log);
	struct sorter_item item;

	fprintf(out,
	        "---\nheader:\n  version:         %u\n  type:            %u\n  constant-tsc:    %s\n"
	        "  nonstop-tsc:     %s\n  cycle-frequency: %llu\nrecords:\n",
	        log->version, log->type, log->constant_tsc ? "true" : "false",
	        log->nonstop_tsc ? "true" : "false", (unsigned long long)log->cycle_frequency);
	while (sorter_next(sorter, &item)) {
		struct xraylog_record record = unpack(&item);

		put_yaml_record(out, source, &record);
	}
	fputs("...\n", out);
	sorter_free(sorter);
}

/* ---- trace events ---- */

/* A path of calls: llvm-xray numbers them in order of their first entries. */
struct frame {
	uint32_t function, parent;          /* parent: number + 1, 0 none */
	uint32_t first_child, next_sibling; /* number + 1 */
};

struct thread {
	uint32_t tid, top; /* top: number + 1 */
};

struct frames {
	struct frame *at; /* at[count] */
	size_t count, capacity;
	struct thread *threads; /* threads[thread_count] */
	size_t thread_count, thread_capacity;
	uint32_t roots;
};

static struct thread *find_thread(struct frames *frames, uint32_t tid)
{
	for (size_t i = 0; i < frames->thread_count; i++)
		if (frames->threads[i].tid == tid)
			return &frames->threads[i];
	frames->threads = memory_grow(frames->threads, frames->thread_count,
	                              &frames->thread_capacity, sizeof(*frames->threads));
	frames->threads[frames->thread_count] = (struct thread){.tid = tid};
	return &frames->threads[frames->thread_count++];
}

/* The frame of a function below a parent (number + 1, 0 none), made if it is new. Returns its
 * number + 1. */
static uint32_t find_frame(struct frames *frames, uint32_t parent, uint32_t function)
{
	uint32_t first = parent == 0 ? frames->roots : frames->at[parent - 1].first_child;

	for (uint32_t at = first; at != 0; at = frames->at[at - 1].next_sibling)
		if (frames->at[at - 1].function == function)
			return at;
	frames->at = memory_grow(frames->at, frames->count, &frames->capacity, sizeof(*frames->at));
	frames->at[frames->count++] = (struct frame){
		.function = function, .parent = parent, .next_sibling = first};
	*(parent == 0 ? &frames->roots
	              : &frames->at[parent - 1].first_child) = (uint32_t)frames->count;
	return (uint32_t)frames->count;
}

static void put_name(FILE *out, const struct xraylogs_source *source, uint32_t function)
{
	char number[XRAYLOGS_NUMBER];
	const char *name = xraylogs_name(source, function, "", number);

	print_json_string(out, name, strlen(name));
}

static void put_trace_record(FILE *out, const struct xraylogs_source *source,
                             const struct xraylog_record *record, char phase, uint32_t frame,
                             int is_first)
{
	const struct xraylog *log = source->log;
	double us = log->cycle_frequency != 0
	                    ? 1e6 / (double)log->cycle_frequency * (double)record->tsc
	                    : (double)record->tsc;

	fprintf(out, "%s\n    { \"name\" : ", is_first ? "" : ",");
	put_name(out, source, record->function);
	fprintf(out,
	        ", \"ph\" : \"%c\", \"tid\" : \"%u\", \"pid\" : \"%u\", \"ts\" : \"%.*f\", \"sf\" : \"%u\" }",
	        phase, record->tid, log->version >= 3 ? record->pid : 1, log->version >= 3 ? 4 : 3,
	        us, frame - 1);
}

static void put_frames(FILE *out, const struct xraylogs_source *source, const struct frames *frames)
{
	fputs("\n  ],\n  \"displayTimeUnit\": \"ns\",\n  \"stackFrames\": {", out);
	for (size_t i = 0; i < frames->count; i++) {
		fprintf(out, "%s\n    \"%zu\" : { \"name\" : ", i == 0 ? "" : ",", i);
		put_name(out, source, frames->at[i].function);
		if (frames->at[i].parent != 0)
			fprintf(out, ", \"parent\": \"%u\"", frames->at[i].parent - 1);
		fputs(" }", out);
	}
	fputs("\n  }\n}\n", out);
}

struct events {
	FILE *out;
	const struct xraylogs_source *source;
	struct frames frames;
	int has_begun;
};

static void put_trace_event(struct events *events, const struct xraylog_record *record)
{
	struct frames *frames = &events->frames;
	struct thread *thread;

	if (record->kind == XRAYLOG_CUSTOM || record->kind == XRAYLOG_TYPED)
		return;
	thread = find_thread(frames, record->tid);
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		thread->top = find_frame(frames, thread->top, record->function);
		put_trace_record(events->out, events->source, record, 'B', thread->top,
		                 !events->has_begun);
		events->has_begun = 1;
	} else if (thread->top != 0) {
		put_trace_record(events->out, events->source, record, 'E', thread->top,
		                 !events->has_begun);
		thread->top = frames->at[thread->top - 1].parent;
	}
}

static void put_trace_events(FILE *out, const struct xraylogs_source *source)
{
	struct events events = {.out = out, .source = source};
	struct sorter *sorter = sort(source->log);
	struct sorter_item item;

	fputs("{\n  \"traceEvents\": [", out);
	while (sorter_next(sorter, &item)) {
		struct xraylog_record record = unpack(&item);

		put_trace_event(&events, &record);
	}
	put_frames(out, source, &events.frames);
	free(events.frames.at);
	free(events.frames.threads);
	sorter_free(sorter);
}

/* ---- accounts ---- */

struct call {
	uint32_t function;
	uint64_t begin;
};

/* The calls of one thread that are open, and those that have ended, by function and time. */
struct accounts {
	struct call *open;
	size_t depth, capacity;
	uint32_t tid;
	struct sorter *sorter;
};

/* Calls without an exit have no duration. */
static int count_call(void *context, const struct xraylog_record *record)
{
	struct accounts *accounts = context;
	size_t at;

	if (record->tid != accounts->tid)
		accounts->depth = 0;
	accounts->tid = record->tid;
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		accounts->open = memory_grow(accounts->open, accounts->depth, &accounts->capacity,
		                             sizeof(*accounts->open));
		accounts->open[accounts->depth++] = (struct call){record->function, record->tsc};
	}
	if (record->kind != XRAYLOG_EXIT && record->kind != XRAYLOG_TAIL_EXIT)
		return 0;
	for (at = accounts->depth; at > 0 && accounts->open[at - 1].function != record->function;)
		at--;
	if (at == 0)
		return 0;
	accounts->depth = at - 1;
	sorter_add(accounts->sorter, record->function, record->tsc - accounts->open[at - 1].begin,
	           NULL, 0);
	return 0;
}

/* How many calls each function has, in order of their numbers: counts[*functions]. The caller
 * frees. */
static uint64_t *count_functions(struct sorter *sorter, size_t *functions)
{
	uint64_t *counts = NULL, last = UINT64_MAX;
	size_t capacity = 0;
	struct sorter_item item;

	*functions = 0;
	sorter_begin(sorter);
	while (sorter_next(sorter, &item)) {
		if (item.major != last) {
			counts = memory_grow(counts, *functions, &capacity, sizeof(*counts));
			counts[(*functions)++] = 0;
		}
		counts[*functions - 1]++;
		last = item.major;
	}
	return counts;
}

/* llvm-xray has a column behind the line, which our reader does not keep. */
static void put_place(FILE *out, const struct xraylogs_source *source, uint32_t id)
{
	const struct sym_function *function = xraylogs_function(source, id);
	char number[XRAYLOGS_NUMBER];

	if (function && function->file) {
		text_put(out, text_base(function->file));
		fprintf(out, ":%u: ", function->line);
	} else {
		fputs("(unknown): ", out);
	}
	text_put(out, xraylogs_name(source, id, "#", number));
	fputc('\n', out);
}

/* The next `count` calls of the sorter are those of one function. */
static void put_account(FILE *out, const struct xraylogs_source *source, struct sorter *sorter,
                        uint64_t count, double hz)
{
	uint64_t places[] = {0, count / 2, (uint64_t)floor((double)count * 0.9),
	                     (uint64_t)floor((double)count * 0.99), count - 1};
	enum { PLACES = sizeof(places) / sizeof(places[0]) };
	double values[PLACES] = {0}, sum = 0;
	struct sorter_item item = {.major = 0};

	for (uint64_t i = 0; i < count && sorter_next(sorter, &item); i++) {
		sum += (double)item.minor;
		for (size_t k = 0; k < PLACES; k++)
			if (places[k] == i)
				values[k] = (double)item.minor;
	}
	fprintf(out, "%9u %10llu [%9.6f, %9.6f, %9.6f, %9.6f, %9.6f] %9.6f  ", (uint32_t)item.major,
	        (unsigned long long)count, values[0] / hz, values[1] / hz, values[2] / hz,
	        values[3] / hz, values[4] / hz, sum / hz);
	put_place(out, source, (uint32_t)item.major);
}

static void put_accounts(FILE *out, const struct xraylogs_source *source)
{
	const struct xraylog *log = source->log;
	double hz = log->cycle_frequency != 0 ? (double)log->cycle_frequency : 1;
	struct accounts accounts = {.sorter = sorter_new(SORT_MEMORY)};
	uint64_t *counts;
	size_t functions;

	xraylogs_each(log, count_call, &accounts);
	free(accounts.open);
	counts = count_functions(accounts.sorter, &functions);
	fprintf(out,
	        "Functions with latencies: %zu\n   funcid      count [      min,       med,       90p,       99p,       "
	        "max]       sum  function    \n",
	        functions);
	sorter_begin(accounts.sorter);
	for (size_t i = 0; i < functions; i++)
		put_account(out, source, accounts.sorter, counts[i], hz);
	free(counts);
	sorter_free(accounts.sorter);
}

/* ---- the commands ---- */

void view_convert(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)choices;
	if (strcmp(argument->text, "yaml") == 0)
		xraylogs_put(dataset, output, "convert", put_yaml);
	else if (strcmp(argument->text, "trace_event") == 0)
		xraylogs_put(dataset, output, "convert", put_trace_events);
	else
		output_fail(output, EXIT_USAGE, "convert: '%.64s' is neither yaml nor trace_event",
		            argument->text);
}

void view_account(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	xraylogs_put(dataset, output, "account", put_accounts);
}

void view_instr_map(struct analysis *analysis, const struct command_argument *argument)
{
	if (analysis->dataset.count == 0)
		analysis->dataset.instr_map = argument->text;
	else if (!analysis->dataset.instr_map)
		output_fail(
			&analysis->output, EXIT_USAGE,
			"instr_map: logs are open already; give -instr_map when xer_print starts");
}

/* llvm-xray takes one entry of each function: where it begins. */
static void put_map(FILE *out, const struct exp_calls *calls)
{
	fputs("---\n", out);
	for (size_t i = 0; i < calls->function_count; i++) {
		const struct exp_call_function *call = &calls->functions[i];

		fprintf(out,
		        "- { id: %u, address: 0x%llX, function: 0x%llX, kind: function-enter, always-instrument: true, "
		        "function-name: '' }\n",
		        call->id, (unsigned long long)call->address,
		        (unsigned long long)call->address);
	}
	fputs("...\n", out);
}

void view_instr_map_out(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = dataset_next(dataset, NULL);
	FILE *out = !at ? NULL : outfile_open(argument->text);

	(void)choices;
	if (!out) {
		output_fail(output, EXIT_TROUBLE, "instr_map_out: %s: %s", argument->text,
		            !at ? "no experiment is selected" : strerror(errno));
		return;
	}
	put_map(out, &at->data->calls);
	if (outfile_close(out, 1) != 0)
		output_fail(output, EXIT_TROUBLE, "instr_map_out: %s: cannot be written",
		            argument->text);
}
