/* values.c: writes the rows of an experiment to a report page, and the values that they have.
 * See doc/decisions/90-report-page.md. */
#include "analyzer/page/walk.h"

#include "analyzer/base/memory.h"
#include "experiment/base/totals.h"

#include <stdlib.h>
#include <string.h>

/* From so many rows on, times are rounded; more than MISSING ns is not missing by rounding. */
enum { ROUNDED_ROWS = 1 << 18, MISSING = 1000000 };

uint32_t walk_place(struct walk *walk, uint32_t node, unsigned kind)
{
	const struct sym_frame unknown = {
		.function = symbols_unknown(walk->page->dataset->symbols)};

	if (node < walk->places.count)
		return kind == FMT_DATAKIND_PROFILE ? walk->places.clock[node]
		                                    : walk->places.own[node];
	if (walk->places.no_stack == TREE_ROOT)
		walk->places.no_stack = tree_child(walk->page->tree, TREE_ROOT, &unknown);
	return walk->places.no_stack;
}

enum { NO_ROW = UINT32_MAX };

static int is_clock(unsigned total)
{
	return exp_totals[total].data == EXP_DATA_PROFILE;
}

/* The value of a total in a row, 0 for totals that are no sums. */
static uint64_t value_of(const struct page_rows *rows, const struct page_row *row, unsigned total)
{
	const struct exp_nodes *values = &rows->set->nodes;

	if (exp_totals[total].role == EXP_ROLE_MOST || !values->value[total] ||
	    row->value >= values->row_count)
		return 0;
	return values->value[total][row->value];
}

/* The number of a node among those that have rows. */
static uint32_t stack_of(struct page *page, uint32_t node)
{
	if (node >= page->stacks_size) {
		size_t size = 2 * (size_t)node + 1024;

		page->stacks = memory_resize(page->stacks, size, sizeof(*page->stacks));
		memset(page->stacks + page->stacks_size, 0,
		       (size - page->stacks_size) * sizeof(*page->stacks));
		page->stacks_size = size;
	}
	if (page->stacks[node] == 0) {
		page->stacks[node] = ++page->stack_count;
		column_step(page->sections[PAGE_STACK_NODE], node);
	}
	return page->stacks[node] - 1;
}

static uint32_t put_row(struct page *page, const struct page_row *row, uint32_t node)
{
	column_step(page->sections[PAGE_ROW_TIME], row->end);
	column_number(page->sections[PAGE_ROW_SPAN], row->end - row->begin);
	column_step(page->sections[PAGE_ROW_THREAD], (int64_t)(page->thread_base + row->thread));
	column_number(page->sections[PAGE_ROW_STACK], stack_of(page, node));
	return (uint32_t)page->rows++;
}

/* The totals that have values in any row: of some 80, a reading has five to ten. */
struct present {
	unsigned char total[EXP_METRICS];
	unsigned count;
};

static struct present find_present(const struct page_rows *rows)
{
	struct present present = {.count = 0};

	for (unsigned i = 0; i < EXP_METRICS; i++)
		if (exp_totals[i].role != EXP_ROLE_MOST && rows->set->nodes.value[i])
			present.total[present.count++] = (unsigned char)i;
	return present;
}

/* Write a row, unless the one before it is at the same place, and was written as `before`. */
static struct written put_parts(struct walk *walk, const struct page_rows *rows,
                                const struct page_row *row, const struct present *present,
                                struct written before)
{
	uint32_t clock = walk_place(walk, row->node, row->kind);
	uint32_t own = walk_place(walk, row->node, FMT_DATAKINDS);
	struct written written = before;

	for (unsigned i = 0; i < present->count; i++) {
		unsigned total = present->total[i];
		uint32_t *to = is_clock(total) ? &written.clock : &written.own;

		if (*to == NO_ROW && value_of(rows, row, total) != 0)
			*to = put_row(walk->page, row, is_clock(total) ? clock : own);
		if (clock == own && *to != NO_ROW)
			written.clock = written.own = *to;
	}
	return written;
}

/* Rows can have become equal when steps of time became wider. */
static int is_same_place(const struct page_row *left, const struct page_row *right)
{
	return left->kind == right->kind && left->end == right->end &&
	       left->begin == right->begin && left->thread == right->thread &&
	       left->node == right->node;
}

static void put_block(const struct page *page, unsigned kind, uint64_t width_ns, size_t first)
{
	if (page->rows == first)
		return;
	fprintf(page->blocks,
	        "%s\n  {\"experiment\": %zu, \"kind\": %u, \"width_ns\": %llu, \"first\": %zu, "
	        "\"count\": %zu}",
	        first ? "," : "", page->experiment, kind, (unsigned long long)width_ns, first,
	        page->rows - first);
}

/* What a stack's sum is more than that of its rows: times are converted from ticks and rounded, the
 * sum once, and each row. */
