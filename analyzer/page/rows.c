/* rows.c: sorts the events of an experiment into rows by kind of data, time, thread and stack. If a
 * kind has too many rows, its units of time become wider while the reading goes on.
 *
 * Events come almost in order of time, so the row of an event is looked for among those of late
 * alone: a table of all rows would miss the processor's caches with each event. An event that comes
 * very late gets a row of its own, which equals another one; so do rows when units become wider.
 *
 * Unlike those of an export (analyzer/export/rows.h), these rows know when events began, since a
 * wait counts wherever a part of it is in the chosen range; and few heap events do not suffer from
 * many clock samples. See doc/decisions/90-report-page.md. */
#include "analyzer/page/rows.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/axis.h"
#include "experiment/base/totals.h"
#include "experiment/table/index.h"

#include <errno.h>
#include <stdlib.h>

/* RECENT: how many rows are looked through at least; in a few hundred KB. */
enum { UNIT_NS = 1000000, WIDER = 4, RECENT = 8192 };

/* The rows of a kind. */
struct table {
	struct exp_index
		places; /* thread << 32 | node -> number, where they do not fit into 32 bits */
	struct exp_index spans; /* units it lasted << 32 | number of the place -> number */
	/* Of late: */
	struct exp_index rows; /* end << 32 | number of the place -> row; of events within a unit */
	struct exp_index long_rows; /* end << 32 | number of the span -> row */
	uint32_t latest;            /* end of any row */
	size_t count;               /* of rows that were new when they came */
	size_t wanted;
};

struct gather {
	struct page_rows *out;
	size_t capacity;
	struct table tables[FMT_DATAKINDS];
	struct exp_index deaths; /* end << 32 | row -> number */
	size_t death_capacity, deaths_wanted;
	uint64_t units; /* that blocks are counted in */
	const struct experiment *experiment;
	size_t nodes;       /* of the experiment */
	int64_t founder_ns; /* from the founder's start to the experiment's */
	struct filters_run *filters;
	struct filter_run *thread;
	const struct page_reading *reading;
	const struct dataset_experiment *at;
	int is_out_of_memory;
};

static void add(struct gather *gather, struct exp_index *index, uint64_t key, uint32_t value)
{
	if (exp_index_add(index, key, value) != 0)
		gather->is_out_of_memory = 1;
}

/* The number of a key, which is made if it is new. */
static uint32_t number_of(struct gather *gather, struct exp_index *index, uint64_t key)
{
	uint32_t found = exp_index_find(index, key);

	if (found == EXP_INDEX_NONE) {
		found = (uint32_t)index->count;
		add(gather, index, key, found);
	}
	return found;
}

/* The number of a thread and a stack. */
static uint32_t place_of(struct gather *gather, struct table *table, const struct page_row *row)
{
	uint64_t stacks = (uint64_t)gather->nodes + 1;
	uint64_t stack = row->node < gather->nodes ? row->node : gather->nodes;

	if ((gather->at->whole->thread_count + 1) * stacks < UINT32_MAX &&
	    row->thread <= gather->at->whole->thread_count)
		return (uint32_t)(row->thread * stacks + stack);
	return number_of(gather, &table->places, (uint64_t)row->thread << 32 | row->node);
}

/* Where a row is looked for, and its key there. */
static struct exp_index *index_of(struct gather *gather, struct table *table,
                                  const struct page_row *row, uint64_t *key)
{
	uint32_t number = place_of(gather, table, row);

	if (row->end != row->begin)
		number = number_of(gather, &table->spans,
		                   (uint64_t)(row->end - row->begin) << 32 | number);
	*key = (uint64_t)row->end << 32 | number;
	return row->end != row->begin ? &table->long_rows : &table->rows;
}

/* A unit of time begins that is later than all before: it has no rows yet, and those before it will
 * hardly get more. */
static void begin_unit(struct table *table, uint32_t unit)
{
	table->latest = unit;
	if (table->rows.count + table->long_rows.count < RECENT)
		return;
	exp_index_fini(&table->rows);
	exp_index_fini(&table->long_rows);
}

