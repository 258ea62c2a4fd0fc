/* foreign.c: a log of LLVM's XRay runtime as an experiment that has only a function trace. */
#include "experiment/xray/foreign.h"

#include "format/record.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 512, EVENT_MAX = 65536 };

/* Records on their way to the sink. */
struct batch {
	const struct functrace_sink *sink;
	uint64_t words[WORDS];
	size_t count;
	uint64_t base; /* time before words[0] */
	uint64_t tsc;  /* of the last word */
	uint32_t tid;
	int has_begun;
	union {
		struct fmt_traced_event header;
		uint8_t bytes[EVENT_MAX];
	} event;
};

static int flush(struct batch *batch)
{
	const uint8_t *end = (const uint8_t *)(batch->words + batch->count);
	const uint8_t *behind = batch->sink->functions(
		batch->sink->context, (const uint8_t *)batch->words, end, &batch->base);

	batch->count = 0;
	batch->base = batch->tsc;
	return !behind ? -ECANCELED : 0;
}

static enum fdr_action action_of(const struct xraylog_record *record)
{
	static const uint8_t actions[] = {FDR_ENTER, FDR_EXIT, FDR_TAIL_EXIT, FDR_ENTER_ARG};

	return (enum fdr_action)actions[record->kind];
}

/* A word of zero means unused space, so an entry of function 0 with delta 0 is taken for one tick
 * later. */
static int put_function(struct batch *batch, const struct xraylog_record *record)
{
	uint64_t delta = record->tsc > batch->tsc ? record->tsc - batch->tsc : 0;
	int rc = 0;

	if (batch->count == WORDS || delta > UINT32_MAX)
		rc = flush(batch);
	if (delta > UINT32_MAX) {
		batch->base = batch->tsc = record->tsc;
		delta = 0;
	}
	batch->words[batch->count] = fdr_function_word(record->function & FDR_FUNCTION_MAX,
	                                               action_of(record), (uint32_t)delta);
	if (batch->words[batch->count] == 0)
		batch->words[batch->count] = fdr_function_word(0, FDR_ENTER, 1);
	batch->count++;
	if (record->tsc > batch->tsc)
		batch->tsc = record->tsc;
	if (rc == 0 && record->argument_count != 0)
		rc = flush(batch);
	for (uint32_t i = 0; i < record->argument_count && rc == 0; i++)
		rc = batch->sink->argument(batch->sink->context, record->arguments[i]);
	return rc;
}

static int put_event(struct batch *batch, const struct xraylog_record *record)
{
	const uint32_t room = EVENT_MAX - sizeof(batch->event.header);

	batch->event.header = (struct fmt_traced_event){
		.kind = FMT_KIND_traced_event,
		.form = record->kind == XRAYLOG_TYPED ? FMT_traced_form_TYPED
	                                              : FMT_traced_form_CUSTOM,
		.type = record->event_type,
		.size = record->data_size < room ? record->data_size : room,
		.whole = record->data_size,
	};
	memcpy(batch->event.bytes + sizeof(batch->event.header), record->data,
	       batch->event.header.size);
	return batch->sink->event(batch->sink->context, batch->event.bytes,
	                          (uint32_t)sizeof(batch->event.header) + batch->event.header.size,
	                          record->tsc);
}

static int put_record(struct batch *batch, const struct xraylog_record *record)
{
	int rc;

	if (record->kind != XRAYLOG_CUSTOM && record->kind != XRAYLOG_TYPED)
		return put_function(batch, record);
	rc = flush(batch);
	return rc != 0 ? rc : put_event(batch, record);
}

/* The thread is another one, or it is the first. */
static int begin_thread(struct batch *batch, const struct xraylog_record *record)
{
	int rc = batch->count != 0 ? flush(batch) : 0;

	if (rc == 0)
		rc = batch->sink->buffer(batch->sink->context, record->tid, record->tsc);
	batch->base = batch->tsc = record->tsc;
	batch->tid = record->tid;
	batch->has_begun = 1;
	return rc;
}

static int on_record(void *context, const struct xraylog_record *record)
{
	struct batch *batch = context;
	int rc = !batch->has_begun || record->tid != batch->tid ? begin_thread(batch, record) : 0;

	return rc == 0 ? put_record(batch, record) : rc;
}

int foreign_walk(const struct xraylog *log, const struct functrace_sink *sink)
{
	struct batch batch = {.sink = sink};
	int rc = xraylog_each(log, on_record, &batch);

	return rc == 0 && batch.count != 0 ? flush(&batch) : rc;
}

/* ---- functions ---- */

enum { SLED_ENTRY = 32, OBJECTS = 2, RELATIVE_SINCE = 2 };

uint64_t experiment_foreign_address(const struct experiment *experiment, uint32_t id,
                                    int *is_mapped)
{
	*is_mapped = id < experiment->foreign_function_count &&
	             experiment->foreign_functions[id] != 0;
	return *is_mapped ? experiment->foreign_functions[id] : FOREIGN_BASE + id;
}

/* The objects of the experiment: the one of unnamed functions, behind the file of the map if there
 * is one. */
