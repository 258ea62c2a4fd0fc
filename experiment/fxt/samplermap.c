/* samplermap.c: see samplermap.h. */
#include "experiment/fxt/samplermap.h"

#include "experiment/fxt/fxtmap.h"
#include "experiment/fxt/sampled_image.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <unistd.h>

/* The code of a program is described with its first sample, which may be older than the recorder's
 * start in it, but not older than the program: the last description before the image's end is the
 * right one. */
struct map_reader {
	struct exp_fxtmap map;
	uint64_t to_ns;
	int is_other; /* another program begins */
};

/* The program of an experiment is the one that began last before its recorder did; but xcollect
 * begins a founder before that executes anything. What comes after it in the process is another
 * program. */
static void take_begin(struct map_reader *reader, const struct exp_sampled_image *image)
{
	struct experiment *experiment = reader->map.experiment;
	int is_founder = experiment->info.lineage[0] == '\0' && image->forked == 0 &&
	                 image->executed <= 1;
	uint64_t pid = image->inner != 0 && experiment->directory >= 0
	                       ? image->inner
	                       : image->pid; /* as it knows itself */

	if (image->began <= experiment->clock.start_mono_ns) {
		if (pid == (uint64_t)experiment->info.pid && image->began > experiment->began_ns) {
			experiment->began_ns = image->began;
			experiment->kernel_pid = image->pid;
		}
	} else if (image->pid == experiment->kernel_pid && !is_founder &&
	           (image->forked != 0 || image->executed != 0)) {
		if (experiment->ended_ns == 0 || experiment->ended_ns > image->began)
			experiment->ended_ns = image->began;
		if (reader->to_ns > image->began - 1)
			reader->to_ns = image->began - 1;
	}
}

static int take_code(void *context, const struct exp_fxt *fxt, const struct exp_fxt_record *record)
{
	struct map_reader *reader = context;
	struct experiment *experiment = reader->map.experiment;
	uint64_t time_ns = record->kind == FXT_module ? record->values[FXT_AT(module, time)].number
	                   : record->kind == FXT_mmap ? record->values[FXT_AT(mmap, time)].number
	                                              : 0;
	struct exp_sampled_image image;

	if (exp_sampled_take(fxt, record, &image) && image.ended == 0) {
		take_begin(reader, &image);
		reader->is_other |= image.pid == experiment->kernel_pid;
	}
	if (exp_fxtmap_process(record) != experiment->kernel_pid || time_ns > reader->to_ns)
		return 0;
	if (reader->is_other)
		reader->map.object_count = 0;
	reader->is_other = 0;
	return exp_fxtmap_take(&reader->map, record, 0, 0, UINT32_MAX);
}

/* Read a sampler's map, if there is one. Returns 0 or -ENOMEM. */
static int read_map(struct experiment *experiment, const struct exp_sampler *sampler,
                    uint64_t process, exp_sampler_visitor *visit, void *context)
{
	int fd = exp_sampler_open(experiment, sampler->directory), rc;

	if (fd < 0)
		return 0;
	rc = exp_sampler_read(experiment, fd, sampler->directory, FMT_FILE_SAMPLER_MAP, process,
	                      visit, context);
	close(fd);
	return rc;
}

int exp_samplermap_visit(struct experiment *experiment, exp_sampler_visitor *visit, void *context)
{
	struct exp_sampler sampler;
	int rc = 0;

	for (unsigned n = 0; n < EXP_SAMPLERS && rc == 0; n++)
		if (exp_sampler_get(experiment, n, &sampler) == 0)
			rc = read_map(experiment, &sampler, 0, visit, context);
	return rc;
}

int exp_samplermap_objects(struct experiment *experiment, struct exp_map_object **out,
                           size_t *count)
{
	struct map_reader reader = {.map = {.experiment = experiment}};
	struct exp_sampler sampler;
	uint64_t from_ns;
	int rc = 0;

	*out = NULL;
	*count = 0;
	experiment->kernel_pid = (uint64_t)experiment->info.pid;
	exp_sampler_span(experiment, &from_ns, &reader.to_ns);
	for (unsigned n = 0; n < EXP_SAMPLERS && rc == 0 && reader.map.object_count == 0; n++)
		if (exp_sampler_get(experiment, n, &sampler) == 0)
			rc = read_map(experiment, &sampler, experiment->kernel_pid, take_code,
			              &reader);
	if (rc == 0) {
		*out = reader.map.objects;
		*count = reader.map.object_count;
		reader.map.objects = NULL;
	}
	exp_fxtmap_fini(&reader.map);
	return rc;
}
