/* log_elements.c: what each element of log.xml says. See log_reader.h. */
#include "experiment/open/log_reader.h"

#include "format/layout.h"
#include "format/lineage.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_root(struct log_reader *reader, const struct exp_element *element)
{
	const char *version = exp_element_get(element, "version", "");
	char *end;
	unsigned long major = strtoul(version, &end, 10);

	reader->experiment->info.version = version;
	if (end == version || (*end != '.' && *end != '\0'))
		return -EINVAL;
	return major == FMT_VERSION_MAJOR ? 0 : -EPROTO;
}

static int read_host(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_info *info = &reader->experiment->info;

	info->host = exp_element_get(element, "name", "");
	info->os = exp_element_get(element, "os", "");
	info->release = exp_element_get(element, "release", "");
	info->arch = exp_element_get(element, "arch", "");
	info->cpu_model = exp_element_get(element, "cpu_model", "");
	info->boot_id = exp_element_get(element, "boot_id", "");
	info->cpus = exp_element_number(element, "cpus", 0);
	info->page_size = exp_element_number(element, "page_size", 0);
	info->memory_kib = exp_element_number(element, "memory_kib", 0);
	info->tick_ns = exp_element_number(element, "tick_ns", 0);
	return 0;
}

static int read_process(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_info *info = &reader->experiment->info;

	info->pid = (int64_t)exp_element_number(element, "pid", 0);
	info->ppid = (int64_t)exp_element_number(element, "ppid", 0);
	info->cwd = exp_element_get(element, "cwd", "");
	info->program = exp_element_get(element, "program", "");
	info->object = exp_element_get(element, "object", "");
	if (info->object[0] == '\0') /* a descendant's, or of an older recorder */
		info->object = info->program;
	info->lineage = exp_element_get(element, "lineage", "");
	if (info->lineage[lineage_parse(info->lineage)] != '\0') {
		exp_warn(reader->experiment, FMT_FILE_LOG ": the lineage is damaged");
		info->lineage = "";
	}
	reader->have_process = 1;
	return 0;
}

static int read_arg(struct log_reader *reader, const struct exp_element *element)
{
	if (exp_array_reserve(&reader->argv, &reader->argv_capacity, reader->argc,
	                      sizeof(*reader->argv)) != 0)
		return -ENOMEM;
	reader->argv[reader->argc++] = !element->text ? "" : element->text;
	return 0;
}

static int read_setting(struct log_reader *reader, const struct exp_element *element)
{
	if (exp_array_reserve(&reader->settings, &reader->setting_capacity, reader->setting_count,
	                      sizeof(*reader->settings)) != 0)
		return -ENOMEM;
	reader->settings[reader->setting_count++] = (struct exp_pair){
		exp_element_get(element, "name", ""), exp_element_get(element, "value", "")};
	return 0;
}

/* The last value of a name counts. There are few names: a file with thousands of them was not
 * written by us, and is cut off. */
static int read_count(struct log_reader *reader, const struct exp_element *element)
{
	enum { NAMES_MAX = 1024 };
	struct exp_pair pair = {exp_element_get(element, "name", ""),
	                        exp_element_get(element, "value", "")};

	for (size_t i = 0; i < reader->counter_count; i++) {
		if (strcmp(reader->counters[i].name, pair.name) == 0) {
			reader->counters[i] = pair;
			return 0;
		}
	}
	if (reader->counter_count == NAMES_MAX)
		return 0;
	if (exp_array_reserve(&reader->counters, &reader->counter_capacity, reader->counter_count,
	                      sizeof(*reader->counters)) != 0)
		return -ENOMEM;
	reader->counters[reader->counter_count++] = pair;
	return 0;
}

static int read_clock(struct log_reader *reader, const struct exp_element *element)
{
	struct experiment *experiment = reader->experiment;
	uint64_t hz = exp_element_number(element, "hz", 0),
		 real_ns = exp_element_number(element, "real_ns", 0);

	experiment->clock.is_tsc = strcmp(exp_element_get(element, "source", ""), "tsc") == 0;
	experiment->clock.start.ticks = exp_element_number(element, "ticks", 0);
	experiment->clock.start.raw_ns = exp_element_number(element, "raw_ns", 0);
	experiment->clock.start_mono_ns = exp_element_number(element, "mono_ns", 0);
	experiment->info.start_mono_ns = experiment->clock.start_mono_ns;
	if (real_ns > EXP_REAL_NS_MAX) {
		exp_warn(experiment, FMT_FILE_LOG ": the time of the start is damaged");
		real_ns = 0;
	}
	experiment->info.start_real_ns = (int64_t)real_ns;
	if (hz == 0)
		return 0;
	experiment->clock.hz = (double)hz;
	reader->have_clock = 1;
	return 0;
}

static void read_attach(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_info *info = &reader->experiment->info;

	info->is_attached = 1;
	info->earlier_ns = exp_element_number(element, "earlier_ns", 0);
}

static void read_mpi(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_info *info = &reader->experiment->info;
	uint64_t rank = exp_element_number(element, "rank", UINT64_MAX),
		 size = exp_element_number(element, "size", 0);

	if (rank >= size || size > INT32_MAX)
		return;
	info->mpi_rank = (int64_t)rank;
	info->mpi_size = (int64_t)size;
	info->mpi_library = exp_element_get(element, "version",
	                                    exp_element_get(element, "library", ""));
}

