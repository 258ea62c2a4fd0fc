/* rows.c: sorts the events of an experiment into rows by kind of data, time, thread and stack. If a
 * kind has too many rows, its units of time become wider while the reading goes on.
 *
 * Unlike those of an export (analyzer/export/rows.h), these rows know when events began, since a
 * wait counts wherever a part of it is in the chosen range; and few heap events do not suffer from
 * many clock samples. See doc/decisions/90-report-page.md. */
#include "analyzer/page/rows.h"

#include "experiment/base/index.h"
#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"

#include <errno.h>
#include <stdlib.h>

enum { UNIT_NS = 1000000, WIDER = 4 };

/* The rows of a kind. */
struct table {
	struct exp_index places; /* thread << 32 | node -> number */
	struct exp_index spans;  /* units it lasted << 32 | number of the place -> number */
	struct exp_index rows;   /* end << 32 | number of one of the two -> row */
	uint32_t numbers;
	size_t wanted;
};

struct gather {
	struct page_rows *out;
	size_t capacity;
	struct table tables[FMT_DATAKINDS];
	const struct experiment *experiment;
	int64_t founder_ns; /* from the founder's start to the experiment's */
	struct filters_run *filters;
	struct filter_run *thread;
	void (*see)(void *context, const struct page_fact *fact);
	void *context;
	double share;
	int is_out_of_memory;
};

static void add(struct gather *gather, struct exp_index *index, uint64_t key, uint32_t value)
{
	if (exp_index_add(index, key, value) != 0)
		gather->is_out_of_memory = 1;
}

/* The number of a key in a table that has numbers of its own. */
static uint32_t number_of(struct gather *gather, struct table *table, struct exp_index *index,
                          uint64_t key)
{
	uint32_t found = exp_index_find(index, key);

	if (found == EXP_INDEX_NONE) {
		found = table->numbers++;
		add(gather, index, key, found);
	}
	return found;
}

static uint64_t key_of(struct gather *gather, struct table *table, const struct page_row *row)
{
	uint32_t number = number_of(gather, table, &table->places,
	                            (uint64_t)row->thread << 32 | row->node);

	if (row->end != row->begin)
		number = number_of(gather, table, &table->spans,
		                   (uint64_t)(row->end - row->begin) << 32 | number);
	return (uint64_t)row->end << 32 | number;
}

static void forget(struct table *table)
{
	exp_index_fini(&table->places);
	exp_index_fini(&table->spans);
	exp_index_fini(&table->rows);
	table->numbers = 0;
}

/* Make the units of a kind wider, and find its rows again. Rows that become equal stay rows. */
static void widen(struct gather *gather, unsigned kind)
{
	struct table *table = &gather->tables[kind];
	struct page_rows *out = gather->out;

	forget(table);
	out->width_ns[kind] *= WIDER;
	for (size_t i = 0; i < out->count; i++) {
		struct page_row *row = &out->rows[i];
		uint64_t key;

		if (row->kind != kind)
			continue;
		row->end /= WIDER;
		row->begin /= WIDER;
		key = key_of(gather, table, row);
		if (exp_index_find(&table->rows, key) == EXP_INDEX_NONE)
			add(gather, &table->rows, key, (uint32_t)i);
	}
}

static uint32_t unit_of(int64_t time_ns, uint64_t width_ns)
{
	uint64_t unit = time_ns < 0 ? 0 : (uint64_t)time_ns / width_ns;

	return unit < UINT32_MAX ? (uint32_t)unit : UINT32_MAX;
}

static uint32_t find_row(struct gather *gather, const struct page_fact *fact, unsigned kind)
{
	struct page_rows *out = gather->out;
	struct table *table = &gather->tables[kind];
	struct page_row row = {.thread = fact->thread,
	                       .node = fact->fact->node,
	                       .end = unit_of(fact->end_ns, out->width_ns[kind]),
	                       .begin = unit_of(fact->begin_ns, out->width_ns[kind]),
	                       .value = (uint32_t)out->count,
	                       .kind = (uint8_t)kind};
	uint64_t key = key_of(gather, table, &row);
	uint32_t found = exp_index_find(&table->rows, key);

	if (found != EXP_INDEX_NONE)
		return found;
	if (out->count == EXP_ROWS_MAX) {
		out->has_overflow = 1;
		return EXP_ROW_NONE;
	}
	out->rows = memory_grow(out->rows, out->count, &gather->capacity, sizeof(*out->rows));
	out->rows[out->count++] = row;
	add(gather, &table->rows, key, row.value);
	/* Nothing helps where there are that many stacks. */
	for (unsigned i = 0; table->rows.count > table->wanted && i < 32; i++) {
		size_t before = table->rows.count;

		widen(gather, kind);
		if (table->rows.count > before - before / 16)
			table->wanted += table->wanted / 2;
	}
	return row.value;
}

