/* measure.c: what the metrics of checks were in the runs.
 * See doc/decisions/104-gates.md. */
#include "analyzer/check/check.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/names.h"
#include "analyzer/data/sampled.h"
#include "analyzer/model/datakind.h"
#include "analyzer/model/name.h"
#include "analyzer/report/quality/repeats.h"
#include "format/nearest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check_side {
	const struct analysis *analysis;
	struct repeats repeats;
};

struct check_side *check_side_begin(const struct analysis *analysis)
{
	struct check_side *side;

	if (!analysis)
		return NULL;
	side = memory_take(1, sizeof(*side));
	side->analysis = analysis;
	repeats_begin(&side->repeats, &analysis->dataset, REPEATS_OF_ALL);
	return side;
}

void check_side_end(struct check_side *side)
{
	if (!side)
		return;
	repeats_end(&side->repeats);
	free(side);
}

size_t check_side_runs(const struct check_side *side)
{
	return side ? side->repeats.count : 0;
}

/* ---- functions by name ---- */

/* The nearest short name of a function of the dataset to `word`, NULL if none is near. The caller
 * frees. */
static char *nearest_function(const struct dataset *dataset, const char *word)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	char **names = memory_take(tree->item_count, sizeof(*names));
	const char *near;
	char *copy;

	for (size_t i = 0; i < tree->item_count; i++)
		names[i] = name_shorten(tree->items[i].function->name);
	near = nearest_of(word, (const char *const *)names, tree->item_count);
	copy = near ? memory_text(near, strlen(near)) : NULL;
	for (size_t i = 0; i < tree->item_count; i++)
		free(names[i]);
	free(names);
	return copy;
}

static int fail_function(const struct check_node *node, const struct dataset *dataset, size_t count,
                         char *error)
{
	char *near;

	if (count > 1) {
		snprintf(error, CHECK_ERROR_MAX,
		         "column %zu: %zu functions are called '%.80s': write its arguments too",
		         node->column, count, node->function);
		return -EINVAL;
	}
	near = nearest_function(dataset, node->function);
	snprintf(error, CHECK_ERROR_MAX,
	         "column %zu: no function '%.80s' in the recorded data%s%.80s%s", node->column,
	         node->function, near ? " (did you mean '" : "", near ? near : "",
	         near ? "'?)" : "");
	free(near);
	return -ENOENT;
}

/* A function that is only in one of the analysis and its base counts as 0 in the other: it may be
 * new, or removed. */
static int is_in(const struct check_side *side, const char *function)
{
	uint32_t *items;
	size_t count;

	if (!side)
		return 0;
	count = name_find(&side->repeats.dataset, &side->analysis->choices, function, &items);
	free(items);
	return count != 0;
}

enum { NO_ITEM = UINT32_MAX };

/* The item of a metric's function, NO_ITEM: it is only in the other experiments. Without a
 * function: that of the total. */
static int find_item(const struct check_node *node, const struct check_side *side,
                     const struct check_side *other, uint32_t *out, char *error)
{
	uint32_t *items;
	size_t count;

	*out = TREE_ROOT;
	if (!node->function)
		return 0;
	count = name_find(&side->repeats.dataset, &side->analysis->choices, node->function, &items);
	*out = count == 1 ? items[0] : NO_ITEM;
	free(items);
	if (count == 1 || (count == 0 && is_in(other, node->function)))
		return 0;
	return fail_function(node, &side->repeats.dataset, count, error);
}

/* ---- values ---- */

/* In ns, bytes or as a count. <Total> has no exclusive values: it stands for everything, as in all
 * tables. */
static double value_in(const struct check_node *node, const struct dataset *dataset, size_t run,
                       uint32_t item)
{
	const struct fold *fold;

	if (item == NO_ITEM)
		return 0;
	if (!node->function)
		return (double)dataset_column_tree(dataset, TREE_FUNCTIONS, run)
		        ->sum.of[node->metric.id];
	fold = dataset_column_fold(dataset, TREE_FUNCTIONS, run);
	return (double)columns_at(node->metric.flavor == METRIC_EXCLUSIVE && item != TREE_ROOT
	                                  ? &fold->own
	                                  : &fold->total,
	                          item, node->metric.id);
}

