/* pprof.c: the profile format of pprof (profile.proto of https://github.com/google/pprof),
 * in gzip. Every metric is a sample type; processes and threads are labels; an address with the
 * calls that were inlined there is one location. The messages of a profile may come in any order,
 * so each is written when it is first needed; a string's number is how many came before it. */
#include "analyzer/export/export.h"

#include "experiment/base/clock.h"
#include "analyzer/export/gzip.h"
#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/export/proto.h"
#include "analyzer/report/report.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5
};

/* A set of small numbers. */
struct set {
	unsigned char *has; /* has[size] */
	size_t size;
};

struct writer {
	struct export_job *job;
	struct gzip *gzip;
	struct proto profile, inner, deeper; /* what is being made, emptied after each piece */
	uint64_t string_count;
	struct set functions, mappings, locations;
	struct tree *frames; /* numbers all frames of all parts: the items of its tree */
	uint64_t *path;      /* path[path_capacity]: locations of a stack */
	size_t path_capacity;
	uint64_t key_process, key_pid, key_thread, key_tid;
	uint64_t process, thread; /* names of the part */
};

/* Returns true if it is new. */
static int add(struct set *set, size_t number)
{
	if (number >= set->size) {
		size_t size = number * 2 + 64;

		set->has = memory_resize(set->has, size, 1);
		memset(set->has + set->size, 0, size - set->size);
		set->size = size;
	}
	if (set->has[number])
		return 0;
	set->has[number] = 1;
	return 1;
}

static void flush(struct writer *writer)
{
	gzip_put(writer->gzip, writer->profile.bytes, writer->profile.len);
	proto_clear(&writer->profile);
}

/* Strings are UTF-8: what is not is escaped as everywhere. */
static uint64_t string(struct writer *writer, const char *text)
{
	struct proto message = {.len = 0};
	char *printable = text_escape(text);

	proto_bytes(&message, PROFILE_STRING, printable, strlen(printable));
	gzip_put(writer->gzip, message.bytes, message.len);
	proto_fini(&message);
	free(printable);
	return writer->string_count++;
}

/* Write `inner` as a field of the profile. */
static void put(struct writer *writer, unsigned field)
{
	proto_message(&writer->profile, field, &writer->inner);
	flush(writer);
	proto_clear(&writer->inner);
}

static uint64_t function_id(struct writer *writer, const struct sym_function *function)
{
	uint64_t id = export_function_number(writer->job, function);
	struct proto message = {.len = 0};
	char *name;

	if (!add(&writer->functions, id))
		return id;
	name = name_function(writer->job->choices, function);
	proto_number(&message, FUNCTION_ID, id);
	proto_number(&message, FUNCTION_NAME, string(writer, name));
	/* A name that is its own linker name would be taken for one to demangle, and "<Unknown>"
	 * for a template. */
	if (strcmp(function->mangled, name) != 0)
		proto_number(&message, FUNCTION_SYSTEM_NAME, string(writer, function->mangled));
	if (function->file)
		proto_number(&message, FUNCTION_FILENAME, string(writer, function->file));
	proto_number(&message, FUNCTION_START_LINE, function->line);
	proto_message(&writer->profile, PROFILE_FUNCTION, &message);
	flush(writer);
	proto_fini(&message);
	free(name);
	return id;
}

static uint64_t mapping_id(struct writer *writer, const struct sym_object *object)
{
	uint64_t id;
	struct proto message = {.len = 0};

	if (!object)
		return 0;
	id = object->index + 1;
	if (!add(&writer->mappings, id))
		return id;
	proto_number(&message, MAPPING_ID, id);
	proto_number(&message, MAPPING_FILENAME, string(writer, object->path));
	proto_number(&message, MAPPING_BUILD_ID,
	             string(writer, object->build_id ? object->build_id : ""));
	/* Nothing is left for pprof to look up. */
	proto_number(&message, MAPPING_HAS_FUNCTIONS, 1);
	proto_number(&message, MAPPING_HAS_FILENAMES, 1);
	proto_number(&message, MAPPING_HAS_LINES, 1);
	proto_number(&message, MAPPING_HAS_INLINES, 1);
	proto_message(&writer->profile, PROFILE_MAPPING, &message);
	flush(writer);
	proto_fini(&message);
	return id;
}

/* The node of the call that was not inlined, at or above `node`. */
static uint32_t outermost(const struct tree *tree, uint32_t node)
{
	while (tree->items[tree->nodes[node].item].inlined && tree->nodes[node].parent != TREE_ROOT)
		node = tree->nodes[node].parent;
	return node;
}

/* The location of a node and the calls around it that were inlined; *next: its caller. */
static uint64_t location_id(struct writer *writer, const struct tree *tree, uint32_t node,
                            uint32_t *next)
{
	const struct sym_frame *frame = &tree->items[tree->nodes[node].item];
	uint32_t top = outermost(tree, node);
	uint32_t known = tree_child(writer->frames, TREE_ROOT, frame);
	uint64_t id = (uint64_t)writer->frames->nodes[known].item + 1;
	uint64_t mapping;

	*next = tree->nodes[top].parent;
	if (!add(&writer->locations, id))
		return id;
	/* Everything that it names first: `inner` is one message at a time. */
	mapping = mapping_id(writer, tree->items[tree->nodes[top].item].function->object);
	for (uint32_t at = node; at != *next; at = tree->nodes[at].parent)
		function_id(writer, tree->items[tree->nodes[at].item].function);
	proto_number(&writer->inner, LOCATION_ID, id);
	proto_number(&writer->inner, LOCATION_MAPPING, mapping);
	proto_number(&writer->inner, LOCATION_ADDRESS, frame->address);
	for (uint32_t at = node; at != *next; at = tree->nodes[at].parent) {
		const struct sym_frame *line = &tree->items[tree->nodes[at].item];

		proto_number(&writer->deeper, LINE_FUNCTION, function_id(writer, line->function));
		proto_number(&writer->deeper, LINE_LINE, line->line);
		proto_message(&writer->inner, LOCATION_LINE, &writer->deeper);
		proto_clear(&writer->deeper);
	}
	put(writer, PROFILE_LOCATION);
	return id;
}

