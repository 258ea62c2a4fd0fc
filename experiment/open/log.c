/* log.c: reads log.xml into exp_info: settings, host, process, clock, and every event of the
 * recording. */
#include "experiment/open/log.h"

#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "format/layout.h"
#include "format/lineage.h"
#include "format/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 3, RETRY_US = 2000, ENOUGH = 1 };

#define HOST_TEXTS(FIELD) \
	FIELD(host) \
	FIELD(os) \
	FIELD(release) \
	FIELD(arch) \
	FIELD(cpu_model) \
	FIELD(boot_id)
#define HOST_NUMBERS(FIELD) \
	FIELD(cpus) \
	FIELD(page_size) \
	FIELD(memory_kib) \
	FIELD(tick_ns)

struct log_reader {
	enum exp_status before_exec;
	struct experiment *experiment;
	const char **argv;
	size_t argc, argv_capacity;
	struct exp_pair *settings;
	size_t setting_count, setting_capacity;
	struct exp_pair *counters;
	size_t counter_count, counter_capacity;
	struct exp_event *events;
	size_t event_count, event_capacity;
	uint64_t *ticks;
	size_t ticks_capacity;
	int have_process, have_clock;
	const struct exp_info *lent; /* by the founder: host and settings; NULL: by nobody */
};

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

static int on_element(void *context, const struct exp_element *element)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (element->depth == elements[i].depth &&
		    strcmp(element->name, elements[i].name) == 0)
			return elements[i].read(context, element);
	return 0;
}

static void reset(struct log_reader *reader)
{
	reader->argc = 0;
	reader->setting_count = 0;
	reader->counter_count = 0;
	reader->event_count = 0;
	reader->have_process = 0;
	reader->have_clock = 0;
}

/* Copy array[count] of `size` bytes each into the arena and free it. */
static void *keep(struct exp_arena *arena, void *array, size_t count, size_t size)
{
	void *copy = exp_arena_alloc(arena, count * size);

	if (copy && count > 0)
		memcpy(copy, array, count * size);
	free(array);
	return copy;
}

static int take_arrays(struct log_reader *reader)
{
	struct experiment *experiment = reader->experiment;
	struct exp_info *info = &experiment->info;
	struct exp_arena *arena = &experiment->arena;

	info->argc = reader->argc;
	info->argv = keep(arena, reader->argv, reader->argc, sizeof(*reader->argv));
	info->setting_count = reader->lent ? reader->lent->setting_count : reader->setting_count;
	info->settings = reader->lent ? reader->lent->settings
	                              : keep(arena, reader->settings, reader->setting_count,
	                                     sizeof(*reader->settings));
	info->counter_count = reader->counter_count;
	info->counters = keep(arena, reader->counters, reader->counter_count,
	                      sizeof(*reader->counters));
	info->event_count = reader->event_count;
	info->events = keep(arena, reader->events, reader->event_count, sizeof(*reader->events));
	experiment->event_ticks = keep(arena, reader->ticks, reader->event_count,
	                               sizeof(*reader->ticks));
	if (!info->argv || !info->settings || !info->counters || !info->events ||
	    !experiment->event_ticks)
		return -ENOMEM;
	return 0;
}

static int explain(struct log_reader *reader, struct exp_xml_walk *walk, int rc,
                   struct exp_cause *cause)
{
	switch (rc) {
	case -EPROTO:
		snprintf(cause->text, sizeof(cause->text),
		         "format version %.40s is not supported (this program reads %d.x)",
		         reader->experiment->info.version, FMT_VERSION_MAJOR);
		return -EPROTO;
	case -ENODATA:
		snprintf(cause->text, sizeof(cause->text), FMT_FILE_LOG ": empty");
		return -ENODATA;
	case -ENOMEM:
		snprintf(cause->text, sizeof(cause->text), "out of memory");
		return -ENOMEM;
	default:
		snprintf(cause->text, sizeof(cause->text),
		         "not an experiment: " FMT_FILE_LOG ": %s",
		         walk->fault[0] == '\0' ? "no version" : walk->fault);
		return -EBADMSG;
	}
}

static int read_log(struct log_reader *reader, int fd, struct exp_cause *cause)
{
	struct experiment *experiment = reader->experiment;
	int rc = 0;

	for (int try = 0;; try++) {
		struct exp_xml_walk walk = {.root = FMT_LOG_ROOT,
		                            .text_element = "arg",
		                            .element = on_element,
		                            .context = reader,
		                            .arena = &experiment->arena};

		reset(reader);
		rc = exp_xml_read(fd, &walk);
		if (rc == 0)
			break;
		if (experiment->info.status == EXP_RUNNING && rc != -EPROTO &&
		    try < READ_TRIES - 1) {
			usleep(RETRY_US);
			continue;
		}
		if (rc != -EBADMSG || !reader->have_process)
			return explain(reader, &walk, rc, cause);
		exp_warn(experiment, FMT_FILE_LOG ": %s", walk.fault);
		break;
	}
	if (!reader->have_process) {
		snprintf(cause->text, sizeof(cause->text),
		         "not an experiment: " FMT_FILE_LOG " names no process");
		return -EBADMSG;
	}
	return 0;
}

/* What is the same in a whole tree is at the beginning of the founder's log. The schema and the
 * events after it are not read, since there may be many descendants. */
static int on_founder_element(void *context, const struct exp_element *element)
{
	if (element->depth == 1 &&
	    (strcmp(element->name, "schema") == 0 || strcmp(element->name, "event") == 0))
		return ENOUGH;
	if (element->depth == 1 && strcmp(element->name, "host") == 0)
		return read_host(context, element);
	if (element->depth == 1 && strcmp(element->name, "setting") == 0)
		return read_setting(context, element);
	return 0;
}

