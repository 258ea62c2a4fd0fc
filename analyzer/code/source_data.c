/* source_data.c: finds what belongs to which line of a source file: values, functions and inlined
 * calls. */
#include "analyzer/code/source_data.h"

#include "analyzer/table/compare.h"
#include "analyzer/base/memory.h"
#include "analyzer/code/sourcefile.h"

#include <stdlib.h>
#include <string.h>

/* ---- which items belong to which line ---- */

static int by_number(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return (a > b) - (a < b);
}

uint32_t source_data_find(const struct source_data *data, unsigned line)
{
	const unsigned *found = data->line_count == 0
	                                ? NULL
	                                : bsearch(&line, data->lines, data->line_count,
	                                          sizeof(line), by_number);

	return !found ? TREE_NONE : (uint32_t)(found - data->lines);
}

/* Is this the file? Items of one file mostly follow each other with the same pointer. */
static int is_file(const struct source_data *data, const char *file, const char **last,
                   int *last_is)
{
	if (!file)
		return 0;
	if (file != *last) {
		*last = file;
		*last_is = source_is_same(file, data->place.file);
	}
	return *last_is;
}

static void find_lines(struct source_data *data)
{
	const char *last = NULL;
	size_t kept = 0;
	int last_is = 0;

	for (size_t i = 0; i < data->tree->item_count; i++) {
		if (!is_file(data, data->tree->items[i].file, &last, &last_is))
			continue;
		data->lines = memory_grow(data->lines, data->line_count, &data->line_capacity,
		                          sizeof(*data->lines));
		data->lines[data->line_count++] = data->tree->items[i].line;
	}
	if (data->line_count > 1)
		qsort(data->lines, data->line_count, sizeof(*data->lines), by_number);
	for (size_t i = 0; i < data->line_count; i++)
		if (kept == 0 || data->lines[kept - 1] != data->lines[i])
			data->lines[kept++] = data->lines[i];
	data->line_count = kept;
}

static void find_keys(struct source_data *data)
{
	const char *last = NULL, *last_function = NULL;
	int last_is = 0, last_function_is = 0;

	data->key_of = memory_take(data->tree->item_count, sizeof(*data->key_of));
	for (size_t i = 0; i < data->tree->item_count; i++) {
		const struct sym_frame *item = &data->tree->items[i];

		data->key_of[i] = TREE_NONE;
		if (is_file(data, item->file, &last, &last_is)) {
			data->key_of[i] = source_data_find(data, item->line);
		} else if (is_file(data, item->function->file, &last_function, &last_function_is)) {
			data->others = memory_grow(data->others, data->other_count,
			                           &data->other_capacity, sizeof(*data->others));
			data->key_of[i] = (uint32_t)(data->line_count + data->other_count);
			data->others[data->other_count++] = item;
		}
	}
}

/* Values for each column of a comparison, or for the one there is. */
static void find_values(struct source_data *data)
{
	const struct tree **trees = compare_trees(data->dataset, TREE_LINES);

	data->column_count = dataset_columns(data->dataset);
	data->folds = memory_take(data->column_count, sizeof(*data->folds));
	for (size_t i = 0; i < data->column_count; i++)
		data->folds[i] = fold_sets(trees[i], data->key_of,
		                           data->line_count + data->other_count);
	free(trees);
}

/* ---- what the compiler did ---- */

static int by_line(const void *left, const void *right)
{
	const struct sym_note *a = *(const struct sym_note *const *)left,
			      *b = *(const struct sym_note *const *)right;
	int order;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->is_inlined != b->is_inlined)
		return a->is_inlined - b->is_inlined;
	order = strcmp(a->name, b->name);
	return order != 0 ? order : strcmp(a->holder, b->holder);
}

/* A header may have been compiled into thousands of units. */
enum { UNITS_MAX = 8 };

static void add_unit(struct source_data *data, const struct sym_object *object, uint64_t address)
{
	const struct sym_compilation *unit;
	const char *last = NULL;
	int last_is = 0;

	if (address == 0 || data->has_more_units ||
	    symbols_compilation(data->dataset->symbols, object, address, &unit) != 0)
		return;
	for (size_t i = 0; i < data->unit_count; i++)
		if (data->units[i] == unit)
			return;
	data->has_more_units = data->unit_count == UNITS_MAX;
	if (data->has_more_units)
		return;
	data->units = memory_grow(data->units, data->unit_count, &data->unit_capacity,
	                          sizeof(*data->units));
	data->units[data->unit_count++] = unit;
	if (!data->sum)
		data->sum = symbols_source_sum(data->dataset->symbols, object, address,
		                               data->place.file);
	for (size_t i = 0; i < unit->note_count; i++) {
		if (!is_file(data, unit->notes[i].file, &last, &last_is))
			continue;
		data->notes = memory_grow(data->notes, data->note_count, &data->note_capacity,
		                          sizeof(*data->notes));
		data->notes[data->note_count++] = &unit->notes[i];
	}
}

