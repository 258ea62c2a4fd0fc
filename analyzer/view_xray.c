/* view_xray.c: foreign logs as llvm-xray prints them: records as YAML or as trace events, and accounts of functions. */
#include "view.h"

#include "experiment/xraylog.h"
#include "memory.h"
#include "report.h"
#include "text.h"
#include "xraylogs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The records of a log in order of time, as pointers into it. The caller frees. */
static int by_time(const void *left, const void *right)
{
	const struct xraylog_record *a = *(const struct xraylog_record *const *)left;
	const struct xraylog_record *b = *(const struct xraylog_record *const *)right;

	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	return a < b ? -1 : a > b;
}

static const struct xraylog_record **sort(const struct xraylog *log)
{
	const struct xraylog_record **sorted = memory_take(log->record_count, sizeof(*sorted));

	for (size_t i = 0; i < log->record_count; i++)
		sorted[i] = &log->records[i];
	if (log->record_count > 1)
		qsort(sorted, log->record_count, sizeof(*sorted), by_time);
	return sorted;
}

/* ---- YAML, quoted as LLVM does ---- */

enum quoting { PLAIN, SINGLE, DOUBLE };

static enum quoting quoting_of(const uint8_t *text, size_t len)
{
	enum quoting quoting = PLAIN;
	size_t digits = 0;

	if (len == 0 || strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]) != NULL || text[0] == ' ' || text[len - 1] == ' ')
		quoting = SINGLE;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < 0x20 ? text[i] != '\t' : text[i] >= 0x7f)
			return DOUBLE;
		digits += text[i] >= '0' && text[i] <= '9';
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-^., \t", text[i]) == NULL)
			quoting = SINGLE;
	}
	return digits == len ? SINGLE : quoting;
}

