/* map.c: reads map.xml into the table of load objects, and finds the object of an address. */
#include "experiment/open/map.h"

#include "experiment/base/addressmap.h"
#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"
#include "experiment/fxt/kernelfile.h"
#include "experiment/fxt/samplermap.h"
#include "experiment/jit/dynamic.h"
#include "experiment/jit/java.h"
#include "experiment/jit/jitfiles.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_TRIES = 3, RETRY_US = 2000 };

struct unload {
	uint64_t id;
	uint32_t generation;
	uint64_t ticks; /* 0: not told */
};

struct map_reader {
	struct experiment *experiment;
	struct exp_dynamic dynamic;
	struct exp_map_object *objects;
	size_t object_count, object_capacity;
	struct unload *unloads;
	size_t unload_count, unload_capacity;
};

static int add_object(struct map_reader *reader, const struct exp_element *element)
{
	const struct exp_clock *clock = &reader->experiment->clock;
	uint64_t ticks = exp_element_number(element, "time", clock->start.ticks);
	struct exp_map_object *added;

	if (exp_array_reserve(&reader->objects, &reader->object_capacity, reader->object_count,
	                      sizeof(*added)) != 0)
		return -ENOMEM;
	added = &reader->objects[reader->object_count];
	added->id = exp_element_number(element, "id", 0);
	added->object = (struct exp_object){
		.path = exp_element_get(element, "path", ""),
		.build_id = exp_element_get(element, "build_id", ""),
		.bias = exp_element_number(element, "bias", 0),
		.start = exp_element_number(element, "start", 0),
		.end = exp_element_number(element, "end", 0),
		.generation_from = (uint32_t)exp_element_number(element, "generation", 0),
		.generation_to = UINT32_MAX,
		.time_s = exp_clock_seconds(clock, ticks),
	};
	if (added->object.start < added->object.end)
		reader->object_count++;
	return 0;
}

static int add_unload(struct map_reader *reader, const struct exp_element *element)
{
	if (exp_array_reserve(&reader->unloads, &reader->unload_capacity, reader->unload_count,
	                      sizeof(*reader->unloads)) != 0)
		return -ENOMEM;
	reader->unloads[reader->unload_count++] = (struct unload){
		.id = exp_element_number(element, "id", UINT64_MAX),
		.generation = (uint32_t)exp_element_number(element, "generation", UINT32_MAX),
		.ticks = exp_element_number(element, "time", 0),
	};
	return 0;
}

static int on_element(void *context, const struct exp_element *element)
{
	struct map_reader *reader = context;

	if (element->depth == 1 && strcmp(element->name, "object") == 0)
		return add_object(reader, element);
	if (element->depth == 1 && strcmp(element->name, "unload") == 0)
		return add_unload(reader, element);
	if (element->depth == 1 && strcmp(element->name, "function") == 0)
		return exp_dynamic_load(&reader->dynamic, element);
	if (element->depth == 1 && strcmp(element->name, "class") == 0)
		return exp_java_class(&reader->experiment->methods, element);
	if (element->depth == 1 && strcmp(element->name, "method") == 0)
		return exp_java_method(&reader->experiment->methods, element);
	if (element->depth == 1 && strcmp(element->name, "function_unload") == 0)
		return exp_dynamic_unload(&reader->dynamic, element);
	if (element->depth == 1 && strcmp(element->name, "image") == 0)
		return exp_binary_copy_load(&reader->dynamic, element);
	if (element->depth == 1 && strcmp(element->name, "image_unload") == 0)
		return exp_binary_copy_unload(&reader->dynamic, element);
	if (element->depth == 1 && strcmp(element->name, "code") == 0)
		return exp_dynamic_code(&reader->dynamic, element);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = ((const struct exp_map_object *)a)->id;
	uint64_t y = ((const struct exp_map_object *)b)->id;

	return (x > y) - (x < y);
}

static void apply_unloads(struct map_reader *reader)
{
	if (reader->object_count == 0)
		return;
	/* Ids are given in order of the file, so sorting by them keeps that order. */
	qsort(reader->objects, reader->object_count, sizeof(*reader->objects), compare_ids);
	for (size_t i = 0; i < reader->unload_count; i++) {
		struct exp_map_object key = {.id = reader->unloads[i].id};
		struct exp_map_object *found = bsearch(&key, reader->objects, reader->object_count,
		                                       sizeof(key), compare_ids);

		if (found)
			found->object.generation_to = reader->unloads[i].generation;
	}
}

