/* samplermap.c: see samplermap.h. */
#include "experiment/fxt/samplermap.h"

#include "experiment/fxt/fxtmap.h"
#include "experiment/fxt/sampled_image.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The code of a program is described with its first sample, which may be older than the recorder's
 * start in it, but not older than the program: the last description before the image's end is the
 * right one. */
struct map_reader {
	struct exp_fxtmap map;
	size_t *mapped; /* mapped[mapped_count]: objects that nothing lies over yet */
	size_t mapped_count, mapped_capacity;
	struct exp_instant *epochs; /* of generations 1, 2, ... */
	size_t epoch_count, epoch_capacity;
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

static void forget(struct map_reader *reader)
{
	reader->map.object_count = reader->mapped_count = reader->epoch_count = 0;
}

/* The objects that a new one lies over are gone: with them ends a generation. */
static int end_covered(struct map_reader *reader, uint64_t time_ns)
{
	struct exp_map_object *objects = reader->map.objects;
	struct exp_object *added = &objects[reader->map.object_count - 1].object;
	const struct exp_clock *clock = &reader->map.experiment->clock;
	uint32_t generation = (uint32_t)reader->epoch_count;
	size_t kept = 0;

	for (size_t i = 0; i < reader->mapped_count; i++) {
		struct exp_object *object = &objects[reader->mapped[i]].object;

		if (object->start < added->end && added->start < object->end)
			object->generation_to = generation + 1;
		else
			reader->mapped[kept++] = reader->mapped[i];
	}
	added->generation_from = generation;
	if (kept == reader->mapped_count)
		return 0;
	reader->mapped_count = kept;
	added->generation_from = generation + 1;
	if (exp_array_reserve(&reader->epochs, &reader->epoch_capacity, reader->epoch_count,
	                      sizeof(*reader->epochs)) != 0)
		return -ENOMEM;
	reader->epochs[reader->epoch_count++] = (struct exp_instant){
		exp_clock_ticks(clock,
	                        time_ns > clock->start_mono_ns ? time_ns : clock->start_mono_ns),
		generation + 1};
	return 0;
}

static int add_code(struct map_reader *reader, const struct exp_fxt_record *record,
                    uint64_t time_ns)
{
	size_t before = reader->map.object_count;
	int rc = exp_fxtmap_take(&reader->map, record, 0, 0, UINT32_MAX);

	if (rc != 0 || reader->map.object_count == before)
		return rc;
	rc = end_covered(reader, time_ns);
	if (rc == 0)
		rc = exp_array_reserve(&reader->mapped, &reader->mapped_capacity,
		                       reader->mapped_count, sizeof(*reader->mapped));
	if (rc == 0)
		reader->mapped[reader->mapped_count++] = before;
	return rc;
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
		forget(reader);
	reader->is_other = 0;
	return add_code(reader, record, time_ns);
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

int exp_samplermap_objects(struct experiment *experiment, int is_alone, struct exp_map_object **out,
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
	for (size_t i = 0; i < reader.map.object_count && !is_alone; i++) {
		reader.map.objects[i].object.generation_from = 0;
		reader.map.objects[i].object.generation_to = UINT32_MAX;
	}
	if (rc == 0 && is_alone)
		rc = exp_map_set_epochs(experiment, reader.epochs, reader.epoch_count);
	if (rc == 0) {
		*out = reader.map.objects;
		*count = reader.map.object_count;
		reader.map.objects = NULL;
	}
	exp_fxtmap_fini(&reader.map);
	free(reader.mapped);
	free(reader.epochs);
	return rc;
}
