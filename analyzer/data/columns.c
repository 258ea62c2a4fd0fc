/* columns.c: the tables of the dataset, each made when it is first asked for: of all that is
 * selected, and in a comparison of each group. */

#include "analyzer/base/memory.h"
#include "analyzer/data/dataset.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* True if the group has a selected experiment. */
static int is_seen(const struct dataset *dataset, unsigned group)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].group == group && dataset->experiments[i].is_selected)
			return 1;
	return 0;
}

/* All groups with selected experiments, whether they are compared or not. */
static size_t count_groups(const struct dataset *dataset)
{
	size_t count = 0;

	for (unsigned group = 0; group < dataset->group_count; group++)
		count += is_seen(dataset, group) != 0;
	return count;
}

static size_t count_parts(const struct dataset *dataset)
{
	return dataset->tables->compare == TREE_COMPARE_OFF || count_groups(dataset) < 2
	               ? 0
	               : count_groups(dataset);
}

size_t dataset_columns(const struct dataset *dataset)
{
	size_t parts = count_parts(dataset);

	return dataset->focus != DATASET_ALL || parts == 0 ? 1 : parts;
}

unsigned dataset_column_group(const struct dataset *dataset, size_t column)
{
	unsigned group = 0;

	for (; group + 1 < dataset->group_count; group++)
		if (is_seen(dataset, group) && column-- == 0)
			break;
	return group;
}

/* The column of the group in focus. */
static size_t focus_column(const struct dataset *dataset)
{
	size_t column = 0;

	for (unsigned group = 0; group < dataset->focus; group++)
		column += is_seen(dataset, group) != 0;
	return column;
}

static const char *program_of(const struct dataset *dataset, unsigned group)
{
	for (size_t i = 0; i < dataset->count; i++)
		if (dataset->experiments[i].group == group && dataset->experiments[i].is_selected)
			return text_base(dataset->experiments[i].info->object);
	return "";
}

static int has_object(const struct dataset *dataset, unsigned group, const char *name)
{
	for (size_t i = 0; i < dataset->count; i++) {
		const struct exp_object *objects;
		size_t count;

		if (dataset->experiments[i].group != group)
			continue;
		count = experiment_objects(dataset->experiments[i].experiment, &objects);
		for (size_t j = 0; j < count; j++)
			if (strcmp(text_base(objects[j].path), name) == 0)
				return 1;
	}
	return 0;
}

/* The program of a group is compared with that of the first under whatever name, unless the first
 * has both. */
static void set_names(const struct dataset *dataset, size_t parts)
{
	unsigned base = dataset_column_group(dataset, 0);
	const char *program = program_of(dataset, base);

	shown_set_compare(dataset->shown, parts > 0);
	for (size_t i = 1; i < parts; i++) {
		const char *other = program_of(dataset, dataset_column_group(dataset, i));

		if (program[0] != '\0' && other[0] != '\0' && strcmp(program, other) != 0 &&
		    !has_object(dataset, base, other))
			shown_set_alias(dataset->shown, other, program);
	}
}

/* Begin tables: the first of them decides for all. */
static void begin(const struct dataset *dataset)
{
	for (size_t i = 0; i < TREE_MODES; i++)
		if (dataset->tables->trees[i])
			return;
	if (dataset->tables->part_count != 0)
		return;
	dataset->tables->columns = count_parts(dataset);
	set_names(dataset, dataset->tables->columns);
}

/* Add the selected experiments of a group, DATASET_ALL: of all. */
static void add_group(const struct dataset *dataset, struct tree *tree,
                      const struct tree_view *view, unsigned group)
{
	for (size_t i = 0; i < dataset->count; i++) {
		const struct dataset_experiment *at = &dataset->experiments[i];

		if (!at->is_selected || (group != DATASET_ALL && at->group != group))
			continue;
		tree_add_experiment(tree, dataset->symbols, at->experiment, at->data, view);
	}
}

/* A tree with the values of these metrics alone, or of all (0). */
static struct tree *make_tree(const struct dataset *dataset, enum tree_mode mode,
                              metric_set metrics, int is_flat)
{
	const struct tree_view view = {.mode = dataset->mode,
	                               .stand_in = dataset->tables->stand_in,
	                               .shown = dataset->shown,
	                               .metrics = metrics,
	                               .is_flat = is_flat};
	struct tree *tree;

	begin(dataset);
	progress_begin("looking up functions and lines");
	tree = tree_create(mode, symbols_total(dataset->symbols));
	tree->compare = dataset->tables->columns > 0 ? dataset->tables->compare : TREE_COMPARE_OFF;
	for (size_t i = 0; i < dataset->tables->columns; i++) {
		add_group(dataset, tree, &view, dataset_column_group(dataset, i));
		tree_end_part(tree);
	}
	if (dataset->tables->columns == 0)
		add_group(dataset, tree, &view, dataset->focus);
	tree_finish(tree);
	progress_end();
	return tree;
}

