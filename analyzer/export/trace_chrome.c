/* trace_chrome.c: a trace as JSON of Chrome's trace event format (complete, instant, counter and
 * metadata events), one event a line. Times are microseconds. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"

#include <stdlib.h>
#include <string.h>

static void begin(struct trace *trace)
{
	sink_text(
		&trace->sink,
		"{\"displayTimeUnit\": \"ns\", \"otherData\": {\"exporter\": \"xer_print " XER_VERSION
		"\"}, \"traceEvents\": [");
}

static void end(struct trace *trace)
{
	sink_text(&trace->sink, "\n]}\n");
}

/* The name as a JSON string is made once. */
static void name(struct trace *trace, uint32_t number)
{
	struct trace_name *at = &trace->names[number];
	size_t size;
	FILE *out = memory_stream(&at->form, &size);

	print_json_string(out, at->text, at->size);
	memory_stream_end(out, &at->form);
}

static void put_name(struct trace *trace, uint64_t number)
{
	sink_text(&trace->sink, trace->names[number].form);
}

/* {"ph":"X","pid":1,"tid":2 */
static void put_head(struct trace *trace, char phase, uint64_t process, uint64_t tid)
{
	struct sink *sink = &trace->sink;

	sink_text(sink, trace->is_begun ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	trace->is_begun = 1;
	sink_byte(sink, phase);
	sink_text(sink, "\",\"pid\":");
	sink_decimal(sink, process);
	sink_text(sink, ",\"tid\":");
	sink_decimal(sink, tid);
}

static void put_metadata(struct trace *trace, const char *what, uint64_t id, uint64_t tid,
                         uint32_t number)
{
	put_head(trace, 'M', id, tid);
	sink_text(&trace->sink, ",\"name\":\"");
	sink_text(&trace->sink, what);
	sink_text(&trace->sink, "\",\"args\":{\"name\":");
	put_name(trace, number);
	sink_text(&trace->sink, "}}");
}

static void process(struct trace *trace, uint64_t id, uint32_t number,
                    const struct exp_quality *quality)
{
	(void)quality;
	put_metadata(trace, "process_name", id, id, number);
}

static void thread(struct trace *trace, uint64_t id, uint64_t tid, uint32_t number)
{
	put_metadata(trace, "thread_name", id, tid, number);
}

static void put_argument(struct trace *trace, const struct trace_argument *argument)
{
	put_name(trace, argument->name);
	sink_byte(&trace->sink, ':');
	switch (argument->type) {
	case TRACE_NUMBER:
		sink_decimal(&trace->sink, argument->value);
		break;
	case TRACE_ADDRESS:
		sink_text(&trace->sink, "\"0x");
		sink_hex(&trace->sink, argument->value, 1);
		sink_byte(&trace->sink, '"');
		break;
	case TRACE_NAME:
		put_name(trace, argument->value);
		break;
	}
}

static char phase_of(enum fxt_event_kind kind)
{
	if (kind == FXT_EVENT_COMPLETE)
		return 'X';
	return kind == FXT_EVENT_COUNTER ? 'C' : 'i';
}

static void event(struct trace *trace, const struct trace_event *at)
{
	struct sink *sink = &trace->sink;

	put_head(trace, phase_of(at->kind), at->process, at->tid);
	sink_text(sink, ",\"ts\":");
	sink_us(sink, at->begin_ns);
	if (at->kind == FXT_EVENT_COMPLETE) {
		sink_text(sink, ",\"dur\":");
		sink_us(sink, at->end_ns - at->begin_ns);
	}
	if (at->kind == FXT_EVENT_INSTANT)
		sink_text(sink, ",\"s\":\"t\"");
	sink_text(sink, ",\"cat\":");
	put_name(trace, at->category);
	sink_text(sink, ",\"name\":");
	put_name(trace, at->name);
	for (unsigned i = 0; i < at->argument_count; i++) {
		sink_text(sink, i == 0 ? ",\"args\":{" : ",");
		put_argument(trace, &at->arguments[i]);
	}
	sink_text(sink, at->argument_count > 0 ? "}}" : "}");
}

void export_chrome(struct export_job *job)
{
	static const struct trace_format format = {0,      begin, end,   name, process,
	                                           thread, NULL,  event, NULL};

	trace_export(job, &format);
}
