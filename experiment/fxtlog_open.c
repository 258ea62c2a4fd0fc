/* fxtlog_open.c: opens an FXT file as an experiment: processes, threads, what was mapped where, when it was. See fxtlog.h. */
#include "experiment/fxtlog_internal.h"

#include "format/fxt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS_MAX = 1 << 20, PROVIDERS_TOLD = 4096 };

struct module {
	const char *name, *build_id;
};

/* The first reading of the file. */
struct opener {
	struct experiment *experiment;
	struct exp_fxtlog *fxtlog;
	struct module *modules;
	size_t module_count, module_capacity;
	struct exp_index by_module; /* number of the process << 16 | id -> module */
	struct exp_map_object *objects;
	size_t object_count, object_capacity;
	struct exp_histogram intervals;
	uint64_t last_ns[PROVIDERS_TOLD]; /* of each provider's samples, 0: none */
	uint64_t samples, first_ns, end_ns, process;
};

static const char *hexadecimal(struct experiment *experiment, const char *bytes, uint64_t size)
{
	char *text = exp_arena_alloc(&experiment->arena, size * 2 + 1);

	for (uint64_t i = 0; text != NULL && i < size; i++) {
		text[2 * i] = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[(unsigned char)bytes[i] & 15];
	}
	return text;
}

static int add_module(struct opener *opener, const struct exp_fxt_record *record)
{
	const struct exp_fxt_value *values = record->values, *name = &values[FXT_AT(module, name)];
	const struct exp_fxt_value *id = &values[FXT_AT(module, build_id)];
	struct exp_arena *arena = &opener->experiment->arena;
	uint32_t process = fxtlog_process(opener->fxtlog, values[FXT_AT(module, thread)].process);
	uint64_t key = (uint64_t)process << 16 | EXP_FXT_FIELD(record, module, id);
	uint32_t known = exp_index_find(&opener->by_module, key);
	struct module made = {exp_arena_text(arena, name->text, name->number),
			      hexadecimal(opener->experiment, id->text, id->number)};

	if (process == UINT32_MAX || made.name == NULL || made.build_id == NULL)
		return -ENOMEM;
	if (known != EXP_INDEX_NONE) {
		opener->modules[known] = made;
		return 0;
	}
	if (exp_array_reserve(&opener->modules, &opener->module_capacity, opener->module_count, sizeof(made)) != 0 ||
	    exp_index_add(&opener->by_module, key, (uint32_t)opener->module_count) != 0)
		return -ENOMEM;
	opener->modules[opener->module_count++] = made;
	return 0;
}

/* A mapping is of the module that was told last before it under that number. */
static int add_mapping(struct opener *opener, const struct exp_fxt_record *record)
{
	const struct exp_fxt_value *values = record->values;
	uint64_t start = values[FXT_AT(mmap, start)].number, size = values[FXT_AT(mmap, size)].number;
	uint32_t process = fxtlog_process(opener->fxtlog, values[FXT_AT(mmap, thread)].process);
	uint32_t module = exp_index_find(&opener->by_module, (uint64_t)process << 16 | EXP_FXT_FIELD(record, mmap, module));
	struct exp_map_object *added;

	if (process == UINT32_MAX)
		return -ENOMEM;
	if (module == EXP_INDEX_NONE || size == 0 || size > UINT64_MAX - start || opener->object_count == OBJECTS_MAX) {
		exp_warn(opener->experiment, "offset %llu: a mapping of %s", (unsigned long long)record->offset,
			 module == EXP_INDEX_NONE ? "a module that was not announced" : "a size that cannot be");
		return 0;
	}
	if (exp_array_reserve(&opener->objects, &opener->object_capacity, opener->object_count, sizeof(*added)) != 0)
		return -ENOMEM;
	added = &opener->objects[opener->object_count++];
	added->id = opener->object_count;
	added->object = (struct exp_object){
	    .path = opener->modules[module].name,
	    .build_id = opener->modules[module].build_id,
	    .bias = start - values[FXT_AT(mmap, address)].number,
	    .start = start,
	    .end = start + size,
	    .generation_from = process,
	    .generation_to = process + 1,
	};
	return 0;
}