static struct tree *whole_tree(const struct dataset *dataset, enum tree_mode mode)
{
	struct tree **tree = &dataset->tables->trees[mode];

	if (!*tree)
		*tree = make_tree(dataset, mode, 0, 0);
	return *tree;
}

/* The whole tree serves as well, if it is there. */
static struct tree *part_tree(const struct dataset *dataset, enum tree_mode mode,
                              metric_set metrics, int is_flat)
{
	struct dataset_tables *tables = dataset->tables;
	struct tree *tree = tables->trees[mode];

	for (size_t i = 0; i < tables->part_count && !tree; i++)
		if (tables->parts[i].mode == mode && tables->parts[i].metrics == metrics &&
		    tables->parts[i].is_flat == is_flat)
			tree = tables->parts[i].tree;
	if (tree)
		return tree;
	tree = make_tree(dataset, mode, metrics, is_flat);
	tables->parts = memory_grow(tables->parts, tables->part_count, &tables->part_capacity,
	                            sizeof(*tables->parts));
	tables->parts[tables->part_count++] = (struct dataset_part){mode, metrics, is_flat, tree};
	return tree;
}

/* Number of the table that views see: 0 of the whole, 1 of the first part, ... */
static size_t seen_table(const struct dataset *dataset)
{
	return dataset->focus == DATASET_ALL || count_parts(dataset) == 0
	               ? 0
	               : focus_column(dataset) + 1;
}

static size_t column_table(const struct dataset *dataset, size_t column)
{
	return dataset_columns(dataset) == 1 ? seen_table(dataset) : column + 1;
}

static const struct tree *tree_at(const struct tree *tree, size_t table)
{
	return table == 0 ? tree : &tree->parts[table - 1];
}

static const struct tree *find_tree(const struct dataset *dataset, enum tree_mode mode,
                                    size_t table)
{
	return tree_at(whole_tree(dataset, mode), table);
}

static const struct fold *find_fold(const struct dataset *dataset, enum tree_mode mode,
                                    size_t table)
{
	const struct tree *tree = find_tree(dataset, mode, table);

	if (!dataset->tables->folds[mode])
		dataset->tables->folds[mode] = memory_take(dataset->tables->columns + 1,
		                                           sizeof(*dataset->tables->folds[mode]));
	if (!dataset->tables->folds[mode][table])
		dataset->tables->folds[mode][table] = fold_items(tree);
	return dataset->tables->folds[mode][table];
}

static const struct fold_edges *find_edges(const struct dataset *dataset, size_t table)
{
	const struct tree *tree = find_tree(dataset, TREE_FUNCTIONS, table);

	if (!dataset->tables->edges)
		dataset->tables->edges = memory_take(dataset->tables->columns + 1,
		                                     sizeof(*dataset->tables->edges));
	if (!dataset->tables->edges[table])
		dataset->tables->edges[table] = fold_edges_create(tree);
	return dataset->tables->edges[table];
}

const struct tree *dataset_tree(const struct dataset *dataset, enum tree_mode mode)
{
	return find_tree(dataset, mode, seen_table(dataset));
}

const struct tree *dataset_stacks(const struct dataset *dataset, metric_set metrics)
{
	return tree_at(part_tree(dataset, TREE_FRAMES, metrics, 0), seen_table(dataset));
}

const struct tree *dataset_functions(const struct dataset *dataset, metric_set metrics)
{
	return tree_at(part_tree(dataset, TREE_FUNCTIONS, metrics, 1), seen_table(dataset));
}

const struct fold *dataset_fold(const struct dataset *dataset, enum tree_mode mode)
{
	return find_fold(dataset, mode, seen_table(dataset));
}

const struct fold_edges *dataset_edges(const struct dataset *dataset)
{
	return find_edges(dataset, seen_table(dataset));
}

const struct tree *dataset_column_tree(const struct dataset *dataset, enum tree_mode mode,
                                       size_t column)
{
	return find_tree(dataset, mode, column_table(dataset, column));
}

const struct fold *dataset_column_fold(const struct dataset *dataset, enum tree_mode mode,
                                       size_t column)
{
	return find_fold(dataset, mode, column_table(dataset, column));
}

const struct fold_edges *dataset_column_edges(const struct dataset *dataset, size_t column)
{
	return find_edges(dataset, column_table(dataset, column));
}
