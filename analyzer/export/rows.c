/* rows.c: sorts the events of an experiment into rows by thread, stack and slice of time. If there
 * are too many rows, slices are made wider and the reading goes on; rows that become equal are
 * added up by the users of the rows.
 * See doc/decisions/33-exports.md. */
#include "analyzer/export/rows.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "experiment/table/index.h"

#include <errno.h>
#include <stdlib.h>

enum {
	SLICE_NS = 1000000, /* what other tools show, and the shortest period of clock samples */
	WIDER = 8,
	ROWS_WANTED = 1 << 18 /* at this number of rows slices become wider: some 50 MB of a profile
	                         as text */
};

struct gather {
	struct export_rows *rows;
	size_t capacity;
	size_t wanted;           /* from so many different rows on, slices become wider */
	struct exp_index pairs;  /* thread << 32 | node -> its number */
	struct exp_index slices; /* slice << 32 | pair -> row */
	const struct experiment *experiment;
	struct filters_run *filters;
	struct filter_run *thread;
	int is_out_of_memory;
};

static uint32_t number_of(struct gather *gather, struct exp_index *index, uint64_t key,
                          uint32_t next)
{
	uint32_t found = exp_index_find(index, key);

	if (found != EXP_INDEX_NONE)
		return found;
	if (exp_index_add(index, key, next) != 0)
		gather->is_out_of_memory = 1;
	return next;
}

static uint64_t slice_of(const struct gather *gather, const struct exp_fact *fact)
{
	int64_t time_ns;

	if (gather->rows->width_ns == 0)
		return 0;
	time_ns = experiment_time_ns(gather->experiment, fact->ticks);
	return time_ns < 0 ? 0 : (uint64_t)time_ns / gather->rows->width_ns;
}

static uint64_t key_of(const struct gather *gather, const struct export_row *row)
{
	uint64_t pair = exp_index_find(&gather->pairs, (uint64_t)row->thread << 32 | row->node);

	return (row->slice > UINT32_MAX ? UINT32_MAX : row->slice) << 32 | pair;
}

/* Make slices wider, and find the rows again by their new slices. */
static void widen(struct gather *gather)
{
	struct export_rows *rows = gather->rows;

	exp_index_fini(&gather->slices);
	rows->width_ns *= WIDER;
	for (size_t i = 0; i < rows->count; i++) {
		rows->rows[i].slice /= WIDER;
		number_of(gather, &gather->slices, key_of(gather, &rows->rows[i]), (uint32_t)i);
	}
	/* If that has helped little, there are that many stacks. */
	gather->wanted = 2 * gather->slices.count > ROWS_WANTED ? 2 * gather->slices.count
	                                                        : ROWS_WANTED;
}

static uint32_t find_row(struct gather *gather, const struct export_row *row)
{
	struct export_rows *rows = gather->rows;
	uint64_t key;
	uint32_t found;

	number_of(gather, &gather->pairs, (uint64_t)row->thread << 32 | row->node,
	          (uint32_t)gather->pairs.count);
	key = key_of(gather, row);
	found = exp_index_find(&gather->slices, key);
	if (found != EXP_INDEX_NONE)
		return found;
	if (rows->count == EXP_ROWS_MAX) {
		rows->has_overflow = 1;
		return EXP_ROW_NONE;
	}
	rows->rows = memory_grow(rows->rows, rows->count, &gather->capacity, sizeof(*rows->rows));
	rows->rows[rows->count] = *row;
	number_of(gather, &gather->slices, key, (uint32_t)rows->count);
	rows->count++;
	if (rows->width_ns != 0 && gather->slices.count > gather->wanted)
		widen(gather);
	return (uint32_t)rows->count - 1;
}

/* Waits are divided where slices end, and where filters ask for times. */
static uint64_t next_cut(void *context, uint64_t ticks)
{
	const struct gather *gather = context;
	int64_t width_ns = (int64_t)gather->rows->width_ns, time_ns;
	uint64_t cut = filters_next_cut(gather->filters, ticks), slice;

	if (width_ns == 0)
		return cut;
	time_ns = experiment_time_ns(gather->experiment, ticks);
	time_ns = time_ns < 0 ? 0 : time_ns / width_ns * width_ns + width_ns;
	slice = experiment_time_ticks(gather->experiment, time_ns);
	return slice < cut ? slice : cut;
}

static uint32_t row(void *context, const struct exp_fact *fact)
{
	struct gather *gather = context;
	struct export_row row = {.node = fact->node};
	int64_t thread;

	if (!filters_select(gather->filters, fact))
		return EXP_ROW_NONE;
	row.thread = filter_run_value(gather->thread, fact, &thread) ? (uint32_t)thread : 0;
	row.slice = slice_of(gather, fact);
	return find_row(gather, &row);
}

static int begin(void *context, const struct exp_nodes *nodes)
{
	struct gather *gather = context;
	int status = filters_begin(gather->filters, nodes);

	/* A process that runs may be read several times. */
	gather->rows->count = 0;
	exp_index_fini(&gather->pairs);
	exp_index_fini(&gather->slices);
	gather->rows->nodes = *nodes;
	return status != 0 ? status : filter_run_begin(gather->thread, nodes);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct export_row *rows = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct export_row *a = &rows[x], *b = &rows[y];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort(struct export_rows *rows)
{
	struct export_row *sorted = memory_take(rows->count, sizeof(*sorted));

	rows->values = memory_take(rows->count, sizeof(*rows->values));
	for (size_t i = 0; i < rows->count; i++)
		rows->values[i] = (uint32_t)i;
	qsort_r(rows->values, rows->count, sizeof(*rows->values), compare, rows->rows);
	for (size_t i = 0; i < rows->count; i++)
		sorted[i] = rows->rows[rows->values[i]];
	free(rows->rows);
	rows->rows = sorted;
}

int export_rows_read(const struct dataset *dataset, const struct dataset_experiment *at,
                     int with_times, struct export_rows *out)
{
	const struct filter_place place = filters_place(dataset, at);
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	struct gather gather = {.rows = out, .wanted = ROWS_WANTED, .experiment = at->experiment};
	struct exp_selection selection = {.context = &gather,
	                                  .begin = begin,
	                                  .next_cut = next_cut,
	                                  .row = row,
	                                  .is_grouped = 1};
	int status;

	*out = (struct export_rows){.width_ns = with_times ? SLICE_NS : 0};
	filters_ask(dataset->filters, &selection);
	gather.filters = filters_open(dataset->filters, &place);
	gather.thread = filter_run_create(thread, &place);
	status = experiment_select(at->experiment, &selection, &out->set);
	filter_run_destroy(gather.thread);
	filters_close(gather.filters);
	expression_destroy(thread);
	exp_index_fini(&gather.pairs);
	exp_index_fini(&gather.slices);
	if (status == 0 && gather.is_out_of_memory)
		status = -ENOMEM;
	if (status != 0)
		export_rows_fini(out);
	else
		sort(out);
	return status;
}

void export_rows_fini(struct export_rows *rows)
{
	free(rows->rows);
	free(rows->values);
	exp_data_set_destroy(rows->set);
	*rows = (struct export_rows){.count = 0};
}