/* Time since the founder's start; 0 if it is beyond the type. */
static int64_t time_of(const struct gather *gather, uint64_t ticks)
{
	int64_t time_ns = experiment_time_ns(gather->experiment, ticks), sum;

	return __builtin_add_overflow(time_ns, gather->founder_ns, &sum) ? 0 : sum;
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct gather *gather = context;
	struct page_fact seen = {.fact = fact};
	int64_t thread;

	if (!filters_select(gather->filters, fact))
		return EXP_ROW_NONE;
	seen.thread = filter_run_value(gather->thread, fact, &thread) ? (uint32_t)thread : 0;
	seen.end_ns = time_of(gather, fact->ticks);
	seen.begin_ns = fact->wait_ticks == 0 ? seen.end_ns
	                                      : time_of(gather, fact->ticks - fact->wait_ticks);
	/* Hostile times may go backwards. */
	if (seen.begin_ns > seen.end_ns)
		seen.begin_ns = seen.end_ns;
	gather->see(gather->context, &seen);
	return find_row(gather, &seen, (unsigned)__builtin_ctz((unsigned)fact->data));
}

static size_t wanted_of(const struct gather *gather, unsigned kind)
{
	unsigned bit = 1u << kind;
	double wanted = gather->share * (bit == EXP_DATA_PROFILE || bit == EXP_DATA_COUNTERS
	                                         ? PAGE_ROWS_SAMPLES
	                                         : PAGE_ROWS_OTHER);

	return wanted < PAGE_ROWS_LEAST ? PAGE_ROWS_LEAST : (size_t)wanted;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct gather *gather = context;
	int status = filters_begin(gather->filters, nodes);

	/* A process that runs may be read several times. */
	gather->out->count = 0;
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++) {
		forget(&gather->tables[kind]);
		gather->tables[kind].wanted = wanted_of(gather, kind);
		gather->out->width_ns[kind] = UNIT_NS;
	}
	return status != 0 ? status : filter_run_begin(gather->thread, nodes);
}

static int compare(const void *left, const void *right)
{
	const struct page_row *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

int page_rows_read(const struct dataset *dataset, const struct dataset_experiment *at, double share,
                   void (*see)(void *context, const struct page_fact *fact), void *context,
                   struct page_rows *out)
{
	const struct filter_place place = filters_place(dataset, at);
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	struct gather gather = {.out = out,
	                        .experiment = at->experiment,
	                        .founder_ns = at->info->start_real_ns - place.founder_real_ns,
	                        .see = see,
	                        .context = context,
	                        .share = share};
	const struct exp_selection selection = {
		.context = &gather,
		.begin = on_begin,
		.row = on_fact,
		.is_grouped = 1,
		.wants_leaks = filters_want_leaks(dataset->filters) != 0};
	int status;

	*out = (struct page_rows){.count = 0};
	gather.filters = filters_open(dataset->filters, &place);
	gather.thread = filter_run_create(thread, &place);
	status = experiment_select(at->experiment, &selection, &out->set);
	filter_run_destroy(gather.thread);
	filters_close(gather.filters);
	expression_destroy(thread);
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		forget(&gather.tables[kind]);
	if (status == 0 && gather.is_out_of_memory)
		status = -ENOMEM;
	if (status != 0)
		page_rows_fini(out);
	else if (out->count > 1)
		qsort(out->rows, out->count, sizeof(*out->rows), compare);
	return status;
}

void page_rows_fini(struct page_rows *rows)
{
	free(rows->rows);
	exp_data_set_destroy(rows->set);
	*rows = (struct page_rows){.count = 0};
}