static void read_detach(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_info *info = &reader->experiment->info;

	info->status = EXP_DETACHED;
	info->cpu_ns = exp_element_number(element, "cpu_ns", 0);
}

/* Behind all other events: xcollect writes it into the copy. */
static void read_snapshot(struct log_reader *reader, const struct exp_element *element)
{
	struct experiment *experiment = reader->experiment;
	struct exp_info *info = &experiment->info;

	info->snapshot_of = exp_element_get(element, "of", "");
	info->snapshot_pid = exp_element_number(element, "pid", 0);
	experiment->until = exp_element_number(element, "time", 0);
	if (exp_element_number(element, "running", 0) == 1)
		info->status = EXP_SNAPSHOT;
}

static void read_exit(struct log_reader *reader, const struct exp_element *element)
{
	struct experiment *experiment = reader->experiment;
	uint64_t code = exp_element_number(element, "code", UINT64_MAX);

	experiment->info.status = EXP_ENDED;
	experiment->info.exit_code = code <= INT32_MAX ? (int)code : -1;
	experiment->info.cpu_ns = exp_element_number(element, "cpu_ns", 0);
}

/* The only usage sample of a process that had nothing to record until its end. */
static int read_usage(struct log_reader *reader, const struct exp_element *element)
{
	struct experiment *experiment = reader->experiment;
	struct exp_usage *usage = &experiment->end_usage;

	*usage = (struct exp_usage){.reason = FMT_sample_reason_END, .number = 1, .threads = 1};
	experiment->end_ticks = exp_element_number(element, "time", 0);
#define READ(field) usage->field = exp_element_number(element, #field, 0)
	READ(user_ns);
	READ(system_ns);
	READ(cpu_ns);
	READ(maxrss_kib);
	READ(minflt);
	READ(majflt);
	READ(inblock);
	READ(oublock);
	READ(nvcsw);
	READ(nivcsw);
#undef READ
	return 0;
}

/* An exec that was noted beforehand and did not fail. */
static void read_exec(struct log_reader *reader, const struct exp_element *element, int failed)
{
	struct exp_info *info = &reader->experiment->info;

	if (info->status != EXP_EXECED)
		reader->before_exec = info->status;
	info->status = failed ? reader->before_exec : EXP_EXECED;
	info->executed = failed ? NULL : exp_element_get(element, "path", "");
	info->executed_as = failed ? NULL : exp_element_get(element, "lineage", NULL);
}

static int read_event(struct log_reader *reader, const struct exp_element *element)
{
	struct exp_event event = {
		.kind = exp_element_get(element, "kind", ""),
		.attributes = element->attributes,
		.attribute_count = element->attribute_count,
	};

	if (exp_array_reserve(&reader->events, &reader->event_capacity, reader->event_count,
	                      sizeof(event)) != 0 ||
	    exp_array_reserve(&reader->ticks, &reader->ticks_capacity, reader->event_count,
	                      sizeof(*reader->ticks)) != 0)
		return -ENOMEM;
	if (strcmp(event.kind, "exit") == 0)
		read_exit(reader, element);
	else if (strcmp(event.kind, "exec") == 0)
		read_exec(reader, element, 0);
	else if (strcmp(event.kind, "exec_error") == 0)
		read_exec(reader, element, 1);
	else if (strcmp(event.kind, "attach") == 0)
		read_attach(reader, element);
	else if (strcmp(event.kind, "detach") == 0)
		read_detach(reader, element);
	else if (strcmp(event.kind, "snapshot") == 0)
		read_snapshot(reader, element);
	else if (strcmp(event.kind, "outside") == 0)
		reader->experiment->info.outside = exp_element_get(element, "reason", "");
	else if (strcmp(event.kind, "mpi") == 0)
		read_mpi(reader, element);
	/* The kind is told apart; it comes first where we wrote the event. */
	if (event.attribute_count > 0 && strcmp(event.attributes[0].name, "kind") == 0) {
		event.attributes++;
		event.attribute_count--;
	}
	reader->ticks[reader->event_count] = exp_element_number(element, "time", 0);
	reader->events[reader->event_count++] = event;
	return 0;
}

static const struct {
	int depth;
	const char *name;
	int (*read)(struct log_reader *reader, const struct exp_element *element);
} elements[] = {
	{0, FMT_LOG_ROOT, read_root}, {1, "host", read_host},       {1, "process", read_process},
	{2, "arg", read_arg},         {1, "setting", read_setting}, {1, "count", read_count},
	{1, "clock", read_clock},     {1, "event", read_event},     {1, "usage", read_usage},
};

int log_reader_element(void *context, const struct exp_element *element)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (element->depth == elements[i].depth &&
		    strcmp(element->name, elements[i].name) == 0)
			return elements[i].read(context, element);
	return 0;
}

/* What is the same in a whole tree is at the beginning of the founder's log. The schema and the
 * events after it are not read, since there may be many descendants. */
int log_reader_founder_element(void *context, const struct exp_element *element)
{
	if (element->depth == 1 &&
	    (strcmp(element->name, "schema") == 0 || strcmp(element->name, "event") == 0))
		return LOG_ENOUGH;
	if (element->depth == 1 && strcmp(element->name, "host") == 0)
		return read_host(context, element);
	if (element->depth == 1 && strcmp(element->name, "setting") == 0)
		return read_setting(context, element);
	return 0;
}
