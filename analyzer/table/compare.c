/* compare.c: the columns of a comparison.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/table/compare.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/sampled.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 16 };

/* The name of a column's group without directory and suffix. The caller frees. */
static char *short_name(const struct dataset *dataset, size_t column)
{
	const char *base = text_base(dataset->groups[dataset_column_group(dataset, column)].path);
	const char *dot = strrchr(base, '.');

	if (!dot || dot == base || (strcmp(dot, ".er") != 0 && strcmp(dot, ".erg") != 0))
		dot = base + strlen(base);
	return memory_text(base, (size_t)(dot - base));
}

char *compare_label(const struct dataset *dataset, size_t column)
{
	char *name = short_name(dataset, column);
	int is_good = strlen(name) <= LABEL_MAX && name[0] != '\0' && name[0] != '[';

	for (const char *at = name; *at != '\0' && is_good; at++)
		is_good = *at > ' ' && *at < 0x7f;
	for (size_t i = 0; i < dataset_columns(dataset) && is_good; i++) {
		char *other = short_name(dataset, i);

		is_good = i == column || strcmp(name, other) != 0;
		free(other);
	}
	if (is_good)
		return name;
	free(name);
	return memory_format("[%zu]", column + 1);
}

char *compare_title(const struct dataset *dataset, size_t column)
{
	char *label = compare_label(dataset, column);
	char *title;

	if (label[0] != '[')
		return label;
	title = memory_format("%s %s", label,
	                      dataset->groups[dataset_column_group(dataset, column)].path);
	free(label);
	return title;
}

/* How exact the shares of sampled metrics are. */
static void set_samples(const struct dataset *dataset, struct table_group *group, size_t column)
{
	double factor = group->factor > 0 ? group->factor : 1;
	unsigned of = dataset_columns(dataset) > 1 ? dataset_column_group(dataset, column)
	                                           : dataset->focus;

	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		struct sampled sampled = sampled_in(dataset, of, id, group->sum.of[id]);

		group->whole[id] = sampled.sum * factor;
		group->unit[id] = sampled.unit * factor;
		group->effective[id] = interval_effective(sampled.sum, sampled.squares);
	}
}

void compare_table(const struct dataset *dataset, struct table *table, enum tree_mode mode)
{
	size_t count = dataset_columns(dataset);

	table->compare = count > 1 ? dataset->tables->compare : TREE_COMPARE_OFF;
	table->group_count = count;
	table->groups = memory_take(count, sizeof(*table->groups));
	table->next = memory_take(count, sizeof(*table->next));
	for (size_t i = 0; i < count; i++) {
		table->groups[i].sum = dataset_column_tree(dataset, mode, i)->sum;
		table->groups[i].label = count > 1 ? compare_label(dataset, i) : NULL;
		if (count > 1 && i > 0 && dataset->tables->work.kind != WORK_NONE)
			table->groups[i].factor = work_factor(dataset, i);
		set_samples(dataset, &table->groups[i], i);
	}
	table->sum = table->groups[0].sum;
}

const struct tree **compare_trees(const struct dataset *dataset, enum tree_mode mode)
{
	size_t count = dataset_columns(dataset);
	const struct tree **trees = memory_take(count, sizeof(struct tree *));

	for (size_t i = 0; i < count; i++)
		trees[i] = dataset_column_tree(dataset, mode, i);
	return trees;
}

const struct fold **compare_folds(const struct dataset *dataset, enum tree_mode mode)
{
	size_t count = dataset_columns(dataset);
	const struct fold **folds = memory_take(count, sizeof(struct fold *));

	for (size_t i = 0; i < count; i++)
		folds[i] = dataset_column_fold(dataset, mode, i);
	return folds;
}

const struct fold_edges **compare_edges(const struct dataset *dataset)
{
	size_t count = dataset_columns(dataset);
	const struct fold_edges **edges = memory_take(count, sizeof(struct fold_edges *));

	for (size_t i = 0; i < count; i++)
		edges[i] = dataset_column_edges(dataset, i);
	return edges;
}

struct dataset compare_part(const struct dataset *dataset, size_t column)
{
	struct dataset part = *dataset;

	part.focus = dataset_column_group(dataset, column);
	return part;
}

enum tree_compare compare_begin_alone(const struct dataset *part)
{
	enum tree_compare compare = part->tables->compare;

	dataset_forget_tables(part);
	part->tables->compare = TREE_COMPARE_OFF;
	return compare;
}

void compare_end_alone(const struct dataset *part, enum tree_compare compare)
{
	dataset_forget_tables(part);
	part->tables->compare = compare;
}
