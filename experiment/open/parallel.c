/* parallel.c: gives each large stream a thread and a load of its own, and joins the loads. The
 * readers share nothing that any of them writes: the nodes are complete, and each has a copy of the
 * experiment for its messages.
 * See doc/decisions/34-parallel-readers.md. */
#include "experiment/open/parallel.h"

#include "experiment/base/internal.h"
#include "experiment/streams/readers.h"
#include "format/layout.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Starting a thread costs more than reading a file that takes a millisecond. */
enum { LARGE_BYTES = 2 << 20, LARGE_PACKED_BYTES = 512 << 10 };

static const struct {
	int (*read)(struct exp_load *load);
	enum fmt_stream stream;
	unsigned data;
} tasks[] = {
#define IF_EVENTS(id, stream, reader) {exp_##reader##_read, FMT_STREAM_##stream, EXP_DATA_##id},
#define IF_OWN(id, stream, reader)
#define DATAKIND(id, number, stream, reader, stage, ...) IF_##stage(id, stream, reader)
#include "format/datakind.def"
};
enum { TASKS = sizeof(tasks) / sizeof(tasks[0]) };

/* A stream being read. */
struct part {
	int (*read)(struct exp_load *load);
	unsigned data; /* enum exp_data */
	struct exp_load load;
	struct experiment experiment; /* a copy, whose messages are kept back */
	char **messages;              /* messages[count] */
	size_t count, capacity;
	int rc;
	pthread_t thread;
	int has_thread;
};

static void keep_message(void *context, const char *message)
{
	struct part *part = context;
	char *copy = strdup(message);

	if (!copy || exp_array_reserve(&part->messages, &part->capacity, part->count,
	                               sizeof(*part->messages)) != 0) {
		free(copy);
		part->load.rc = -ENOMEM;
		return;
	}
	part->messages[part->count++] = copy;
}

static void part_init(struct part *part, const struct exp_load *whole, size_t task)
{
	*part = (struct part){.read = tasks[task].read,
	                      .data = tasks[task].data,
	                      .experiment = *whole->experiment};
	part->experiment.reporter = (struct exp_reporter){.warn = keep_message, .context = part};
	part->load.experiment = &part->experiment;
	part->load.nodes = whole->nodes;
	part->load.has_others_nodes = 1;
	part->load.first_tsc = whole->first_tsc;
	part->load.last_tsc = whole->last_tsc;
	part->load.known_tsc = whole->known_tsc;
	part->load.set.io = whole->set.io;
}

static void *run(void *context)
{
	struct part *part = context;

	part->rc = part->read(&part->load);
	if (part->rc == 0)
		part->rc = part->load.rc;
	return NULL;
}

static int join_uses(struct exp_load *to, const struct exp_load *from)
{
	for (size_t i = 0; i < from->use_count; i++) {
		if (exp_array_reserve(&to->uses, &to->use_capacity, to->use_count,
		                      sizeof(*to->uses)) != 0)
			return -ENOMEM;
		to->uses[to->use_count++] = from->uses[i];
	}
	return 0;
}

static void join_unknown(struct exp_load *to, const struct exp_load *from)
{
	if (to->unknown_stacks == 0) {
		to->unknown_stream = from->unknown_stream;
		to->unknown_offset = from->unknown_offset;
	}
	to->unknown_stacks += from->unknown_stacks;
}

static void join_quality(struct exp_quality *to, const struct exp_quality *from)
{
#define DATAKIND(id, number, stream, reader, stage, count, ...) to->count += from->count;
#include "format/datakind.def"
	to->sampled_ns += from->sampled_ns;
	to->user_samples += from->user_samples;
	to->sampled_squares += from->sampled_squares; /* counters are not read in parallel */
	to->wall_ns += from->wall_ns;
	to->wall_unknown_ns += from->wall_unknown_ns;
}

/* Take over what one kind of data alone brings. */
static void join_own(struct exp_load *to, struct exp_load *from, unsigned data)
{
#define OWN_PART(kind, field) \
	{ \
		EXP_DATA_##kind, offsetof(struct exp_load, field), sizeof(to->field) \
	}
	static const struct {
		unsigned data;
		size_t at, size;
	} parts[] = {EXP_LOAD_OWN(OWN_PART)};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].data == data) {
			memcpy((char *)to + parts[i].at, (char *)from + parts[i].at, parts[i].size);
			memset((char *)from + parts[i].at, 0, parts[i].size);
		}
}

/* Join a part whose stream was read, and free what is left of it. Returns 0 or -ENOMEM. */
static int join(struct exp_load *whole, struct part *part)
{
	struct exp_load *load = &part->load;
	int rc = part->rc;

	for (size_t i = 0; i < part->count; i++) {
		exp_warn_told(whole->experiment, part->messages[i]);
		free(part->messages[i]);
	}
	free(part->messages);
	if (rc == 0)
		rc = join_uses(whole, load);
	if (rc == 0)
		rc = exp_rows_join(&whole->rows, &load->rows, whole->nodes.count);
	join_unknown(whole, load);
	join_quality(&whole->set.quality, &load->set.quality);
	join_own(whole, load, part->data);
	exp_arena_join(&whole->arena, &load->arena);
	whole->set.have |= load->set.have;
	if (load->first_tsc <= load->last_tsc) {
		exp_load_time(whole, load->first_tsc);
		exp_load_time(whole, load->last_tsc);
	}
	exp_load_fini(load);
	return rc;
}

static int is_large(const struct experiment *experiment, enum fmt_stream stream)
{
	uint64_t size;
	int is_packed;

	return !exp_directory_lacks(experiment, exp_stream_names[stream]) &&
	       exp_data_file_find(experiment->directory, exp_stream_names[stream], &size,
	                          &is_packed) &&
	       size >= (is_packed ? LARGE_PACKED_BYTES : LARGE_BYTES);
}

static int is_worth_it(const struct exp_load *load)
{
	unsigned large = 0;

	if (load->selection)
		return 0;
	for (size_t i = 0; i < TASKS; i++)
		large += is_large(load->experiment, tasks[i].stream) != 0;
	return large >= 2 && sysconf(_SC_NPROCESSORS_ONLN) >= 2; /* which reads a file */
}

static int read_at_once(struct exp_load *load)
{
	struct part *parts = calloc(TASKS, sizeof(*parts));
	int rc = 0;

	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < TASKS; i++) {
		part_init(&parts[i], load, i);
		parts[i].has_thread = is_large(load->experiment, tasks[i].stream) &&
		                      pthread_create(&parts[i].thread, NULL, run, &parts[i]) == 0;
	}
	for (size_t i = 0; i < TASKS; i++)
		if (!parts[i].has_thread)
			run(&parts[i]);
	for (size_t i = 0; i < TASKS; i++) {
		int status;

		if (parts[i].has_thread)
			pthread_join(parts[i].thread, NULL);
		status = join(load, &parts[i]);
		rc = rc != 0 ? rc : status;
	}
	free(parts);
	return rc;
}

int exp_load_events(struct exp_load *load)
{
	int rc = 0;

	if (is_worth_it(load))
		return read_at_once(load);
	for (size_t i = 0; i < TASKS && rc == 0; i++)
		if (!load->selection || !(load->selection->left_out & tasks[i].data))
			rc = tasks[i].read(load);
	return rc;
}