static void put_double(FILE *out, const uint8_t *text, size_t len)
{
	static const char names[] = "0abtnvfre", values[] = "\0\a\b\t\n\v\f\r\x1b";

	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		const char *known = memchr(values, text[i], sizeof(values) - 1);

		if (known != NULL)
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

static void put_yaml_record(FILE *out, const struct xraylog *log, const struct xraylog_record *record)
{
	static const char *const kinds[] = {"function-enter",     "function-exit", "function-tail-exit",
					    "function-enter-arg", "custom-event",  "typed-event"};

	fprintf(out, "  - { type: %u, func-id: %u, function: '%u'", record->event_type, record->function, record->function);
	for (uint32_t i = 0; i < record->argument_count; i++)
		fprintf(out, "%s%llu%s", i == 0 ? ", args: [ " : ", ",
			(unsigned long long)log->arguments[record->first_argument + i],
			i + 1 == record->argument_count ? " ]" : "");
	fprintf(out, ", cpu: %u, thread: %u", record->cpu, record->tid);
	if (record->pid != 0)
		fprintf(out, ", process: %u", record->pid);
	fprintf(out, ", kind: %s, tsc: %llu, data: ", kinds[record->kind], (unsigned long long)record->tsc);
	put_scalar(out, record->data, record->data_size);
	fputs(" }\n", out);
}

static void put_yaml(FILE *out, const struct xraylog *log)
{
	const struct xraylog_record **sorted = sort(log);

	fprintf(out, "---\nheader:\n  version:         %u\n  type:            %u\n  constant-tsc:    %s\n"
		"  nonstop-tsc:     %s\n  cycle-frequency: %llu\nrecords:\n",
		log->version, log->type, log->constant_tsc ? "true" : "false", log->nonstop_tsc ? "true" : "false",
		(unsigned long long)log->cycle_frequency);
	for (size_t i = 0; i < log->record_count; i++)
		put_yaml_record(out, log, sorted[i]);
	fputs("...\n", out);
	free(sorted);
}

/* ---- trace events ---- */

/* A path of calls: llvm-xray numbers them in order of their first entries. */
struct frame {
	uint32_t function, parent; /* parent: number + 1, 0 none */
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
	frames->threads =
		memory_grow(frames->threads, frames->thread_count, &frames->thread_capacity, sizeof(*frames->threads));
	frames->threads[frames->thread_count] = (struct thread){.tid = tid};
	return &frames->threads[frames->thread_count++];
}

/* The frame of a function below a parent (number + 1, 0 none), made if it is new. Returns its number + 1. */
static uint32_t find_frame(struct frames *frames, uint32_t parent, uint32_t function)
{
	uint32_t first = parent == 0 ? frames->roots : frames->at[parent - 1].first_child;

	for (uint32_t at = first; at != 0; at = frames->at[at - 1].next_sibling)
		if (frames->at[at - 1].function == function)
			return at;
	frames->at = memory_grow(frames->at, frames->count, &frames->capacity, sizeof(*frames->at));
	frames->at[frames->count++] = (struct frame){.function = function, .parent = parent, .next_sibling = first};
	*(parent == 0 ? &frames->roots : &frames->at[parent - 1].first_child) = (uint32_t)frames->count;
	return (uint32_t)frames->count;
}

static void put_trace_record(FILE *out, const struct xraylog *log, const struct xraylog_record *record, char phase,
			     uint32_t frame, int is_first)
{
	double us = log->cycle_frequency != 0 ? 1e6 / (double)log->cycle_frequency * (double)record->tsc
					      : (double)record->tsc;

	fprintf(out, "%s\n    { \"name\" : \"%u\", \"ph\" : \"%c\", \"tid\" : \"%u\", \"pid\" : \"%u\", \"ts\" : \"%.*f\", "
		"\"sf\" : \"%u\" }",
		is_first ? "" : ",", record->function, phase, record->tid, log->version >= 3 ? record->pid : 1,
		log->version >= 3 ? 4 : 3, us, frame - 1);
}

static void put_frames(FILE *out, const struct frames *frames)
{
	fputs("\n  ],\n  \"displayTimeUnit\": \"ns\",\n  \"stackFrames\": {", out);
	for (size_t i = 0; i < frames->count; i++) {
		fprintf(out, "%s\n    \"%zu\" : { \"name\" : \"%u\"", i == 0 ? "" : ",", i, frames->at[i].function);
		if (frames->at[i].parent != 0)
			fprintf(out, ", \"parent\": \"%u\"", frames->at[i].parent - 1);
		fputs(" }", out);
	}
	fputs("\n  }\n}\n", out);
}

static void put_trace_events(FILE *out, const struct xraylog *log)
{
	const struct xraylog_record **sorted = sort(log);
	struct frames frames = {.count = 0};
	int is_first = 1;

	fputs("{\n  \"traceEvents\": [", out);
	for (size_t i = 0; i < log->record_count; i++) {
		const struct xraylog_record *record = sorted[i];
		struct thread *thread;

		if (record->kind == XRAYLOG_CUSTOM || record->kind == XRAYLOG_TYPED)
			continue;
		thread = find_thread(&frames, record->tid);
		if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
			thread->top = find_frame(&frames, thread->top, record->function);
			put_trace_record(out, log, record, 'B', thread->top, is_first);
			is_first = 0;
		} else if (thread->top != 0) {
			put_trace_record(out, log, record, 'E', thread->top, is_first);
			thread->top = frames.at[thread->top - 1].parent;
		}
	}
	put_frames(out, &frames);
	free(frames.at);
	free(frames.threads);
	free(sorted);
}

/* ---- accounts ---- */

struct call {
	uint32_t function;
	uint64_t ticks;
};

/* The calls of one thread that are open. */
struct stack {
	struct call *open; /* ticks: when they began */
	size_t depth, capacity;
};

static int by_function(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->ticks > b->ticks) - (a->ticks < b->ticks);
}

/* All complete calls of a log; of those whose exit is missing there is no time. calls[*count], which the caller frees. */
static struct call *find_calls(const struct xraylog *log, size_t *count)
{
	struct stack stack = {.depth = 0};
	struct call *calls = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < log->record_count; i++) {
		const struct xraylog_record *record = &log->records[i];
		size_t at;

		if (i != 0 && record[-1].tid != record->tid)
			stack.depth = 0;
		if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
			stack.open = memory_grow(stack.open, stack.depth, &stack.capacity, sizeof(*stack.open));
			stack.open[stack.depth++] = (struct call){record->function, record->tsc};
		}
		if (record->kind != XRAYLOG_EXIT && record->kind != XRAYLOG_TAIL_EXIT)
			continue;
		for (at = stack.depth; at > 0 && stack.open[at - 1].function != record->function;)
			at--;
		if (at == 0)
			continue;
		stack.depth = at - 1;
		calls = memory_grow(calls, *count, &capacity, sizeof(*calls));
		calls[(*count)++] = (struct call){record->function, record->tsc - stack.open[at - 1].ticks};
	}
	free(stack.open);
	return calls;
}