/* The row of the same place and time; that is `row` itself if there is none of late. */
static uint32_t same_row(struct gather *gather, const struct page_row *row)
{
	struct table *table = &gather->tables[row->kind];
	struct exp_index *index;
	uint32_t found;
	uint64_t key;

	if (row->end > table->latest)
		begin_unit(table, row->end);
	index = index_of(gather, table, row, &key);
	found = exp_index_find(index, key);
	if (found != EXP_INDEX_NONE)
		return found;
	add(gather, index, key, row->value);
	table->count++;
	return row->value;
}

static void forget(struct table *table)
{
	exp_index_fini(&table->places);
	exp_index_fini(&table->spans);
	exp_index_fini(&table->rows);
	exp_index_fini(&table->long_rows);
	table->latest = 0;
	table->count = 0;
}

/* Add blocks that were freed. */
static void add_death(struct gather *gather, const struct page_death *death)
{
	struct page_rows *out = gather->out;
	uint64_t key = (uint64_t)death->end << 32 | death->value;
	uint32_t at;

	if (death->end <= out->rows[death->value].end)
		return;
	at = number_of(gather, &gather->deaths, key);
	if (at == out->death_count) {
		out->deaths = memory_grow(out->deaths, out->death_count, &gather->death_capacity,
		                          sizeof(*out->deaths));
		out->deaths[out->death_count++] = (struct page_death){death->value, death->end, 0,
		                                                      0};
	}
	if (at < out->death_count) {
		out->deaths[at].bytes += death->bytes;
		out->deaths[at].count += death->count;
	}
}

/* Make the units of a kind wider, and count its rows again. Rows that become equal stay rows. */
static void widen(struct gather *gather, unsigned kind)
{
	struct page_rows *out = gather->out;

	forget(&gather->tables[kind]);
	out->width_ns[kind] *= WIDER;
	for (size_t i = 0; i < out->count; i++) {
		struct page_row *row = &out->rows[i];

		if (row->kind != kind)
			continue;
		row->end /= WIDER;
		row->begin /= WIDER;
		same_row(gather, row);
	}
}

/* Units of time of the heap have become wider: some blocks do not live beyond theirs any more. */
static void widen_deaths(struct gather *gather)
{
	struct page_rows *out = gather->out;
	size_t count = out->death_count;

	exp_index_fini(&gather->deaths);
	out->death_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct page_death death = out->deaths[i];

		death.end /= WIDER;
		add_death(gather, &death);
	}
}

static uint32_t unit_of(int64_t time_ns, uint64_t width_ns)
{
	uint64_t unit = time_ns < 0 ? 0 : (uint64_t)time_ns / width_ns;

	return unit < UINT32_MAX ? (uint32_t)unit : UINT32_MAX;
}

/* Fewer than this many units of time are too few to see a course. */
enum { UNITS_LEAST = 64, MANY = 4 };

static int is_sampled(unsigned kind)
{
	return kind == FMT_DATAKIND_PROFILE || kind == FMT_DATAKIND_COUNTERS;
}

static double units_of(const struct gather *gather, unsigned kind)
{
	return gather->at->whole->last_s * 1e9 / (double)gather->out->width_ns[kind];
}

/* There are too many rows of a kind: make units of time wider; if they are few already, do not tell
 * threads apart (of samples, these matter more); if nothing helps, there are that many stacks. */
static void reduce(struct gather *gather, unsigned kind)
{
	struct table *table = &gather->tables[kind];
	size_t before = table->count;

	if (units_of(gather, kind) < UNITS_LEAST && !is_sampled(kind) &&
	    !(gather->out->merged & 1u << kind)) {
		gather->out->merged |= 1u << kind;
		for (size_t i = 0; i < gather->out->count; i++)
			if (gather->out->rows[i].kind == kind)
				gather->out->rows[i].thread = 0;
	}
	widen(gather, kind);
	if (kind == FMT_DATAKIND_HEAP)
		widen_deaths(gather);
	if (table->count > before - before / 8)
		table->wanted += table->wanted / 2;
}

