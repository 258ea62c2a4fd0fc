/* sizeparts.c: writes to a report page which sizes the blocks and calls of rows had, where means do
 * not tell. See doc/decisions/90-report-page.md. */
#include "analyzer/page/walk.h"

#include "analyzer/base/memory.h"
#include "experiment/base/totals.h"

#include <stdlib.h>
#include <string.h>

/* A part of what a row of the page has of a class; those of a class are added up. */
struct part {
	uint32_t row;
	uint8_t sort, class;
	int64_t count;
};

struct parts {
	struct part *at;
	size_t count, capacity;
};

static int order(const struct part *a, const struct part *b)
{
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->sort != b->sort ? a->sort - b->sort : a->class - b->class;
}

static int compare(const void *left, const void *right)
{
	return order(left, right);
}

static void add_part(struct parts *parts, const struct part *part)
{
	parts->at = memory_grow(parts->at, parts->count, &parts->capacity, sizeof(*parts->at));
	parts->at[parts->count++] = *part;
}

/* The class that a row began with, plus 1; 0: it has none of this sort. */
static unsigned first_of(const struct page_row *row, unsigned sort)
{
	if (sort == SIZE_ERRORS)
		return 0;
	return sort == SIZE_WRITES ? row->first_write : row->first;
}

static uint64_t value_of(const struct page_rows *rows, const struct page_row *row, unsigned total)
{
	const struct exp_nodes *values = &rows->set->nodes;

	if (!values->value[total] || row->value >= values->row_count)
		return 0;
	return values->value[total][row->value];
}

/* All that a row has is of its first class, at first. */
static void add_row(struct parts *parts, const struct page_rows *rows, const struct page_row *row,
                    uint32_t place)
{
	uint64_t blocks = value_of(rows, row, EXP_ALLOC_COUNT),
		 leaks = value_of(rows, row, EXP_LEAK_COUNT);
	const uint64_t counts[] = {[SIZE_BLOCKS] = blocks,
	                           [SIZE_READS] = value_of(rows, row, EXP_IO_READ_COUNT),
	                           [SIZE_WRITES] = value_of(rows, row, EXP_IO_WRITE_COUNT),
	                           [SIZE_FREED] = blocks > leaks ? blocks - leaks : 0};

	for (unsigned sort = 0; sort < sizeof(counts) / sizeof(counts[0]); sort++)
		if (counts[sort] != 0 && first_of(row, sort) != 0)
			add_part(parts, &(struct part){place, (uint8_t)sort,
			                               (uint8_t)(first_of(row, sort) - 1),
			                               (int64_t)counts[sort]});
}

/* What is of another class is not of the first. */
static void add_size(struct parts *parts, const struct page_row *row, const struct size *size,
                     uint32_t place)
{
	struct part part = {place, size->sort, size->class, (int64_t)size->count};

	add_part(parts, &part);
	if (first_of(row, size->sort) == 0)
		return;
	part.class = (uint8_t)(first_of(row, size->sort) - 1);
	part.count = -part.count;
	add_part(parts, &part);
}

static void sum_up(struct parts *parts)
{
	size_t kept = 0;

	qsort(parts->at, parts->count, sizeof(*parts->at), compare);
	for (size_t i = 0; i < parts->count; i++)
		if (kept > 0 && order(&parts->at[kept - 1], &parts->at[i]) == 0)
			parts->at[kept - 1].count += parts->at[i].count;
		else
			parts->at[kept++] = parts->at[i];
	parts->count = kept;
}

static void put(struct page *page, const struct part *part, unsigned sort, int64_t count)
{
	if (count <= 0)
		return;
	column_step(page->sections[PAGE_SIZE_ROW], part->row);
	column_number(page->sections[PAGE_SIZE_SORT], sort);
	column_number(page->sections[PAGE_SIZE_CLASS],
	              sort == SIZE_ERRORS ? page_string(page, strerrorname_np(part->class))
	                                  : part->class);
	column_number(page->sections[PAGE_SIZE_COUNT], (uint64_t)count);
}

/* The part of a row that has this sort and class, NULL: there is none. */
static const struct part *find(const struct part *parts, size_t count, unsigned sort,
                               unsigned class)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].sort == sort && parts[i].class == class)
			return &parts[i];
	return NULL;
}

/* Write the sorts of a row that have several classes. */
static void put_row(struct page *page, const struct part *parts, size_t count)
{
	unsigned classes[SIZE_FREED + 1] = {0};

	for (size_t i = 0; i < count; i++)
		classes[parts[i].sort] += parts[i].count > 0;
	for (size_t i = 0; i < count; i++) {
		const struct part *part = &parts[i];

		if (part->sort != SIZE_FREED &&
		    (classes[part->sort] > 1 || part->sort == SIZE_ERRORS))
			put(page, part, part->sort, part->count);
	}
	for (size_t i = 0; i < count && classes[SIZE_BLOCKS] > 1; i++) {
		const struct part *freed = find(parts, count, SIZE_FREED, parts[i].class);

		if (parts[i].sort == SIZE_BLOCKS)
			put(page, &parts[i], SIZE_LEAKS,
			    parts[i].count - (freed ? freed->count : 0));
	}
}

/* Which rows of the page are told of: those of a page_row with several classes, or of some that
 * differ. is_told[page->rows] */
static void find_told(const struct page_rows *rows, const struct written *written,
                      const uint32_t *places, unsigned char *is_told)
{
	for (size_t i = 0; i < rows->sizes.count; i++) {
		uint32_t place = written[places[rows->sizes.at[i].row]].own;

		if (place != UINT32_MAX)
			is_told[place] = 1;
	}
	for (size_t i = 1; i < rows->count; i++)
		if (written[i].own != UINT32_MAX && written[i].own == written[i - 1].own &&
		    (rows->rows[i].first != rows->rows[i - 1].first ||
		     rows->rows[i].first_write != rows->rows[i - 1].first_write))
			is_told[written[i].own] = 1;
}

void walk_put_sizes(struct page *page, const struct page_rows *rows, const struct written *written)
{
	unsigned char *is_told;
	uint32_t *places;
	struct parts parts = {.count = 0};

	if (rows->sizes.is_full) {
		page->lacks_sizes = 1;
		return;
	}
	places = page_rows_places(rows);
	is_told = memory_take(page->rows, 1);
	find_told(rows, written, places, is_told);
	for (size_t i = 0; i < rows->count; i++)
		if (written[i].own != UINT32_MAX && is_told[written[i].own])
			add_row(&parts, rows, &rows->rows[i], written[i].own);
	for (size_t i = 0; i < rows->sizes.count; i++) {
		const struct size *size = &rows->sizes.at[i];
		uint32_t at = places[size->row];

		if (written[at].own != UINT32_MAX)
			add_size(&parts, &rows->rows[at], size, written[at].own);
	}
	if (parts.count > 0)
		sum_up(&parts);
	for (size_t i = 0, end; i < parts.count; i = end) {
		for (end = i + 1; end < parts.count && parts.at[end].row == parts.at[i].row;)
			end++;
		put_row(page, &parts.at[i], end - i);
	}
	free(parts.at);
	free(places);
	free(is_told);
}