/* calls[count] of one function, in order of their times. */
static void put_account(FILE *out, const struct call *calls, size_t count, double hz)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)calls[i].ticks;
	fprintf(out, "%9u %10zu [%9.6f, %9.6f, %9.6f, %9.6f, %9.6f] %9.6f  (unknown): #%u\n", calls[0].function, count,
		(double)calls[0].ticks / hz, (double)calls[count / 2].ticks / hz,
		(double)calls[(size_t)floor((double)count * 0.9)].ticks / hz,
		(double)calls[(size_t)floor((double)count * 0.99)].ticks / hz, (double)calls[count - 1].ticks / hz, sum / hz,
		calls[0].function);
}

static void put_accounts(FILE *out, const struct xraylog *log)
{
	double hz = log->cycle_frequency != 0 ? (double)log->cycle_frequency : 1;
	size_t count, functions = 0;
	struct call *calls = find_calls(log, &count);

	if (count > 1)
		qsort(calls, count, sizeof(*calls), by_function);
	for (size_t i = 0; i < count; i++)
		functions += i == 0 || calls[i].function != calls[i - 1].function;
	fprintf(out, "Functions with latencies: %zu\n   funcid      count [      min,       med,       90p,       99p,       "
		"max]       sum  function    \n", functions);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && calls[end].function == calls[i].function;)
			end++;
		put_account(out, calls + i, end - i, hz);
	}
	free(calls);
}

/* ---- the commands ---- */

void xraylogs_put(struct session *session, const char *command, void (*put)(FILE *out, const struct xraylog *log))
{
	const struct session_experiment *at = NULL;
	int found = 0;

	while ((at = session_next(session, at)) != NULL) {
		const struct xraylog *log = experiment_foreign(at->experiment);

		if (log == NULL)
			continue;
		put(session->out, log);
		found = 1;
	}
	if (!found)
		session_fail(session, EXIT_TROUBLE, "%s: no XRay log is open (of an experiment, name its file functrace)", command);
}

void view_convert(struct session *session, const struct command_argument *argument)
{
	if (strcmp(argument->text, "yaml") == 0)
		xraylogs_put(session, "convert", put_yaml);
	else if (strcmp(argument->text, "trace_event") == 0)
		xraylogs_put(session, "convert", put_trace_events);
	else
		session_fail(session, EXIT_USAGE, "convert: '%.64s' is neither yaml nor trace_event", argument->text);
}

void view_account(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	xraylogs_put(session, "account", put_accounts);
}

void view_instr_map(struct session *session, const struct command_argument *argument)
{
	if (session->count == 0)
		session->instr_map = argument->text;
	else if (session->instr_map == NULL)
		session_fail(session, EXIT_USAGE, "instr_map: logs are open already; give -instr_map when xer_print starts");
}

/* llvm-xray takes one entry of each function: where it begins. */
static void put_map(FILE *out, const struct exp_calls *calls)
{
	fputs("---\n", out);
	for (size_t i = 0; i < calls->function_count; i++) {
		const struct exp_call_function *call = &calls->functions[i];

		fprintf(out, "- { id: %u, address: 0x%llX, function: 0x%llX, kind: function-enter, always-instrument: true, "
			"function-name: '' }\n",
			call->id, (unsigned long long)call->address, (unsigned long long)call->address);
	}
	fputs("...\n", out);
}

void view_instr_map_out(struct session *session, const struct command_argument *argument)
{
	const struct session_experiment *at = session_next(session, NULL);
	FILE *out = at == NULL ? NULL : fopen(argument->text, "w");
	int failed;

	if (out == NULL) {
		session_fail(session, EXIT_TROUBLE, "instr_map_out: %s: %s", argument->text,
			     at == NULL ? "no experiment is selected" : strerror(errno));
		return;
	}
	put_map(out, &at->data->calls);
	failed = ferror(out);
	failed |= fclose(out) != 0;
	if (failed)
		session_fail(session, EXIT_TROUBLE, "instr_map_out: %s: cannot be written", argument->text);
}