static int add_thread(struct opener *opener, const struct exp_fxt_record *record)
{
	struct exp_fxtlog *fxtlog = opener->fxtlog;
	const struct exp_fxt_value *name = &record->values[FXT_AT(kernel_object, name)];
	struct exp_thread *added;

	if (EXP_FXT_FIELD(record, kernel_object, object) != FXT_OBJECT_THREAD || fxtlog->thread_count == OBJECTS_MAX)
		return 0;
	if (exp_array_reserve(&fxtlog->threads, &fxtlog->thread_capacity, fxtlog->thread_count, sizeof(*added)) != 0)
		return -ENOMEM;
	added = &fxtlog->threads[fxtlog->thread_count++];
	*added = (struct exp_thread){.tid = (uint32_t)record->values[FXT_AT(kernel_object, koid)].number,
				     .origin = FMT_thread_origin_FOUND};
	memcpy(added->name, name->text, name->number < sizeof(added->name) - 1 ? name->number : sizeof(added->name) - 1);
	return 0;
}

static int add_sample(struct opener *opener, const struct exp_fxt *fxt, const struct fxtlog_sample *sample)
{
	uint64_t provider = exp_fxt_provider(fxt), *last = &opener->last_ns[provider];

	if (opener->samples++ == 0) {
		opener->first_ns = opener->end_ns = sample->ns;
		opener->process = sample->process;
	}
	opener->first_ns = sample->ns < opener->first_ns ? sample->ns : opener->first_ns;
	opener->end_ns = sample->ns > opener->end_ns ? sample->ns : opener->end_ns;
	if (provider >= PROVIDERS_TOLD)
		return 0;
	if (*last != 0 && sample->ns > *last && exp_histogram_add(&opener->intervals, sample->ns - *last) != 0)
		return -ENOMEM;
	*last = sample->ns;
	return 0;
}

static int on_record(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct opener *opener = context;
	struct fxtlog_sample sample;

	switch (record->kind) {
	case FXT_module:
		return add_module(opener, record);
	case FXT_mmap:
		return add_mapping(opener, record);
	case FXT_kernel_object:
		return add_thread(opener, record);
	default:
		return fxtlog_take(fxt, record, &sample) ? add_sample(opener, fxt, &sample) : 0;
	}
}

static void set_info(struct experiment *experiment, const struct opener *opener)
{
	struct exp_info *info = &experiment->info;

	info->status = EXP_ENDED;
	info->exit_code = -1;
	info->program = info->path;
	info->pid = (int64_t)opener->process;
	info->start_ticks = opener->first_ns;
	experiment->clock.hz = 1e9;
	experiment->clock.start.ticks = opener->first_ns;
	info->clock_hz = experiment->clock.hz;
	info->duration_s = (double)(opener->end_ns - opener->first_ns) * 1e-9;
	opener->fxtlog->period_ns = experiment_quantile(&opener->intervals, 0.5);
}

static int read_file(struct opener *opener)
{
	struct experiment *experiment = opener->experiment;
	char fault[200];
	int rc = fxtlog_walk(opener->fxtlog, on_record, opener, fault, sizeof(fault));

	if (rc == -EBADMSG)
		exp_warn(experiment, "%s", fault);
	if (rc != 0 && rc != -EBADMSG)
		return rc;
	if (opener->samples == 0)
		return -ENODATA;
	set_info(experiment, opener);
	return exp_map_index(experiment, opener->objects, opener->object_count);
}

int exp_fxtlog_open(struct experiment *experiment, int fd)
{
	struct opener *opener;
	uint64_t magic;
	int rc = -ENOMEM;

	if (pread(fd, &magic, sizeof(magic), 0) != sizeof(magic) || magic != FXT_MAGIC)
		return -EBADMSG;
	opener = calloc(1, sizeof(*opener));
	experiment->fxtlog = calloc(1, sizeof(*experiment->fxtlog));
	if (opener != NULL && experiment->fxtlog != NULL) {
		opener->experiment = experiment;
		opener->fxtlog = experiment->fxtlog;
		opener->fxtlog->fd = fd;
		rc = read_file(opener);
	}
	if (opener != NULL) {
		free(opener->modules);
		free(opener->objects);
		exp_index_fini(&opener->by_module);
		exp_histogram_fini(&opener->intervals);
	}
	free(opener);
	if (rc != 0 && experiment->fxtlog != NULL) {
		experiment->fxtlog->fd = -1;
		exp_fxtlog_close(experiment);
	}
	return rc;
}

void exp_fxtlog_close(struct experiment *experiment)
{
	struct exp_fxtlog *fxtlog = experiment->fxtlog;

	if (fxtlog == NULL)
		return;
	if (fxtlog->fd >= 0)
		close(fxtlog->fd);
	exp_index_fini(&fxtlog->processes);
	exp_index_fini(&fxtlog->nodes);
	free(fxtlog->threads);
	free(fxtlog);
	experiment->fxtlog = NULL;
}
