/* value.c: what the expressions of checks are worth, as it was measured or in a trial. */
#include "analyzer/check/check.h"

#include <math.h>
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

static enum check_role other_of(enum check_role role)
{
	return role == CHECK_NEW ? CHECK_OLD : CHECK_NEW;
}

static double mean_without(const struct check_measured *measured, size_t run)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < measured->count; i++) {
		if (i == run)
			continue;
		sum += measured->runs[i];
		count++;
	}
	return count != 0 ? sum / (double)count : 0;
}

static double metric_value(const struct check_measured *measured, enum check_role role,
                           const struct check_trial *trial)
{
	if (!trial || trial->role != role)
		return mean_without(measured, CHECK_ALL_RUNS);
	if (trial->moved == measured)
		return trial->to;
	return mean_without(measured, trial->without) * (measured->is_timed ? trial->factor : 1);
}

static double two_values(const struct check_node *node, enum check_role role,
                         const struct check_trial *trial)
{
	double left = check_value(node->left, role, trial),
	       right = check_value(node->right, role, trial);

	switch (node->op) {
	case CHECK_ADD:
		return left + right;
	case CHECK_SUBTRACT:
		return left - right;
	case CHECK_MULTIPLY:
		return left * right;
	case CHECK_DIVIDE:
		return left / right;
	default:
		return check_holds(node->op, left, right);
	}
}

double check_value(const struct check_node *node, enum check_role role,
                   const struct check_trial *trial)
{
	switch (node->op) {
	case CHECK_NUMBER:
		return node->number;
	case CHECK_METRIC:
		return metric_value(&node->measured[role], role, trial);
	case CHECK_BASE:
		return check_value(node->left, other_of(role), trial);
	case CHECK_MINUS:
		return -check_value(node->left, role, trial);
	default:
		return two_values(node, role, trial);
	}
}

const struct check_node *check_fault(const struct check_node *node, enum check_role role)
{
	const struct check_node *fault;

	if (!node)
		return NULL;
	if (node->op == CHECK_BASE)
		role = other_of(role);
	fault = check_fault(node->left, role);
	if (!fault)
		fault = check_fault(node->right, role);
	if (!fault && node->op == CHECK_DIVIDE && check_value(node->right, role, NULL) == 0)
		fault = node;
	return fault;
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
