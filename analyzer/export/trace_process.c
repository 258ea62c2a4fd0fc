/* trace_process.c: what is known of a process without reading events: its threads, its begin and
 * end, its usage. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "experiment/base/clock.h"

#include <stdlib.h>
#include <string.h>

static void put(const struct trace_process *process, const struct trace_event *event)
{
	process->trace->format->event(process->trace, event);
}

static void put_counter(const struct trace_process *process, uint64_t ns, uint32_t name,
                        const struct trace_argument *values, unsigned count)
{
	struct trace_event event = {.kind = FXT_EVENT_COUNTER,
	                            .category = TRACE_WORD_USAGE,
	                            .name = name,
	                            .process = process->id,
	                            .tid = process->id,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = ns,
	                            .argument_count = count};

	memcpy(event.arguments, values, count * sizeof(*values));
	put(process, &event);
}

static void put_label(const struct trace_process *process, uint64_t ns, const char *label)
{
	struct trace_event event = {.kind = FXT_EVENT_INSTANT,
	                            .category = TRACE_WORD_USAGE,
	                            .name = TRACE_WORD_SAMPLE,
	                            .process = process->id,
	                            .tid = process->id,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = ns};

	trace_add_argument(&event, TRACE_WORD_LABEL, TRACE_NAME, trace_name(process->trace, label));
	put(process, &event);
}

static void put_usage(const struct trace_process *process, const struct exp_usage *usage)
{
	uint64_t ns = trace_on_axis(process, exp_whole_signed(usage->time_s * 1e9));
	const struct trace_argument cpu[] = {
		{TRACE_WORD_USER_TIME, TRACE_NUMBER, usage->user_ns},
		{TRACE_WORD_SYSTEM_TIME, TRACE_NUMBER, usage->system_ns}};
	const struct trace_argument faults[] = {{TRACE_WORD_MINOR, TRACE_NUMBER, usage->minflt},
	                                        {TRACE_WORD_MAJOR, TRACE_NUMBER, usage->majflt}};
	const struct trace_argument switches[] = {
		{TRACE_WORD_VOLUNTARY, TRACE_NUMBER, usage->nvcsw},
		{TRACE_WORD_INVOLUNTARY, TRACE_NUMBER, usage->nivcsw}};
	const struct trace_argument resident = {TRACE_WORD_RESIDENT, TRACE_NUMBER,
	                                        usage->maxrss_kib};

	put_counter(process, ns, TRACE_WORD_CPU_TIME, cpu, 2);
	put_counter(process, ns, TRACE_WORD_RESIDENT, &resident, 1);
	put_counter(process, ns, TRACE_WORD_FAULTS, faults, 2);
	put_counter(process, ns, TRACE_WORD_SWITCHES, switches, 2);
	if (usage->label)
		put_label(process, ns, usage->label);
}

static void put_threads(const struct trace_process *process)
{
	const struct trace_format *format = process->trace->format;
	const struct exp_data_set *data = process->at->whole;

	for (size_t i = 0; i < data->thread_count; i++) {
		const struct exp_thread *thread = &data->threads[i];
		const char *name = thread->name[0] != '\0' ? thread->name : "thread";
		char *sampled = memory_format("%s (sampled)", name);
		char *states = memory_format("%s (states)", name);

		format->thread(process->trace, process->id, thread->tid,
		               trace_name(process->trace, name));
		if (thread->samples > 0)
			format->thread(process->trace, process->id,
			               (uint64_t)thread->tid + TRACE_SAMPLED,
			               trace_name(process->trace, sampled));
		if (trace_has_states(process))
			format->thread(process->trace, process->id,
			               (uint64_t)thread->tid + TRACE_STATES,
			               trace_name(process->trace, states));
		free(states);
		free(sampled);
	}
}

/* The begin and the end of the process: its command, and how it ended. */
static void put_life(const struct trace_process *process)
{
	const struct exp_info *info = process->at->info;
	struct trace_event event = {.kind = FXT_EVENT_INSTANT,
	                            .category = TRACE_WORD_LIFE,
	                            .name = TRACE_WORD_BEGIN,
	                            .process = process->id,
	                            .tid = process->id,
	                            .node = EXP_NO_INDEX,
	                            .begin_ns = trace_on_axis(process, 0)};
	char *command;
	size_t size;
	FILE *out = memory_stream(&command, &size);

	for (size_t i = 0; i < info->argc; i++) {
		fputs(i ? " " : "", out);
		text_put(out, info->argv[i]);
	}
	memory_stream_end(out, &command);
	trace_add_argument(&event, TRACE_WORD_COMMAND, TRACE_NAME,
	                   trace_name(process->trace, command));
	free(command);
	if (info->ppid > 0)
		trace_add_argument(&event, TRACE_WORD_PARENT, TRACE_NUMBER, (uint64_t)info->ppid);
	put(process, &event);
	if (info->status != EXP_ENDED)
		return;
	event.name = TRACE_WORD_END;
	event.begin_ns = trace_on_axis(process, exp_whole_signed(info->duration_s * 1e9));
	event.argument_count = 0;
	if (info->exit_code >= 0)
		trace_add_argument(&event, TRACE_WORD_STATUS, TRACE_NUMBER,
		                   (uint64_t)info->exit_code);
	put(process, &event);
}

void trace_process_put(const struct trace_process *process)
{
	const struct dataset_experiment *at = process->at;
	const char *program = at->info->argc > 0 ? at->info->argv[0] : at->info->name;

	process->trace->format->process(process->trace, process->id,
	                                trace_name(process->trace, text_base(program)),
	                                &at->data->quality);
	put_threads(process);
	put_life(process);
	for (size_t i = 0; i < at->whole->usage_count; i++)
		put_usage(process, &at->whole->usage[i]);
}
