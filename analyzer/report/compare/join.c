/* join.c: see join.h. */
#include "analyzer/report/compare/join.h"

#include "analyzer/base/memory.h"
#include "experiment/table/hash.h"

#include <stdlib.h>
#include <string.h>

/* Rows made so far, and one of a group that is looked for among them: it is that one of its keys
 * that the group has no part of yet. */
struct join {
	const struct print_table *table; /* any: all have the same columns */
	struct compare_row *rows;
	size_t count, capacity, columns;
	struct exp_hash words; /* of rows with words as keys, by these; numbers of rows, from 1 */
	size_t column;         /* of the group */
	const struct print_cell *cells;
};

/* None is less than any. */
static int compare_cells(const struct print_cell *left, const struct print_cell *right)
{
	if (left->text && right->text)
		return strcmp(left->text, right->text);
	if (left->is_none || right->is_none || left->text || right->text)
		return (right->is_none != 0) - (left->is_none != 0);
	return (left->number > right->number) - (left->number < right->number);
}

/* The keys of a row that there is to those that are looked for. */
static int compare_keys(const struct join *join, const struct compare_row *row)
{
	size_t column = 0;
	int order = 0;

	while (!row->cells[column])
		column++;
	for (size_t i = 0; i < join->table->key_count && order == 0; i++)
		order = compare_cells(&row->cells[column][i], &join->cells[i]);
	return order;
}

/* Where among the rows, which are in order of their keys, the wanted one is, or belongs. */
static size_t find_number(const struct join *join, int *is_known)
{
	size_t from = 0, to = join->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_keys(join, &join->rows[middle]) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (*is_known = 0; from < join->count && compare_keys(join, &join->rows[from]) == 0;
	     from++) {
		*is_known = !join->rows[from].cells[join->column];
		if (*is_known)
			break;
	}
	return from;
}

static int is_wanted(const void *item, const void *key)
{
	const struct join *join = key;
	const struct compare_row *row = &join->rows[(uintptr_t)item - 1];

	return !row->cells[join->column] && compare_keys(join, row) == 0;
}

/* The same where words are keys: new rows come last. */
static size_t find_word(struct join *join, int *is_known)
{
	uint64_t hash = EXP_HASH_START;
	const void *found;

	for (size_t i = 0; i < join->table->key_count; i++)
		hash = join->cells[i].text ? exp_hash_text(hash, join->cells[i].text)
		                           : exp_hash_number(hash, join->cells[i].number);
	found = exp_hash_find(&join->words, hash, is_wanted, join);
	*is_known = found != NULL;
	if (found)
		return (uintptr_t)found - 1;
	if (exp_hash_add(&join->words, hash, (void *)(uintptr_t)(join->count + 1)) != 0)
		memory_fail();
	return join->count;
}

static size_t find(struct join *join, size_t number, int *is_known)
{
	if (join->table->key_count == 0) {
		*is_known = number < join->count;
		return number;
	}
	return join->table->columns[0].type == PRINT_WORD ? find_word(join, is_known)
	                                                  : find_number(join, is_known);
}

static void add(struct join *join, size_t at)
{
	join->rows = memory_grow(join->rows, join->count, &join->capacity, sizeof(*join->rows));
	memmove(join->rows + at + 1, join->rows + at, (join->count - at) * sizeof(*join->rows));
	join->rows[at].cells = memory_take(join->columns, sizeof(*join->rows[at].cells));
	join->count++;
}

static void join_table(struct join *join, const struct print_table *table)
{
	join->table = table;
	for (size_t number = 0; number < table->cell_count / table->column_count; number++) {
		size_t at;
		int is_known;

		join->cells = table->cells + number * table->column_count;
		at = find(join, number, &is_known);
		if (!is_known)
			add(join, at);
		join->rows[at].cells[join->column] = join->cells;
	}
}

struct compare_row *compare_join(const struct print_table *const *tables, size_t columns,
                                 size_t *count)
{
	struct join join = {.columns = columns};

	for (; join.column < columns; join.column++)
		if (tables[join.column])
			join_table(&join, tables[join.column]);
	exp_hash_fini(&join.words);
	*count = join.count;
	return join.rows;
}

void compare_join_free(struct compare_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rows[i].cells);
	free(rows);
}