static int64_t *find_missing(const struct walk *walk, const struct page_rows *rows,
                             const uint64_t *values, unsigned total)
{
	const struct exp_nodes *nodes = &walk->at->data->nodes;
	int64_t *missing = memory_take(nodes->count, sizeof(*missing));

	for (size_t i = 0; i < nodes->row_count && nodes->value[total]; i++)
		missing[nodes->node_of[i]] = (int64_t)nodes->value[total][i];
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].node < nodes->count)
			missing[rows->rows[i].node] -= (int64_t)values[i];
	return missing;
}

/* Values of a total on their way out: those of equal rows are added up. */
struct sum {
	struct page_total *out;
	uint32_t row;
	uint64_t value;
};

static void put_sum(struct sum *sum, uint32_t row, uint64_t value)
{
	if (row == sum->row) {
		sum->value += value;
		return;
	}
	if (sum->value != 0) {
		column_step(sum->out->row, sum->row);
		column_number(sum->out->value, sum->value);
	}
	sum->row = row;
	sum->value = value;
}

/* Of very many rows, times are rounded to steps; what is missing goes to the next row of the stack,
 * so that no sum is ever wrong by more than a step. Returns the step, 0: they are not rounded. */
static uint64_t rounding_of(const uint64_t *values, size_t count, unsigned total)
{
	uint64_t sum = 0, step = 1;
	size_t some = 0;

	if (!is_clock(total) || exp_totals[total].role == EXP_ROLE_EVENTS)
		return 0;
	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		some += values[i] != 0;
	}
	if (some < ROUNDED_ROWS)
		return 0;
	while (step < sum / some / 16)
		step *= 2;
	return step;
}

static void round_values(const struct page_rows *rows, uint64_t *values, size_t nodes,
                         uint64_t step)
{
	uint64_t *left = memory_take(nodes, sizeof(*left));

	for (size_t i = 0; i < rows->count; i++) {
		uint32_t node = rows->rows[i].node;
		uint64_t whole;

		if (node >= nodes || values[i] == 0)
			continue;
		whole = values[i] + left[node];
		values[i] = whole / step * step;
		left[node] = whole - values[i];
	}
	free(left);
}

static void put_values(const struct walk *walk, const struct page_rows *rows,
                       const struct written *written, unsigned total, const uint64_t *values,
                       uint64_t most_missing)
{
	size_t nodes = walk->at->data->nodes.count;
	int64_t *missing = find_missing(walk, rows, values, total);
	struct sum sum = {.out = &walk->page->totals[total], .row = NO_ROW};

	for (size_t i = 0; i < rows->count; i++) {
		uint32_t node = rows->rows[i].node;
		uint64_t value = values[i];

		if (value == 0)
			continue;
		/* The first row of each stack takes what is missing to its sum. */
		if (node < nodes && missing[node] > -(int64_t)value &&
		    missing[node] < (int64_t)most_missing &&
		    missing[node] > -(int64_t)most_missing) {
			value += (uint64_t)missing[node];
			missing[node] = 0;
		}
		put_sum(&sum, is_clock(total) ? written[i].clock : written[i].own, value);
	}
	put_sum(&sum, NO_ROW, 0);
	free(missing);
}

/* Write the values of a total. */
static void put_total(struct walk *walk, const struct page_rows *rows,
                      const struct written *written, unsigned total)
{
	uint64_t *values = memory_take(rows->count, sizeof(*values)), step;
	struct page_total *out = &walk->page->totals[total];

	if (!out->row) {
		out->row = column_create(0);
		out->value = column_create(0);
	}
	for (size_t i = 0; i < rows->count; i++)
		values[i] = value_of(rows, &rows->rows[i], total);
	step = rounding_of(values, rows->count, total);
	if (step > 1) {
		round_values(rows, values, walk->at->data->nodes.count, step);
		if (step > walk->page->rounding_ns)
			walk->page->rounding_ns = step;
	}
	put_values(walk, rows, written, total, values, step > MISSING ? 2 * step : MISSING);
	free(values);
}

static int has_total(const struct page_rows *rows, unsigned total)
{
	for (size_t i = 0; rows->set->nodes.value[total] && i < rows->count; i++)
		if (value_of(rows, &rows->rows[i], total) != 0)
			return 1;
	return 0;
}

void walk_put_rows(struct walk *walk, const struct page_rows *rows)
{
	struct page *page = walk->page;
	struct written *written = memory_take(rows->count, sizeof(*written));
	const struct written nowhere = {NO_ROW, NO_ROW};
	const struct present present = find_present(rows);

	for (size_t i = 0; i < rows->count;) {
		unsigned kind = rows->rows[i].kind;
		size_t first = page->rows;

		for (; i < rows->count && rows->rows[i].kind == kind; i++)
			written[i] = put_parts(
				walk, rows, &rows->rows[i], &present,
				i > 0 && is_same_place(&rows->rows[i], &rows->rows[i - 1])
					? written[i - 1]
					: nowhere);
		put_block(page, kind, rows->width_ns[kind], first);
	}
	for (unsigned total = 0; total < EXP_METRICS; total++)
		if (has_total(rows, total))
			put_total(walk, rows, written, total);
	walk_put_deaths(page, rows, written);
	walk_put_sizes(page, rows, written);
	free(written);
}