static uint32_t find_row(struct gather *gather, const struct page_fact *fact, unsigned kind)
{
	struct page_rows *out = gather->out;
	struct table *table = &gather->tables[kind];
	struct page_row row = {.thread = out->merged & 1u << kind ? 0 : fact->thread,
	                       .node = fact->fact->node,
	                       .end = unit_of(fact->end_ns, out->width_ns[kind]),
	                       .begin = unit_of(fact->begin_ns, out->width_ns[kind]),
	                       .value = (uint32_t)out->count,
	                       .kind = (uint8_t)kind};
	uint32_t found = same_row(gather, &row);

	if (found != row.value)
		return found;
	if (out->count == EXP_ROWS_MAX) {
		out->has_overflow = 1;
		return EXP_ROW_NONE;
	}
	out->rows = memory_grow(out->rows, out->count, &gather->capacity, sizeof(*out->rows));
	out->rows[out->count++] = row;
	while (table->count > table->wanted)
		reduce(gather, kind);
	return row.value;
}

/* Note the size of a block or call that is not of the class that its row began with. */
static void add_size(struct gather *gather, uint32_t number, enum size_sort sort, uint64_t bytes)
{
	struct page_row *row = &gather->out->rows[number];
	uint8_t *first = sort == SIZE_WRITES ? &row->first_write : &row->first;
	unsigned class = sizes_class(bytes);

	if (*first == 0)
		*first = (uint8_t)(class + 1);
	else if (*first != class + 1)
		sizes_add(&gather->out->sizes, number, sort, class);
}

static void note_size(struct gather *gather, uint32_t row, const struct exp_fact *fact)
{
	if (fact->data == EXP_DATA_HEAP) {
		if (!fact->is_map)
			add_size(gather, row, SIZE_BLOCKS, fact->bytes);
	} else if (fact->class == EXP_IO_ERROR) {
		sizes_add(&gather->out->sizes, row, SIZE_ERRORS,
		          fact->error < EXP_IO_ERRORS ? fact->error : 0);
	} else if (fact->class != EXP_IO_OTHER) {
		add_size(gather, row, fact->class == EXP_IO_READ ? SIZE_READS : SIZE_WRITES,
		         fact->bytes);
	}
}

static uint32_t on_fact(void *context, const struct exp_fact *fact)
{
	struct gather *gather = context;
	struct page_fact seen = {.fact = fact};
	struct axis_span span;
	int64_t thread;
	uint32_t row;

	if (!(gather->reading->kinds & (unsigned)fact->data) ||
	    !filters_select(gather->filters, fact))
		return EXP_ROW_NONE;
	seen.thread = filter_run_value(gather->thread, fact, &thread) ? (uint32_t)thread : 0;
	span = axis_span_of(gather->experiment, gather->founder_ns, fact);
	seen.begin_ns = span.begin_ns;
	seen.end_ns = span.end_ns;
	if (gather->reading->see)
		gather->reading->see(gather->reading->context, &seen);
	if (fact->java)
		return EXP_ROW_NONE;
	row = find_row(gather, &seen, (unsigned)__builtin_ctz((unsigned)fact->data));
	if (row != EXP_ROW_NONE && (unsigned)fact->data & (EXP_DATA_HEAP | EXP_DATA_IO))
		note_size(gather, row, fact);
	return row;
}

static void on_free(void *context, const struct exp_freed *freed)
{
	struct gather *gather = context;
	struct page_rows *out = gather->out;
	int64_t time_ns = axis_ticks_ns(gather->experiment, gather->founder_ns, freed->ticks);
	struct page_death death = {.value = freed->row,
	                           .end = unit_of(time_ns, out->width_ns[FMT_DATAKIND_HEAP]),
	                           .bytes = freed->bytes,
	                           .count = freed->count};

	if (freed->row >= out->count)
		return;
	gather->units = freed->units;
	add_size(gather, freed->row, SIZE_FREED, freed->bytes);
	add_death(gather, &death);
	while (out->death_count > gather->deaths_wanted) {
		size_t before = out->death_count;

		reduce(gather, FMT_DATAKIND_HEAP);
		if (out->death_count > before - before / 8)
			gather->deaths_wanted += gather->deaths_wanted / 2;
	}
}

