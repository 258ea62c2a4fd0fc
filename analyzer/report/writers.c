/* writers.c: see writers.h. */
#include "analyzer/report/writers.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/axis.h"
#include "analyzer/report/channels.h"
#include "experiment/streams/selection.h"
#include "experiment/table/index.h"
#include "format/record.h"

#include <stdlib.h>

/* CLASS_SHIFT: as of enum fmt_io_func. BACK: waits at one end that are looked at for each write;
 * more threads hardly read one pipe. */
enum { CLASS_SHIFT = 6, WRITES = 2, BACK = 64 };

/* Waits for one channel, in order of their begins. */
struct group {
	struct writers_wait *waits;
	size_t count;
};

struct search {
	struct channels channels;
	struct group *groups; /* by channel */
	uint32_t group_count;
	/* The experiment that is read: */
	const struct dataset_experiment *at;
	const struct channels_files *files;
	int64_t offset_ns;
	int has_calls; /* all calls of input and output were recorded */
};

/* ---- what reads and what writes */

static int is_input(unsigned family, unsigned func)
{
	if (family == FMT_wait_family_IO)
		return func >> CLASS_SHIFT == 1;
	return family == FMT_wait_family_CALL &&
	       (func == FMT_wait_func_MSGRCV || func == FMT_wait_func_MQ_RECEIVE ||
	        func == FMT_wait_func_MQ_TIMEDRECEIVE);
}

/* What stdio has kept is written when a stream is flushed or closed. */
static int is_output(unsigned family, unsigned func)
{
	if (family == FMT_wait_family_IO)
		return func >> CLASS_SHIFT == WRITES || func == FMT_io_func_FFLUSH ||
		       func == FMT_io_func_FCLOSE;
	return family == FMT_wait_family_CALL &&
	       (func == FMT_wait_func_MSGSND || func == FMT_wait_func_MQ_SEND ||
	        func == FMT_wait_func_MQ_TIMEDSEND);
}

int writers_end(unsigned state, unsigned family, unsigned func, uint64_t object, unsigned error)
{
	if (object == 0 || error != 0)
		return 0;
	return state == FMT_wall_state_POLL || is_input(family, func);
}

/* ---- the search */

