/* log.c: reads log.xml into exp_info: settings, host, process, clock, and every event of the
 * recording. */
#include "experiment/open/log.h"

#include "experiment/open/log_reader.h"

#include "format/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 3, RETRY_US = 2000 };

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
		                            .element = log_reader_element,
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

int exp_log_inherit(struct experiment *experiment)
{
	struct log_reader reader = {.experiment = experiment};
	const char *const *argv = experiment->info.argv;
	size_t argc = experiment->info.argc;
	int rc = log_reader_inherit(&reader);
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
		rc = log_reader_inherit(&reader);
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