static void find_notes(struct source_data *data)
{
	const char *last = NULL;
	int last_is = 0;

	if (data->place.function)
		add_unit(data, data->place.object, data->place.function->address);
	for (size_t i = 0; i < data->tree->item_count; i++) {
		const struct sym_function *function = data->tree->items[i].function;

		/* Without functions in the debug information only the lines tell. */
		if (is_file(data, function->file ? function->file : data->tree->items[i].file,
		            &last, &last_is))
			add_unit(data, function->object, function->address);
	}
	if (data->note_count > 1)
		qsort(data->notes, data->note_count, sizeof(struct sym_note *), by_line);
}

/* ---- the calls of lines, for csource ---- */

static struct source_call *find_call(struct source_data *data, uint32_t line,
                                     const struct sym_function *callee)
{
	for (size_t i = data->call_count; i-- > 0;)
		if (data->calls[i].line == line && data->calls[i].callee == callee)
			return &data->calls[i];
	data->calls = memory_grow(data->calls, data->call_count, &data->call_capacity,
	                          sizeof(*data->calls));
	data->calls[data->call_count] = (struct source_call){
		line, callee, memory_take(data->column_count, sizeof(struct metric_values))};
	return &data->calls[data->call_count++];
}

struct call_order {
	size_t columns;
	unsigned metric;
};

/* Of compared groups together. */
static uint64_t weight(const struct source_call *call, const struct call_order *order)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < order->columns; i++)
		sum += call->values[i].of[order->metric];
	return sum;
}

static int by_value(const void *left, const void *right, void *context)
{
	const struct source_call *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (weight(a, context) != weight(b, context))
		return weight(a, context) > weight(b, context) ? -1 : 1;
	return strcmp(a->callee->name, b->callee->name);
}

static void add_calls(struct source_data *data, const struct tree *tree, size_t column)
{
	struct fold_edges *edges = fold_edges_create(tree);

	for (size_t i = 0; i < edges->count; i++) {
		const struct fold_edge *edge = &edges->edges[i];
		uint32_t line = data->key_of[edge->caller];

		struct metric_values values;

		if (line >= data->line_count || !columns_any(&edges->as_callee, i))
			continue;
		values = columns_values(&edges->as_callee, i);
		metric_values_add(
			&find_call(data, line, tree->items[edge->callee].function)->values[column],
			&values);
	}
	fold_edges_destroy(edges);
}

static void find_calls(struct source_data *data)
{
	unsigned id = data->choices->sort.metric.id < METRIC_VALUES ? data->choices->sort.metric.id
	                                                            : METRIC_TOTALCPU;
	struct call_order order = {data->column_count, id};
	const struct tree **trees = compare_trees(data->dataset, TREE_LINES);

	for (size_t i = 0; i < data->column_count; i++)
		add_calls(data, trees[i], i);
	free(trees);
	if (data->call_count > 1)
		qsort_r(data->calls, data->call_count, sizeof(*data->calls), by_value, &order);
}

void source_data_init(struct source_data *data, const struct dataset *dataset,
                      const struct choices *choices, const struct place *place, int with_calls)
{
	*data = (struct source_data){.dataset = dataset,
	                             .choices = choices,
	                             .place = *place,
	                             .tree = dataset_tree(dataset, TREE_LINES)};
	find_lines(data);
	find_keys(data);
	find_values(data);
	find_notes(data);
	if (with_calls)
		find_calls(data);
}

void source_data_fini(struct source_data *data)
{
	free(data->key_of);
	free(data->lines);
	for (size_t i = 0; i < data->column_count; i++)
		fold_destroy(data->folds[i]);
	free(data->folds);
	free(data->others);
	free(data->notes);
	free(data->units);
	for (size_t i = 0; i < data->call_count; i++)
		free(data->calls[i].values);
	free(data->calls);
}