static int by_channel(const void *left, const void *right)
{
	const struct writers_wait *a = left, *b = right;

	if (a->channel != b->channel)
		return a->channel < b->channel ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void find_channels(struct search *search, struct writers_wait *waits, size_t count)
{
	const struct channels_files *files = NULL;
	const struct dataset_experiment *at = NULL;

	for (size_t i = 0; i < count; i++) {
		if (waits[i].at != at) {
			at = waits[i].at;
			files = channels_of(&search->channels, at);
		}
		waits[i].writer = NULL;
		waits[i].channel = files ? channels_read(&search->channels, files, waits[i].family,
		                                         waits[i].func, waits[i].object)
		                         : (uint32_t)CHANNELS_NONE;
	}
}

static void group(struct search *search, struct writers_wait *waits, size_t count)
{
	find_channels(search, waits, count);
	if (count > 1)
		qsort(waits, count, sizeof(*waits), by_channel);
	search->group_count = (uint32_t)search->channels.by_name.count;
	search->groups = memory_take(search->group_count, sizeof(*search->groups));
	for (size_t i = 0; i < count; i++) {
		struct group *group = waits[i].channel < search->group_count
		                              ? &search->groups[waits[i].channel]
		                              : NULL;

		if (group && group->count++ == 0)
			group->waits = &waits[i];
	}
}

/* Somebody has written in that time: the last one that began before a wait ended has ended it. */
static void offer(const struct search *search, const struct group *group,
                  const struct axis_span *span, const struct exp_fact *fact)
{
	size_t low = 0, high = group->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (group->waits[middle].begin_ns <= span->end_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < BACK && i < low; i++) {
		struct writers_wait *wait = &group->waits[low - 1 - i];
		int64_t at_ns = fact->waits > 1 && span->end_ns < wait->end_ns ? span->end_ns
		                : fact->waits > 1                              ? wait->end_ns
		                                                               : span->begin_ns;

		if (span->begin_ns > wait->end_ns || (wait->writer && wait->written_ns > at_ns))
			continue;
		wait->writer = search->at;
		wait->tid = fact->tid;
		wait->node = fact->node;
		wait->written_ns = at_ns;
	}
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct search *search = context;
	int is_call = fact->data == EXP_DATA_IO;
	unsigned family = is_call ? (unsigned)FMT_wait_family_IO : fact->type >> 8;
	uint64_t object = is_call ? fact->file : fact->address;
	unsigned func = fact->type & 255;
	struct axis_span span;
	uint32_t channel;

	/* A call that waited may have two records. */
	if (object == 0 || fact->error != 0 || !is_output(family, func) ||
	    (!is_call && (fact->waits == 0 || (family == FMT_wait_family_IO && search->has_calls))))
		return EXP_ROW_NONE;
	channel = channels_written(&search->channels, search->files, family, func, object);
	if (channel >= search->group_count || search->groups[channel].count == 0)
		return EXP_ROW_NONE;
	span = axis_span_of(search->at->experiment, search->offset_ns, fact);
	offer(search, &search->groups[channel], &span, fact);
	return EXP_ROW_NONE;
}

static int read_experiment(const struct dataset *dataset, const struct dataset_experiment *at,
                           struct search *search)
{
	const struct exp_selection selection = {
		.context = search,
		.row = on_fact,
		.left_out = ~(unsigned)(EXP_DATA_WALL | EXP_DATA_IO),
		.is_grouped = 1};
	const struct exp_data_set *set;
	int status;

	search->at = at;
	search->files = channels_of(&search->channels, at);
	search->offset_ns = axis_offset_ns(dataset, at);
	search->has_calls = (at->whole->have & EXP_DATA_IO) != 0;
	status = experiment_select(at->experiment, &selection, &set);
	if (status == 0)
		exp_data_set_destroy(set);
	return status;
}

int writers_find(const struct dataset *dataset, struct writers_wait *waits, size_t count)
{
	const struct dataset_experiment *at = NULL;
	struct search search;
	int status = 0;

	if (count == 0)
		return 0;
	search = (struct search){.at = NULL};
	channels_make(dataset, &search.channels);
	group(&search, waits, count);
	while (status == 0 && (at = dataset_next(dataset, at)))
		status = read_experiment(dataset, at, &search);
	channels_free(&search.channels);
	free(search.groups);
	return status;
}

/* ---- the longest waits */

struct writers {
	struct writers_wait *waits;
	size_t count, capacity;
	const struct exp_wait **of; /* by number */
	size_t of_count, of_capacity;
	struct exp_index by_wait; /* the address of an exp_wait -> its index */
	struct tids *tids;
};

static void add(struct writers *writers, const struct dataset *dataset,
                const struct dataset_experiment *at, const struct exp_wall *wall)
{
	for (size_t i = 0; i < wall->longest_count; i++) {
		const struct exp_wait *wait = &wall->longest[i];
		int64_t end_ns = axis_time_ns(dataset, at, wait->time_s);

		if (!writers_end(wait->state, wait->family, wait->func, wait->object, wait->error))
			continue;
		writers->waits = memory_grow(writers->waits, writers->count, &writers->capacity,
		                             sizeof(*writers->waits));
		writers->of = memory_grow(writers->of, writers->of_count, &writers->of_capacity,
		                          sizeof(*writers->of));
		writers->waits[writers->count] = (struct writers_wait){
			.at = at,
			.object = wait->object,
			.family = wait->family,
			.func = wait->func,
			.begin_ns = end_ns - (int64_t)wait->span_ns,
			.end_ns = end_ns,
			.number = writers->count};
		writers->of[writers->of_count++] = wait;
		writers->count++;
	}
}

struct writers *writers_create(const struct dataset *dataset)
{
	struct writers *writers = memory_take(1, sizeof(*writers));
	const struct dataset_experiment *at = NULL;
	int is_whole = 1;

	writers->tids = tids_create(dataset);
	while ((at = dataset_next(dataset, at))) {
		is_whole = is_whole && (at->whole->have & EXP_DATA_IO);
		add(writers, dataset, at, &at->whole->wall);
		if (at->data != at->whole)
			add(writers, dataset, at, &at->data->wall);
	}
	if (writers_find(dataset, writers->waits, writers->count) != 0)
		memory_fail();
	for (size_t i = 0; i < writers->count; i++)
		if ((writers->waits[i].writer ||
		     (is_whole && writers->waits[i].channel != CHANNELS_NONE)) &&
		    exp_index_add(&writers->by_wait,
		                  (uintptr_t)writers->of[writers->waits[i].number],
		                  (uint32_t)i) != 0)
			memory_fail();
	return writers;
}

void writers_destroy(struct writers *writers)
{
	exp_index_fini(&writers->by_wait);
	tids_destroy(writers->tids);
	free(writers->waits);
	free(writers->of);
	free(writers);
}

const struct writers_wait *writers_of(const struct writers *writers, const struct exp_wait *wait)
{
	uint32_t found = exp_index_find(&writers->by_wait, (uintptr_t)wait);

	return found == EXP_INDEX_NONE ? NULL : &writers->waits[found];
}

const struct tids *writers_tids(const struct writers *writers)
{
	return writers->tids;
}