/* Something is unloaded whenever a generation ends. */
static int keep_epochs(struct map_reader *reader)
{
	struct exp_instant *epochs = malloc((reader->unload_count + 1) * sizeof(*epochs));
	size_t count = 0;
	int rc;

	if (!epochs)
		return -ENOMEM;
	for (size_t i = 0; i < reader->unload_count; i++)
		if (reader->unloads[i].ticks != 0 &&
		    reader->unloads[i].generation < EXP_GENERATION_INSTANTS)
			epochs[count++] = (struct exp_instant){reader->unloads[i].ticks,
			                                       reader->unloads[i].generation};
	rc = exp_map_set_epochs(reader->experiment, epochs, count);
	free(epochs);
	return rc;
}

static int read_map(struct map_reader *reader, int fd)
{
	struct experiment *experiment = reader->experiment;
	int rc = 0;

	for (int try = 0; try < READ_TRIES; try++) {
		struct exp_xml_walk walk = {.root = FMT_MAP_ROOT,
		                            .element = on_element,
		                            .context = reader,
		                            .arena = &experiment->arena};

		reader->object_count = 0;
		reader->unload_count = 0;
		reader->dynamic.count = 0;
		reader->experiment->methods.count = reader->experiment->methods.class_count = 0;
		reader->dynamic.image_count = 0;
		rc = exp_xml_read(fd, &walk);
		if (rc == 0 || rc == -ENOMEM)
			return rc;
		if (experiment->info.status != EXP_RUNNING || try == READ_TRIES - 1) {
			exp_warn(experiment, FMT_FILE_MAP ": %s",
			         rc == -ENODATA ? "empty" : walk.fault);
			break;
		}
		usleep(RETRY_US);
	}
	return 0;
}

/* ---- reading ---- */

/* If the recorder wrote nothing, the sampler's records are used. The map is indexed already. */
static int add_sampled(struct map_reader *reader)
{
	struct exp_map_object *sampled;
	size_t count, known = reader->object_count;
	int rc = exp_samplermap_objects(reader->experiment, known == 0, &sampled, &count);

	for (size_t i = 0; i < count && rc == 0; i++) {
		if (exp_map_overlaps(reader->experiment, &sampled[i].object))
			continue;
		rc = exp_array_reserve(&reader->objects, &reader->object_capacity,
		                       reader->object_count, sizeof(*sampled));
		if (rc == 0)
			reader->objects[reader->object_count++] = sampled[i];
	}
	free(sampled);
	return rc != 0 || known == reader->object_count
	               ? rc
	               : exp_map_index(reader->experiment, reader->objects, reader->object_count);
}

/* The kernel is a load object of its own, of all addresses that no program has. */
static int add_kernel(struct map_reader *reader)
{
	struct experiment *experiment = reader->experiment;
	int rc = exp_kernelfiles_read(experiment);

	if (rc != 0 || !experiment->kernel)
		return rc;
	rc = exp_array_reserve(&reader->objects, &reader->object_capacity, reader->object_count,
	                       sizeof(*reader->objects));
	if (rc != 0)
		return rc;
	reader->objects[reader->object_count++] = (struct exp_map_object){
		.id = UINT64_MAX,
		.object = {.path = EXP_KERNEL_OBJECT,
	                   .build_id = "",
	                   .start = FMT_PC_KERNEL,
	                   .end = UINT64_MAX,
	                   .generation_to = UINT32_MAX}};
	return exp_map_index(experiment, reader->objects, reader->object_count);
}

int exp_map_read(struct experiment *experiment)
{
	struct map_reader reader = {.experiment = experiment,
	                            .dynamic = {.experiment = experiment}};
	int fd = exp_file_open(experiment->directory, FMT_FILE_MAP);
	int rc = 0;

	/* A process killed at its very start leaves no map, nor does one of which nothing was
	 * recorded. */
	if (fd < 0 && fd != -ENOENT)
		exp_warn(experiment, FMT_FILE_MAP ": %s",
		         fd == -EBADMSG ? "not a regular file" : strerror(-fd));
	if (fd >= 0) {
		rc = read_map(&reader, fd);
		close(fd);
		exp_java_finish(&experiment->methods);
	}
	if (rc == 0) {
		apply_unloads(&reader);
		rc = exp_map_index(experiment, reader.objects, reader.object_count);
	}
	if (rc == 0)
		rc = keep_epochs(&reader);
	if (rc == 0)
		rc = add_sampled(&reader);
	if (rc == 0)
		rc = add_kernel(&reader);
	if (rc == 0)
		rc = exp_binary_copies_read(&reader.dynamic);
	if (rc == 0)
		rc = exp_jit_read(&reader.dynamic);
	if (rc == 0)
		rc = exp_dynamic_finish(&reader.dynamic);
	else
		free(reader.dynamic.functions);
	free(reader.dynamic.binaries);
	free(reader.objects);
	free(reader.unloads);
	return rc;
}