static void put_label(struct writer *writer, uint64_t key, uint64_t text, uint64_t number)
{
	proto_number(&writer->deeper, LABEL_KEY, key);
	proto_number(&writer->deeper, LABEL_TEXT, text);
	proto_number(&writer->deeper, LABEL_NUMBER, number);
	proto_message(&writer->inner, SAMPLE_LABEL, &writer->deeper);
	proto_clear(&writer->deeper);
}

static void put_sample(struct writer *writer, const struct export_part *part, uint32_t node)
{
	const struct export_job *job = writer->job;
	uint64_t values[METRIC_VALUES];
	size_t depth = 0;

	for (uint32_t at = node; at != TREE_ROOT;) {
		writer->path = memory_grow(writer->path, depth, &writer->path_capacity,
		                           sizeof(*writer->path));
		writer->path[depth++] = location_id(writer, part->tree, at, &at);
	}
	for (size_t i = 0; i < job->metric_count; i++)
		values[i] = tree_own(part->tree, node, job->metrics[i]);
	proto_packed(&writer->inner, SAMPLE_LOCATION, writer->path, depth);
	proto_packed(&writer->inner, SAMPLE_VALUE, values, job->metric_count);
	put_label(writer, writer->key_process, writer->process, 0);
	put_label(writer, writer->key_pid, 0, (uint64_t)part->at->info->pid);
	put_label(writer, writer->key_thread, writer->thread, 0);
	if (part->info)
		put_label(writer, writer->key_tid, 0, part->info->tid);
	put(writer, PROFILE_SAMPLE);
}

/* pprof takes the first mapping for the program. Its object is known when the first stacks have
 * their symbols. */
static void put_program(struct writer *writer)
{
	const struct dataset *dataset = writer->job->dataset;
	const char *path = dataset_next(dataset, NULL)->info->object;

	for (size_t i = 0; i < symbols_object_count(dataset->symbols); i++) {
		const struct sym_object *object = symbols_object(dataset->symbols, i);

		if (strcmp(object->path, path) == 0 || strcmp(object->name, text_base(path)) == 0) {
			mapping_id(writer, object);
			return;
		}
	}
}

static void put_part(struct export_job *job, const struct export_part *part, void *context)
{
	struct writer *writer = context;

	(void)job;
	if (writer->mappings.size == 0)
		put_program(writer);
	writer->process = string(writer, part->name);
	writer->thread = string(writer, part->thread_name);
	for (uint32_t node = 0; node < part->tree->count; node++)
		if (tree_owns_any(part->tree, node))
			put_sample(writer, part, node);
}

static void put_type(struct writer *writer, unsigned field, const char *type, const char *unit)
{
	uint64_t type_number = string(writer, type), unit_number = string(writer, unit);

	proto_number(&writer->inner, TYPE_TYPE, type_number);
	proto_number(&writer->inner, TYPE_UNIT, unit_number);
	put(writer, field);
}

static void put_head(struct writer *writer)
{
	static const char *const units[3] = {"nanoseconds", "bytes", "count"};
	const struct dataset *dataset = writer->job->dataset;
	const struct dataset_experiment *first = dataset_next(dataset, NULL);
	const char *period = experiment_setting(first->experiment, "profile_us", "0");

	string(writer, "");
	for (size_t i = 0; i < writer->job->metric_count; i++) {
		unsigned metric = writer->job->metrics[i];

		put_type(writer, PROFILE_SAMPLE_TYPE, metric_keyword(metric),
		         export_unit(metric, units));
	}
	put_type(writer, PROFILE_PERIOD_TYPE, metric_keyword(METRIC_TOTALCPU), units[0]);
	proto_number(&writer->profile, PROFILE_PERIOD, strtoull(period, NULL, 10) * 1000);
	proto_number(&writer->profile, PROFILE_TIME_NANOS, (uint64_t)export_start_ns(dataset));
	proto_number(&writer->profile, PROFILE_DURATION_NANOS,
	             exp_whole(report_wall_seconds(dataset) * 1e9));
	flush(writer);
	proto_number(&writer->profile, PROFILE_DEFAULT_TYPE,
	             string(writer, metric_keyword(writer->job->metric)));
	proto_number(&writer->profile, PROFILE_COMMENT, string(writer, "xer_print " XER_VERSION));
	flush(writer);
	writer->key_process = string(writer, "process");
	writer->key_pid = string(writer, "pid");
	writer->key_thread = string(writer, "thread");
	writer->key_tid = string(writer, "tid");
}

void export_pprof(struct export_job *job)
{
	struct writer writer = {.job = job, .gzip = gzip_create(job->out)};

	if (!writer.gzip)
		memory_fail();
	writer.frames = tree_create(TREE_FRAMES, symbols_total(job->dataset->symbols));
	put_head(&writer);
	export_each(job, TREE_FRAMES, EXPORT_THREADS, put_part, &writer);
	job->trouble = gzip_destroy(writer.gzip) != 0;
	tree_destroy(writer.frames);
	proto_fini(&writer.profile);
	proto_fini(&writer.inner);
	proto_fini(&writer.deeper);
	free(writer.functions.has);
	free(writer.mappings.has);
	free(writer.locations.has);
	free(writer.path);
}
