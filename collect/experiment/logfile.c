/* logfile.c: writes the beginning of log.xml: who records what, where, with which clock and which
 * record layouts. experiment(5) describes every element. */
#include "collect/experiment/logfile.h"

#include "collect/base/quote.h"
#include "collect/machine/host.h"

#include "format/compress.h"
#include "format/layout.h"
#include "format/record.h"
#include "format/xml.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

/* An encoded byte takes 5 at most (a quotation mark becomes &quot; and has one more); the rest is
 * for markup. */
enum { BYTES_PER_BYTE = 6, MARKUP_PER_ARGUMENT = 32, FIXED_SIZE = 64 * 1024 };

static void put_host(struct xml_text *text)
{
	struct host host;

	host_read(&host);
	xml_put(text, "<host");
	xml_put_string(text, "name", host.system.nodename);
	xml_put_string(text, "os", host.system.sysname);
	xml_put_string(text, "release", host.system.release);
	xml_put_string(text, "arch", host.system.machine);
	xml_put_number(text, "cpus", host.cpus);
	xml_put_number(text, "page_size", host.page_size);
	xml_put_number(text, "memory_kib", host.memory_kib);
	xml_put_number(text, "tick_ns", host.tick_ns);
	xml_put_string(text, "cpu_model", host.cpu_model);
	xml_put_string(text, "boot_id", host.boot_id);
	xml_put(text, "/>\n");
}

static void put_process(struct xml_text *text, const struct target *target)
{
	xml_put(text, "<process");
	xml_put_number(text, "pid", (uint64_t)target->pid);
	xml_put_number(text, "ppid", (uint64_t)target->parent);
	xml_put_string(text, "cwd", target->directory);
	xml_put_string(text, "program", target->path);
	xml_put(text, " lineage=\"\"");
	xml_put_string(text, "object", target->object);
	xml_put(text, ">\n");
	for (char *const *at = target->argv; *at; at++) {
		xml_put(text, "<arg>");
		xml_put_content(text, *at, strlen(*at));
		xml_put(text, "</arg>\n");
	}
	xml_put(text, "</process>\n");
}

static void put_setting(struct xml_text *text, const char *name, const char *value)
{
	xml_put(text, "<setting");
	xml_put_string(text, "name", name);
	xml_put_string(text, "value", value);
	xml_put(text, "/>\n");
}

static void put_number_setting(struct xml_text *text, const char *name, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	put_setting(text, name, digits);
}

static void put_settings(struct xml_text *text, const struct request *request, char *const *command)
{
	static char line[QUOTE_MAX];
	char hooks[2 * HOOKS_TEXT + 2];
	char counters[COUNTERS_TEXT];

	quote_command(command, line, sizeof(line));
	put_number_setting(text, "profile_us", request->profile_us);
	put_setting(text, "profile_clock", profileclock_name(&request->clock));
	put_setting(text, "wall", request->wall ? "on" : "off");
	put_setting(text, "heap", request->heap ? "on" : "off");
	put_number_setting(text, "heap_mean", request->heap_mean);
	put_setting(text, "sync", request->sync ? "on" : "off");
	put_number_setting(text, "sync_threshold_ns", request->sync_threshold_ns);
	put_setting(text, "io", request->io ? "on" : "off");
#define IF_OWN(field)
#define IF_CALLS(field) put_setting(text, #field, request->field ? "on" : "off");
#define SWITCH(field, kind, key, form, meaning) IF_##form(field)
#include "format/datakind.def"
#undef IF_OWN
#undef IF_CALLS
	put_setting(text, "omp", options_omp(request));
	put_setting(text, "mpi", options_traces_mpi(request) ? "on" : "off");
	put_setting(text, "mpi_launcher", request->mpi_launcher);
	hooks_text(&request->hooks, hooks);
	put_setting(text, "user", hooks_traces(&request->hooks) ? "on" : "off");
	put_setting(text, "user_hooks", hooks);
	put_setting(text, "user_modes", request->hooks.modes);
	put_setting(text, "user_names", request->hooks.names);
	put_setting(text, "user_start", request->hooks.off & 1 ? "off" : "on");
	put_setting(text, "java", request->java == JAVA_OFF ? "off" : "on");
	put_setting(text, "functrace", request->functrace ? "on" : "off");
	counters_text(&request->counters, counters);
	put_setting(text, "counters", counters);
	put_number_setting(text, "sampler_ns", request->sampler_ns);
	put_number_setting(text, "sampler_bytes", request->sampler_bytes);
	put_setting(text, "sampler_cpus", request->sampler_cpus ? "on" : "off");
	put_number_setting(text, "sampler_stack", request->sampler_stack);
	put_number_setting(text, "sampler_timers", (uint64_t)request->sampler_timers);
	put_setting(text, "kernel", request->kernel ? "on" : "off");
	put_setting(text, "kernel_refused", request->kernel_refused ? request->kernel_refused : "");
	put_setting(text, "functrace_names", request->calls.names);
	put_number_setting(text, "functrace_depth", request->calls.depth);
	put_number_setting(text, "functrace_min_ns", request->calls.min_ns);
	put_setting(text, "functrace_returns", request->calls.returns ? "on" : "off");
	put_number_setting(text, "pause_signal", (uint64_t)request->pause_signal);
	put_number_setting(text, "sample_signal", (uint64_t)request->sample_signal);
	put_number_setting(text, "snapshot_signal", (uint64_t)request->snapshot_signal);
	put_number_setting(text, "snapshot_crash", (uint64_t)request->snapshot_crash);
	put_number_setting(text, "snapshot_wait_ms", request->snapshot_wait_ms);
	put_number_setting(text, "from_ms", request->from_ms);
	put_number_setting(text, "to_ms", request->to_ms);
	put_number_setting(text, "limit_bytes", request->limit_bytes);
	put_number_setting(text, "keep_bytes", request->keep_bytes);
	put_number_setting(text, "keep_ms", request->keep_ms);
	put_number_setting(text, "sample_ms", request->sample_ms);
	put_setting(text, "archive", request->archive);
	put_setting(text, "compress", compress_words[request->compress]);
	put_setting(text, "follow", request->follow);
	put_setting(text, "command", line);
}