/* A descendant without a directory has the founder's path only. */
static int open_founder_log(const struct experiment *experiment)
{
	int directory = experiment->directory >= 0
	                        ? openat(experiment->directory, "..",
	                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC)
	                        : open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = directory < 0 ? -errno : exp_file_open(directory, FMT_FILE_LOG);

	if (directory >= 0)
		close(directory);
	return fd;
}

/* What the founder's log has said is lent to the whole tree. Returns 1, or 0: nobody lends it. */
static int borrow(struct log_reader *reader)
{
	struct exp_info *info = &reader->experiment->info;
	const struct exp_info *lent = exp_place_lent(reader->experiment->place);

	if (!lent)
		return 0;
#define TAKE(field) info->field = lent->field;
	HOST_TEXTS(TAKE)
	HOST_NUMBERS(TAKE)
#undef TAKE
	reader->lent = lent;
	return 1;
}

/* Returns 0 or -ENOMEM: without its founder, a descendant can be read, but lacks some
 * information. */
static int inherit(struct log_reader *reader)
{
	struct experiment *experiment = reader->experiment;
	struct exp_xml_walk walk = {.root = FMT_LOG_ROOT,
	                            .text_element = "arg",
	                            .element = on_founder_element,
	                            .context = reader,
	                            .arena = &experiment->arena};
	int fd, rc;

	if (experiment->info.lineage[0] == '\0' || reader->setting_count > 0)
		return 0;
	if (borrow(reader))
		return 0;
	fd = open_founder_log(experiment);
	rc = fd < 0 ? fd : exp_xml_read(fd, &walk);
	if (fd >= 0)
		close(fd);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 && reader->setting_count == 0)
		exp_warn(experiment, "the founder's " FMT_FILE_LOG
		                     " cannot be read: host and settings are unknown");
	return 0;
}

void exp_log_lend(const struct experiment *founder)
{
	const struct exp_info *info = &founder->info;
	struct exp_arena *arena = exp_place_arena(founder->place);
	struct exp_info *lent = info->descendant_count == 0 ? NULL
	                                                    : exp_arena_alloc(arena, sizeof(*lent));
	struct exp_pair *settings = !lent ? NULL
	                                  : exp_arena_alloc(arena, (info->setting_count + 1) *
	                                                                   sizeof(*settings));
	int is_whole = settings != NULL;

	if (!is_whole)
		return;
	*lent = *info;
	lent->settings = settings;
	for (size_t i = 0; i < info->setting_count; i++) {
		settings[i].name = exp_arena_string(arena, info->settings[i].name);
		settings[i].value = exp_arena_string(arena, info->settings[i].value);
		is_whole &= settings[i].name && settings[i].value;
	}
#define KEEP(field) \
	lent->field = exp_arena_string(arena, info->field); \
	is_whole &= lent->field != NULL;
	HOST_TEXTS(KEEP)
#undef KEEP
	if (is_whole)
		exp_place_lend(founder->place, lent);
}

int exp_log_inherit(struct experiment *experiment)
{
	struct log_reader reader = {.experiment = experiment};
	const char *const *argv = experiment->info.argv;
	size_t argc = experiment->info.argc;
	int rc = inherit(&reader);
	int taken = take_arrays(&reader);

	experiment->info.argv = argv;
	experiment->info.argc = argc;
	return rc != 0 ? rc : taken;
}

int exp_log_read(struct experiment *experiment, int fd, struct exp_cause *cause)
{
	struct log_reader reader = {.experiment = experiment};
	int rc, taken;

	if (fd < 0) {
		snprintf(cause->text, sizeof(cause->text), FMT_FILE_LOG ": %s",
		         fd == -EBADMSG ? "not a regular file" : strerror(-fd));
		return fd;
	}
	rc = read_log(&reader, fd, cause);
	close(fd);
	if (rc == 0)
		rc = inherit(&reader);
	taken = take_arrays(&reader);
	if (rc == 0 && taken != 0) {
		snprintf(cause->text, sizeof(cause->text), "out of memory");
		rc = taken;
	}
	if (rc == 0 && !reader.have_clock)
		exp_warn(experiment, FMT_FILE_LOG ": no clock: times are not to be trusted");
	return rc;
}

void exp_log_apply_clock(struct experiment *experiment, uint64_t last_ticks)
{
	struct exp_info *info = &experiment->info;
	struct exp_event *events = (struct exp_event *)info->events;
	uint64_t latest = last_ticks;

	for (size_t i = 0; i < info->event_count; i++) {
		uint64_t ticks = experiment->event_ticks[i];

		events[i].time_s = ticks == 0 ? 0 : exp_clock_seconds(&experiment->clock, ticks);
		if (ticks != 0 && (latest == 0 || (int64_t)(ticks - latest) > 0))
			latest = ticks;
	}
	for (size_t i = 0; i < info->event_count; i++)
		if (strcmp(events[i].kind, "exit") == 0 && experiment->event_ticks[i] != 0)
			latest = experiment->event_ticks[i];
	if (info->status == EXP_SNAPSHOT && experiment->until)
		latest = experiment->until;
	info->snapshot_s = experiment->until
	                           ? exp_clock_seconds(&experiment->clock, experiment->until)
	                           : 0;
	info->clock_hz = experiment->clock.hz;
	info->clock_is_tsc = experiment->clock.is_tsc;
	info->start_ticks = experiment->clock.start.ticks;
	info->duration_s = latest == 0 ? 0 : exp_clock_seconds(&experiment->clock, latest);
	if (info->duration_s < 0)
		info->duration_s = 0;
}
