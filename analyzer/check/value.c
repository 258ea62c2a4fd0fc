/* value.c: what the expressions of checks are worth in an analysis. */
#include "analyzer/check/check.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/names.h"
#include "analyzer/model/name.h"
#include "format/nearest.h"
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int check_needs_base(const struct check_node *node)
{
	if (!node)
		return 0;
	return node->op == CHECK_BASE || check_needs_base(node->left) ||
	       check_needs_base(node->right);
}

int check_has_metric(const struct check_node *node)
{
	if (!node)
		return 0;
	return node->op == CHECK_METRIC || check_has_metric(node->left) ||
	       check_has_metric(node->right);
}

const char *check_unit(enum check_dimension dimension)
{
	static const char *const units[] = {"", "s", "bytes", "count"};

	return units[dimension];
}

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
static int is_in(const struct analysis *analysis, const char *function)
{
	uint32_t *items;
	size_t count;

	if (!analysis)
		return 0;
	count = name_find(&analysis->dataset, &analysis->choices, function, &items);
	free(items);
	return count != 0;
}

static int function_value(const struct check_node *node, const struct analysis *analysis,
                          const struct analysis *other, uint64_t *out, char *error)
{
	const struct fold *fold = dataset_fold(&analysis->dataset, TREE_FUNCTIONS);
	uint32_t *items;
	size_t count = name_find(&analysis->dataset, &analysis->choices, node->function, &items);
	uint32_t item = count == 1 ? items[0] : 0;

	free(items);
	if (count == 0 && is_in(other, node->function)) {
		*out = 0;
		return 0;
	}
	if (count != 1)
		return fail_function(node, &analysis->dataset, count, error);
	/* <Total> has no exclusive values: it stands for everything, as in all tables. */
	if (node->metric.flavor == METRIC_EXCLUSIVE && item != 0)
		*out = columns_at(&fold->own, item, node->metric.id);
	else
		*out = columns_at(&fold->total, item, node->metric.id);
	return 0;
}

static int metric_value(const struct check_node *node, const struct analysis *analysis,
                        const struct analysis *other, double *out, char *error)
{
	unsigned id = node->metric.id, data = metric_data_of(id);
	uint64_t value;
	int status = 0;

	if (!(data & analysis->dataset.have)) {
		snprintf(error, CHECK_ERROR_MAX, "column %zu: %s: no %s data in %s", node->column,
		         metric_keyword(id), datakind_name(data),
		         analysis->dataset.experiments[0].info->path);
		return -ENODATA;
	}
	value = dataset_tree(&analysis->dataset, TREE_FUNCTIONS)->sum.of[id];
	if (node->function)
		status = function_value(node, analysis, other, &value, error);
	if (status == 0)
		*out = node->dimension == CHECK_SECONDS ? (double)value / 1e9 : (double)value;
	return status;
}

static int base_value(const struct check_node *node, const struct analysis *analysis,
                      const struct analysis *base, double *out, char *error)
{
	if (base)
		return check_value(node->left, base, analysis, out, error);
	snprintf(error, CHECK_ERROR_MAX,
	         "column %zu: base: no base experiment named (base FILE names one)", node->column);
	return -EDOM;
}

static int two_values(const struct check_node *node, const struct analysis *analysis,
                      const struct analysis *base, double *out, char *error)
{
	double left, right;
	int status = check_value(node->left, analysis, base, &left, error);

	if (status == 0)
		status = check_value(node->right, analysis, base, &right, error);
	if (status != 0)
		return status;
	if (node->op == CHECK_DIVIDE && right == 0) {
		snprintf(error, CHECK_ERROR_MAX, "column %zu: division by 0", node->column);
		return -EDOM;
	}
	switch (node->op) {
	case CHECK_ADD:
		*out = left + right;
		break;
	case CHECK_SUBTRACT:
		*out = left - right;
		break;
	case CHECK_MULTIPLY:
		*out = left * right;
		break;
	case CHECK_DIVIDE:
		*out = left / right;
		break;
	default:
		*out = check_holds(node->op, left, right);
		break;
	}
	return 0;
}

int check_value(const struct check_node *node, const struct analysis *analysis,
                const struct analysis *base, double *out, char *error)
{
	int status;

	switch (node->op) {
	case CHECK_NUMBER:
		*out = node->number;
		return 0;
	case CHECK_METRIC:
		return metric_value(node, analysis, base, out, error);
	case CHECK_BASE:
		return base_value(node, analysis, base, out, error);
	case CHECK_MINUS:
		status = check_value(node->left, analysis, base, out, error);
		if (status == 0)
			*out = -*out;
		return status;
	default:
		return two_values(node, analysis, base, out, error);
	}
}

/* Values that differ by less than rounding are equal: 1.1 * 3 is 3.3. */
static int is_equal(double left, double right)
{
	double size = fabs(left) > fabs(right) ? fabs(left) : fabs(right);

	return fabs(left - right) <= size * 1e-12;
}

int check_holds(enum check_op op, double left, double right)
{
	switch (op) {
	case CHECK_LESS_EQUAL:
		return left < right || is_equal(left, right);
	case CHECK_LESS:
		return left < right && !is_equal(left, right);
	case CHECK_GREATER_EQUAL:
		return left > right || is_equal(left, right);
	case CHECK_GREATER:
		return left > right && !is_equal(left, right);
	case CHECK_EQUAL:
		return is_equal(left, right);
	case CHECK_NOT_EQUAL:
		return !is_equal(left, right);
	default:
		return 0;
	}
}