static void put_clock(struct xml_text *text, const struct clock_source *clock,
                      const struct clock_moment *start)
{
	xml_put(text, "<clock");
	xml_put_string(text, "source", clock->is_tsc ? "tsc" : "raw");
	xml_put_number(text, "hz", clock->hz);
	xml_put_number(text, "ticks", start->ticks);
	xml_put_number(text, "raw_ns", start->raw_ns);
	xml_put_number(text, "real_ns", start->real_ns);
	xml_put_number(text, "mono_ns", start->mono_ns);
	xml_put(text, "/>\n");
}

static void put_record(struct xml_text *text, const struct fmt_record *record)
{
	xml_put(text, "<record");
	xml_put_string(text, "name", record->name);
	xml_put_number(text, "kind", record->kind);
	xml_put_string(text, "stream", record->stream);
	xml_put_number(text, "size", record->size);
	xml_put_string(text, "meaning", record->meaning);
	xml_put(text, ">\n");
	for (size_t i = 0; i < record->field_count; i++) {
		const struct fmt_field *field = &record->fields[i];

		xml_put(text, "<field");
		xml_put_string(text, "name", field->name);
		xml_put_string(text, "type", fmt_field_type_name(field->type));
		xml_put_number(text, "offset", field->offset);
		xml_put_string(text, "unit", field->unit);
		xml_put_string(text, "meaning", field->meaning);
		xml_put(text, "/>\n");
	}
	xml_put(text, "</record>\n");
}

static void put_schema(struct xml_text *text)
{
	xml_put(text, "<schema>\n");
	for (size_t i = 0; i < fmt_record_count; i++)
		put_record(text, &fmt_records[i]);
	xml_put(text, "</schema>\n");
}

static void put_run(struct xml_text *text, const struct target *target,
                    const struct clock_moment *start)
{
	xml_put(text, "<event kind=\"run\"");
	xml_put_number(text, "time", start->ticks);
	xml_put_number(text, "pid", (uint64_t)target->pid);
	xml_put(text, "/>\n");
	if (target->outside[0]) {
		xml_put(text, "<event kind=\"outside\"");
		xml_put_string(text, "reason", target->outside);
		xml_put(text, "/>\n");
	}
}

static size_t text_capacity(char *const *argv)
{
	size_t size = FIXED_SIZE + BYTES_PER_BYTE * (2 * PATH_MAX + QUOTE_MAX);

	for (; *argv; argv++)
		size += MARKUP_PER_ARGUMENT + BYTES_PER_BYTE * strlen(*argv);
	return size;
}

char *logfile_log_text(const struct request *request, const struct target *target,
                       char *const *command, const struct clock_source *clock,
                       const struct clock_moment *start, size_t *len)
{
	struct xml_text text = {.capacity = text_capacity(target->argv)};

	text.at = malloc(text.capacity);
	if (!text.at)
		return NULL;
	xml_put(&text, DECLARATION "<" FMT_LOG_ROOT " version=\"" FMT_VERSION_TEXT "\">\n");
	xml_put(&text, "<collector version=\"" XER_VERSION "\"/>\n");
	put_host(&text);
	put_process(&text, target);
	put_settings(&text, request, command);
	put_clock(&text, clock, start);
	put_schema(&text);
	put_run(&text, target, start);
	while (!xml_end_is_appendable(text.len, FMT_LOG_CLOSE) && !text.overflow)
		xml_put(&text, " ");
	xml_put(&text, FMT_LOG_CLOSE);
	if (text.overflow) {
		free(text.at);
		return NULL;
	}
	*len = text.len;
	return text.at;
}

const char *logfile_map_text(void)
{
	return DECLARATION "<" FMT_MAP_ROOT " version=\"" FMT_VERSION_TEXT "\">\n" FMT_MAP_CLOSE;
}