/* All CPU time, and how often a counter counted, are known exactly. */
static int is_whole(const struct check_node *node, uint32_t item)
{
	return item == TREE_ROOT && node->metric.id != METRIC_USER &&
	       node->metric.id != METRIC_SYSTEM;
}

/* What samples leave open, of the value of all runs. */
static void measure_samples(const struct check_node *node, const struct dataset *dataset,
                            uint32_t item, double value, struct check_measured *out)
{
	unsigned id = node->metric.id;
	const struct sampled sampled = sampled_in(
		dataset, DATASET_ALL, id, dataset_tree(dataset, TREE_FUNCTIONS)->sum.of[id]);
	double effective = interval_effective(sampled.sum, sampled.squares);

	out->single = (struct interval){value, value};
	if (sampled.is_estimate) {
		out->single = (struct interval){-INFINITY, INFINITY};
	} else if (sampled.unit > 0) {
		out->single = interval_units(value, sampled.unit);
		out->samples = value / sampled.unit;
	} else if (effective > 0) {
		out->samples = effective * fmin(1, value / sampled.sum);
		if (!is_whole(node, item))
			out->single = interval_part(value, sampled.sum, effective);
	}
	out->is_timed = metric_unit_of(id) == METRIC_UNIT_SECONDS || sampled.squares > 0;
}

static void measure_item(const struct check_node *node, const struct check_side *side,
                         uint32_t item, struct check_measured *out)
{
	double scale = node->dimension == CHECK_SECONDS ? 1e-9 : 1, sum = 0;
	size_t count = side->repeats.count;

	out->count = count;
	out->runs = memory_take(count, sizeof(*out->runs));
	for (size_t i = 0; i < count; i++) {
		out->runs[i] = value_in(node, &side->repeats.dataset, i, item);
		sum += out->runs[i];
		out->runs[i] *= scale;
	}
	measure_samples(node, &side->repeats.dataset, item, sum, out);
	out->single.low *= scale / (double)count;
	out->single.high *= scale / (double)count;
}

static int measure_metric(struct check_node *node, const struct check_side *side,
                          const struct check_side *other, struct check_measured *out, char *error)
{
	unsigned id = node->metric.id, data = metric_data_of(id);
	uint32_t item;
	int status;

	if (out->count != 0)
		return 0;
	if (!(data & side->analysis->dataset.have) || side->repeats.count == 0) {
		snprintf(error, CHECK_ERROR_MAX, "column %zu: %s: no %s data in %s", node->column,
		         metric_keyword(id), datakind_name(data),
		         side->analysis->dataset.experiments[0].info->path);
		return -ENODATA;
	}
	status = find_item(node, side, other, &item, error);
	if (status == 0)
		measure_item(node, side, item, out);
	return status;
}

int check_measure(struct check_node *node, const struct check_side *const sides[CHECK_ROLES],
                  enum check_role role, char *error)
{
	enum check_role other = role == CHECK_NEW ? CHECK_OLD : CHECK_NEW;
	int status;

	if (!node)
		return 0;
	if (node->op == CHECK_METRIC)
		return measure_metric(node, sides[role], sides[other], &node->measured[role],
		                      error);
	if (node->op == CHECK_BASE && sides[other])
		return check_measure(node->left, sides, other, error);
	if (node->op == CHECK_BASE) {
		snprintf(error, CHECK_ERROR_MAX,
		         "column %zu: base: no base experiment named (base FILE names one)",
		         node->column);
		return -EDOM;
	}
	status = check_measure(node->left, sides, role, error);
	return status == 0 ? check_measure(node->right, sides, role, error) : status;
}
