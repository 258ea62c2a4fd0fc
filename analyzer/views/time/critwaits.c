/* critwaits.c: see critwaits.h. */
#include "analyzer/views/time/critwaits.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/writers.h"
#include "analyzer/views/time/critfind.h"
#include "format/record.h"

#include <stdlib.h>

struct reading {
	struct crit_waits *out;
	const struct dataset *dataset;
	const struct dataset_experiment *at;
	int64_t offset_ns;
	size_t first_thread, first_wait; /* of the experiment */
};

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	const struct reading *reading = context;

	(void)nodes;
	/* A process that runs may be read several times. */
	reading->out->count = reading->first_wait;
	return 0;
}

/* A wait that an account has divided is one. */
static int is_same(const struct crit_wait *wait, const struct crit_wait *next)
{
	return wait->thread == next->thread && wait->end_ns == next->begin_ns &&
	       wait->node == next->node && wait->object == next->object;
}

/* Of a short wait for a child is known which one ended. */
static int names_child(const struct exp_fact *fact)
{
	return fact->state == FMT_wall_state_CHILD && fact->address != 0;
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	const struct reading *reading = context;
	struct crit_waits *out = reading->out;
	struct axis_span span = axis_span_of(reading->at->experiment, reading->offset_ns, fact);
	uint32_t thread = exp_thread_at(reading->at->whole, fact->tid,
	                                (double)(span.end_ns - reading->offset_ns) / 1e9);
	struct crit_thread *known;
	struct crit_wait wait;

	if (fact->data != EXP_DATA_WALL || thread == EXP_NO_INDEX)
		return EXP_ROW_NONE;
	known = &out->threads[reading->first_thread + thread];
	known->end_ns = span.end_ns > known->end_ns ? span.end_ns : known->end_ns;
	if (fact->waits != 1 || (span.end_ns - span.begin_ns < out->least_ns && !names_child(fact)))
		return EXP_ROW_NONE;
	wait = (struct crit_wait){.begin_ns = span.begin_ns,
	                          .end_ns = span.end_ns,
	                          .object = fact->address,
	                          .thread = (uint32_t)(reading->first_thread + thread),
	                          .owner = fact->owner,
	                          .node = fact->node,
	                          .writer = CRIT_NONE,
	                          .error = (uint16_t)fact->error,
	                          .state = (uint8_t)fact->state,
	                          .family = (uint8_t)(fact->type >> 8),
	                          .func = (uint8_t)fact->type};
	if (out->count > reading->first_wait && is_same(&out->waits[out->count - 1], &wait)) {
		out->waits[out->count - 1].end_ns = wait.end_ns;
		return EXP_ROW_NONE;
	}
	out->waits = memory_grow(out->waits, out->count, &out->capacity, sizeof(*out->waits));
	out->waits[out->count++] = wait;
	return EXP_ROW_NONE;
}

static int by_place(const void *left, const void *right)
{
	const struct crit_wait *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static int read_experiment(const struct dataset *dataset, const struct dataset_experiment *at,
                           size_t first_thread, struct crit_waits *out)
{
	struct reading reading = {.out = out,
	                          .dataset = dataset,
	                          .at = at,
	                          .offset_ns = axis_offset_ns(dataset, at),
	                          .first_thread = first_thread,
	                          .first_wait = out->count};
	const struct exp_selection selection = {.context = &reading,
	                                        .begin = on_begin,
	                                        .row = on_fact,
	                                        .left_out = ~(unsigned)EXP_DATA_WALL,
	                                        .is_grouped = 1};
	const struct exp_data_set *set;
	int status = experiment_select(at->experiment, &selection, &set);

	if (status == 0)
		exp_data_set_destroy(set);
	return status;
}

static int is_written(const struct crit_wait *wait)
{
	return writers_end(wait->state, wait->family, wait->func, wait->object, wait->error);
}

static int find_writers(const struct dataset *dataset, struct crit_waits *waits)
{
	struct writers_wait *found;
	size_t count = 0;
	int status;

	for (size_t i = 0; i < waits->count; i++)
		count += (size_t)is_written(&waits->waits[i]);
	found = memory_take(count, sizeof(*found));
	count = 0;
	for (size_t i = 0; i < waits->count; i++) {
		const struct crit_wait *wait = &waits->waits[i];

		if (is_written(wait))
			found[count++] = (struct writers_wait){
				.at = waits->threads[wait->thread].at,
				.object = wait->object,
				.family = wait->family,
				.func = wait->func,
				.begin_ns = wait->begin_ns,
				.end_ns = wait->end_ns,
				.number = i};
	}
	status = writers_find(dataset, found, count);
	for (size_t i = 0; status == 0 && i < count; i++)
		if (found[i].writer)
			waits->waits[found[i].number].writer = crit_thread_of(
				waits, found[i].writer, found[i].tid, found[i].written_ns);
	free(found);
	return status;
}

/* The last thread of a process ends with it. */
static void add_threads(const struct dataset *dataset, struct crit_waits *out)
{
	const struct dataset_experiment *at = NULL;
	size_t capacity = 0;

	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->whole->thread_count; i++) {
			int64_t begin = axis_time_ns(dataset, at, at->whole->threads[i].time_s);

			out->threads = memory_grow(out->threads, out->thread_count, &capacity,
			                           sizeof(*out->threads));
			out->threads[out->thread_count++] = (struct crit_thread){
				.at = at,
				.number = (uint32_t)i,
				.begin_ns = begin,
				.end_ns = begin};
			if (i == 0)
				out->threads[out->thread_count - 1].end_ns = axis_time_ns(
					dataset, at, at->info->duration_s);
		}
}

int crit_waits_read(const struct dataset *dataset, int64_t least_ns, struct crit_waits *out)
{
	const struct dataset_experiment *at = NULL;
	size_t first_thread = 0;
	int status = 0;

	*out = (struct crit_waits){.least_ns = least_ns};
	add_threads(dataset, out);
	while (status == 0 && (at = dataset_next(dataset, at))) {
		status = read_experiment(dataset, at, first_thread, out);
		first_thread += at->whole->thread_count;
	}
	crit_find_begin(dataset, out);
	if (out->count > 1)
		qsort(out->waits, out->count, sizeof(*out->waits), by_place);
	for (size_t i = 0; i < out->count; i++) {
		struct crit_thread *thread = &out->threads[out->waits[i].thread];

		if (thread->count++ == 0)
			thread->first = i;
	}
	if (status == 0)
		status = find_writers(dataset, out);
	if (status != 0)
		crit_waits_fini(out);
	return status;
}

void crit_waits_fini(struct crit_waits *waits)
{
	crit_find_end(waits);
	free(waits->threads);
	free(waits->waits);
	*waits = (struct crit_waits){.count = 0};
}