static int set_objects(struct experiment *experiment, const char *path)
{
	size_t count = !path ? 1 : 2;

	experiment->objects = exp_arena_alloc(&experiment->arena,
	                                      OBJECTS * sizeof(*experiment->objects));
	experiment->by_start = exp_arena_alloc(&experiment->arena,
	                                       OBJECTS * sizeof(*experiment->by_start));
	experiment->highest_end = exp_arena_alloc(&experiment->arena,
	                                          OBJECTS * sizeof(*experiment->highest_end));
	if (!experiment->objects || !experiment->by_start || !experiment->highest_end)
		return -ENOMEM;
	if (path)
		experiment->objects[0] = (struct exp_object){
			.path = exp_arena_string(&experiment->arena, path),
			.build_id = "",
			.end = FOREIGN_BASE,
			.generation_to = UINT32_MAX};
	experiment->objects[count - 1] = (struct exp_object){.path = FOREIGN_OBJECT,
	                                                     .build_id = "",
	                                                     .bias = FOREIGN_BASE,
	                                                     .start = FOREIGN_BASE,
	                                                     .end = FOREIGN_BASE +
	                                                            FDR_FUNCTION_MAX + 1,
	                                                     .generation_to = UINT32_MAX};
	for (size_t i = 0; i < count; i++) {
		experiment->by_start[i] = (uint32_t)i;
		experiment->highest_end[i] = experiment->objects[i].end;
	}
	experiment->object_count = count;
	return 0;
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Number functions as LLVM does: in order of the map, with a new number where the function changes.
 */
static int number_functions(struct experiment *experiment, const uint8_t *map, size_t size,
                            uint64_t address)
{
	uint64_t *functions = exp_arena_alloc(&experiment->arena,
	                                      (size / SLED_ENTRY + 1) * sizeof(*functions));
	uint64_t last = 0;
	size_t count = 0;

	if (!functions)
		return -ENOMEM;
	functions[0] = 0;
	for (size_t at = 0; at + SLED_ENTRY <= size; at += SLED_ENTRY) {
		uint64_t function = get64(map + at + 8);

		if (map[at + 18] >= RELATIVE_SINCE)
			function += address + at + 8;
		if (function != last)
			functions[++count] = function;
		last = function;
	}
	experiment->foreign_functions = functions;
	experiment->foreign_function_count = count + 1;
	return 0;
}

static int read_map(struct experiment *experiment, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
		return -EBADMSG;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = !gelf_getshdr(section, &header)
		                           ? NULL
		                           : elf_strptr(elf, names, header.sh_name);
		Elf_Data *data = name && strcmp(name, "xray_instr_map") == 0
		                         ? elf_rawdata(section, NULL)
		                         : NULL;

		if (data && data->d_buf)
			return number_functions(experiment, data->d_buf, data->d_size,
			                        header.sh_addr);
	}
	return -EBADMSG;
}

int experiment_instr_map(struct experiment *experiment, const char *path)
{
	char absolute[PATH_MAX];
	int fd, rc;
	Elf *elf;

	if (!experiment->foreign)
		return 0;
	if (!realpath(path, absolute))
		return -errno;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = read_map(experiment, elf);
	if (rc == 0)
		rc = set_objects(experiment, absolute);
	elf_end(elf);
	close(fd);
	return rc;
}

const struct xraylog *experiment_foreign(const struct experiment *experiment)
{
	return experiment->foreign;
}

/* ---- as an experiment ---- */

static void set_info(struct experiment *experiment, const struct xraylog *log)
{
	struct exp_info *info = &experiment->info;

	info->status = EXP_ENDED;
	info->exit_code = -1;
	info->object = info->program = info->path;
	info->pid = log->pid;
	info->clock_is_tsc = 1;
	info->start_ticks = log->first_tsc;
	/* Without a frequency, ticks count as nanoseconds. */
	experiment->clock.hz = log->cycle_frequency != 0 ? (double)log->cycle_frequency : 1e9;
	experiment->clock.start.ticks = log->first_tsc;
	info->clock_hz = experiment->clock.hz;
	info->duration_s = (double)(log->last_tsc - log->first_tsc) / experiment->clock.hz;
}

int exp_foreign_take(struct experiment *experiment, int fd)
{
	struct xraylog *log = calloc(1, sizeof(*log));
	int rc = !log ? -ENOMEM : xraylog_open(fd, log);

	if (rc != 0) {
		close(fd);
		free(log);
		return rc;
	}
	experiment->foreign = log;
	if (set_objects(experiment, NULL) != 0)
		return -ENOMEM;
	set_info(experiment, log);
	if (log->faults != 0)
		exp_warn(experiment, "offset %llu: %s%s", (unsigned long long)log->fault_offset,
		         log->fault, log->faults > 1 ? ", and more behind it" : "");
	return 0;
}

void exp_foreign_close(struct experiment *experiment)
{
	if (!experiment->foreign)
		return;
	xraylog_close(experiment->foreign);
	free(experiment->foreign);
	experiment->foreign = NULL;
}