/* The share of the experiment in a limit. */
static size_t share_of(const struct gather *gather, size_t limit)
{
	double wanted = gather->reading->share * (double)limit;

	return wanted < PAGE_ROWS_LEAST ? PAGE_ROWS_LEAST : (size_t)wanted;
}

/* How many stacks have events of a kind. */
static uint64_t stacks_of(const struct dataset_experiment *at, unsigned kind)
{
	const struct exp_nodes *nodes = &at->whole->nodes;
	uint64_t count = 1;

	for (size_t i = 0; i < exp_event_total_count; i++) {
		const uint64_t *values = nodes->value[exp_event_totals[i]];

		for (size_t row = 0; values && row < nodes->row_count; row++)
			count += exp_totals[exp_event_totals[i]].data == 1u << kind &&
			         values[row] != 0;
	}
	return count;
}

/* Begin with units of time that are not much too narrow, since each time that they become wider,
 * the rows so far stay. */
static void begin_kind(struct gather *gather, unsigned kind)
{
	struct table *table = &gather->tables[kind];
	uint64_t threads = gather->at->whole->thread_count + 1, places;
	uint64_t *width_ns = &gather->out->width_ns[kind];

	forget(table);
	table->wanted = share_of(gather, is_sampled(kind) ? PAGE_ROWS_SAMPLES : PAGE_ROWS_OTHER);
	*width_ns = UNIT_NS;
	if (datakind_events(&gather->at->whole->quality, kind) / MANY < table->wanted)
		return;
	places = stacks_of(gather->at, kind) * threads;
	if (places > table->wanted / UNITS_LEAST && !is_sampled(kind) && threads > 2) {
		gather->out->merged |= 1u << kind;
		places /= threads;
	}
	while (units_of(gather, kind) * (double)places > MANY * (double)table->wanted &&
	       units_of(gather, kind) > 1)
		*width_ns *= WIDER;
}

static int on_begin(void *context, const struct exp_nodes *nodes)
{
	struct gather *gather = context;
	int status = filters_begin(gather->filters, nodes);

	/* A process that runs may be read several times. */
	gather->out->count = 0;
	gather->nodes = nodes->count;
	gather->out->merged = 0;
	gather->out->death_count = 0;
	sizes_clear(&gather->out->sizes);
	exp_index_fini(&gather->deaths);
	gather->units = 1;
	gather->deaths_wanted = share_of(gather, PAGE_DEATHS);
	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		begin_kind(gather, kind);
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

int page_rows_read(const struct dataset *dataset, const struct dataset_experiment *at,
                   const struct page_reading *reading, struct page_rows *out)
{
	const struct filter_place place = filters_place(dataset, at);
	struct expression_error error;
	struct expression *thread = expression_compile("THRID", &error);
	struct gather gather = {.out = out,
	                        .experiment = at->experiment,
	                        .founder_ns = axis_offset_ns(dataset, at),
	                        .reading = reading,
	                        .at = at};
	struct exp_selection selection = {.context = &gather,
	                                  .begin = on_begin,
	                                  .row = on_fact,
	                                  .freed = on_free,
	                                  .left_out = ~reading->kinds,
	                                  .is_grouped = 1,
	                                  .wants_java = 1};
	int status;

	*out = (struct page_rows){.count = 0};
	filters_ask(dataset->filters, &selection);
	gather.filters = filters_open(dataset->filters, &place);
	gather.thread = filter_run_create(thread, &place);
	status = experiment_select(at->experiment, &selection, &out->set);
	filter_run_destroy(gather.thread);
	filters_close(gather.filters);
	expression_destroy(thread);
	exp_index_fini(&gather.deaths);
	for (size_t i = 0; i < out->death_count; i++)
		out->deaths[i].count = (out->deaths[i].count + gather.units / 2) / gather.units;
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

uint32_t *page_rows_places(const struct page_rows *rows)
{
	uint32_t *places = memory_take(rows->count, sizeof(*places));

	for (size_t i = 0; i < rows->count; i++)
		places[rows->rows[i].value] = (uint32_t)i;
	return places;
}

void page_rows_fini(struct page_rows *rows)
{
	free(rows->rows);
	free(rows->deaths);
	sizes_fini(&rows->sizes);
	exp_data_set_destroy(rows->set);
}
