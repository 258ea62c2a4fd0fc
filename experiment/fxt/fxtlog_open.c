/* fxtlog_open.c: opens an FXT file as an experiment: processes, threads, what was mapped where,
 * when it was. See fxtlog.h. */
#include "experiment/fxt/fxtlog_internal.h"
#include "experiment/fxt/fxtmap.h"
#include "format/fxt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1 << 20, PROVIDERS_TOLD = 4096 };

/* The first reading of the file. */
struct opener {
	struct experiment *experiment;
	struct exp_fxtlog *fxtlog;
	struct exp_fxtmap map;
	struct exp_histogram intervals;
	uint64_t last_ns[PROVIDERS_TOLD]; /* of each provider's samples, 0: none */
	uint64_t samples, first_ns, end_ns, process;
	uint64_t told_samples, told_ns; /* of all processes */
};

static int add_code(struct opener *opener, const struct exp_fxt_record *record)
{
	uint32_t process = fxtlog_process(opener->fxtlog, exp_fxtmap_process(record));

	return process == UINT32_MAX
	               ? -ENOMEM
	               : exp_fxtmap_take(&opener->map, record, process, process, process + 1);
}

static int add_thread(struct opener *opener, const struct exp_fxt_record *record)
{
	struct exp_fxtlog *fxtlog = opener->fxtlog;
	const struct exp_fxt_value *name = &record->values[FXT_AT(kernel_object, name)];
	struct exp_thread *added;

	if (EXP_FXT_FIELD(record, kernel_object, object) != FXT_OBJECT_THREAD ||
	    fxtlog->thread_count == THREADS_MAX)
		return 0;
	if (exp_array_reserve(&fxtlog->threads, &fxtlog->thread_capacity, fxtlog->thread_count,
	                      sizeof(*added)) != 0)
		return -ENOMEM;
	added = &fxtlog->threads[fxtlog->thread_count++];
	*added = (struct exp_thread){
		.tid = (uint32_t)record->values[FXT_AT(kernel_object, koid)].number,
		.origin = FMT_thread_origin_FOUND};
	memcpy(added->name, name->text,
	       name->number < sizeof(added->name) - 1 ? name->number : sizeof(added->name) - 1);
	return 0;
}

/* What xer_print tells of a process's samples when it exports them. */
static void add_process(struct opener *opener, const struct exp_fxt *fxt,
                        const struct exp_fxt_record *record)
{
	struct exp_fxt_value arguments = record->values[FXT_AT(kernel_object, arguments)];
	struct exp_fxt_argument argument;

	while (exp_fxt_argument(fxt, &arguments, &argument)) {
#define IS(wanted) \
	(argument.type == FXT_ARGUMENT_UINT64 && argument.name_size == strlen(wanted) && \
	 memcmp(argument.name, wanted, strlen(wanted)) == 0)
		if (IS("samples"))
			opener->told_samples += argument.value;
		if (IS("sampled_ns"))
			opener->told_ns += argument.value;
#undef IS
	}
}

static int add_sample(struct opener *opener, const struct exp_fxt *fxt,
                      const struct exp_fxt_sample *sample)
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
	if (*last != 0 && sample->ns > *last &&
	    exp_histogram_add(&opener->intervals, sample->ns - *last) != 0)
		return -ENOMEM;
	*last = sample->ns;
	return 0;
}

static int on_record(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct opener *opener = context;
	struct exp_fxt_sample sample;

	switch (record->kind) {
	case FXT_module:
	case FXT_mmap:
		return add_code(opener, record);
	case FXT_kernel_object:
		if (EXP_FXT_FIELD(record, kernel_object, object) == FXT_OBJECT_PROCESS)
			add_process(opener, fxt, record);
		return add_thread(opener, record);
	default:
		return exp_fxt_sample_take(fxt, record, &sample) ? add_sample(opener, fxt, &sample)
		                                                 : 0;
	}
}

static void set_info(struct experiment *experiment, const struct opener *opener)
{
	struct exp_info *info = &experiment->info;

	info->status = EXP_ENDED;
	info->exit_code = -1;
	info->object = info->program = info->path;
	info->pid = (int64_t)opener->process;
	info->start_ticks = opener->first_ns;
	experiment->clock.hz = 1e9;
	experiment->clock.start.ticks = opener->first_ns;
	info->clock_hz = experiment->clock.hz;
	info->duration_s = (double)(opener->end_ns - opener->first_ns) * 1e-9;
	opener->fxtlog->period_ns = opener->told_samples > 0
	                                    ? opener->told_ns / opener->told_samples
	                                    : experiment_quantile(&opener->intervals, 0.5);
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
	return exp_map_index(experiment, opener->map.objects, opener->map.object_count);
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
	if (opener && experiment->fxtlog) {
		opener->experiment = opener->map.experiment = experiment;
		opener->fxtlog = experiment->fxtlog;
		opener->fxtlog->fd = fd;
		rc = read_file(opener);
	}
	if (opener) {
		exp_fxtmap_fini(&opener->map);
		exp_histogram_fini(&opener->intervals);
	}
	free(opener);
	if (rc != 0 && experiment->fxtlog) {
		experiment->fxtlog->fd = -1;
		exp_fxtlog_close(experiment);
	}
	return rc;
}

void exp_fxtlog_close(struct experiment *experiment)
{
	struct exp_fxtlog *fxtlog = experiment->fxtlog;

	if (!fxtlog)
		return;
	if (fxtlog->fd >= 0)
		close(fxtlog->fd);
	exp_index_fini(&fxtlog->processes);
	exp_fxtstacks_fini(&fxtlog->stacks);
	free(fxtlog->threads);
	free(fxtlog);
	experiment->fxtlog = NULL;
}
