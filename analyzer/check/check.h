/* check.h: expressions about totals that a run must satisfy, for continuous integration.
 *
 *   checks   = check { ";" check }
 *   check    = sum ( "<=" | "<" | ">=" | ">" | "==" | "=" | "!=" ) sum
 *   sum      = product { ( "+" | "-" ) product }
 *   product  = factor { ( "*" | "/" ) factor }
 *   factor   = "-" factor | "(" sum ")" | NUMBER [ UNIT ] | METRIC [ "(" FUNCTION ")" ]
 *            | "base" [ "(" sum ")" ]
 *
 * A metric stands for its total, or for its value of a function. `base(X)` is X in the base
 * experiments; `base` alone is the other side of the comparison in the base experiments. Times are
 * in seconds. Both sides must have the same dimension: seconds, bytes, a count, or plain numbers,
 * which fit all of them. */
#ifndef XER_ANALYZER_CHECK_CHECK_H
#define XER_ANALYZER_CHECK_CHECK_H

#include "analyzer/views/analysis.h"
#include "analyzer/model/metric.h"

#include <stddef.h>
#include <stdio.h>

enum check_dimension { CHECK_PLAIN, CHECK_SECONDS, CHECK_BYTES, CHECK_COUNT };

enum check_op {
	CHECK_NUMBER,
	CHECK_METRIC,
	CHECK_BASE, /* left: what to take from the base; NULL until the comparison is known: its
	             * other side */
	CHECK_MINUS,
	CHECK_ADD,
	CHECK_SUBTRACT,
	CHECK_MULTIPLY,
	CHECK_DIVIDE,
	CHECK_LESS_EQUAL,
	CHECK_LESS,
	CHECK_GREATER_EQUAL,
	CHECK_GREATER,
	CHECK_EQUAL,
	CHECK_NOT_EQUAL
};

struct check_node {
	enum check_op op;
	enum check_dimension dimension;
	struct check_node *left,
		*right;       /* owned, but left of a CHECK_BASE that is the other side */
	int is_borrowed;      /* left is */
	double number;        /* of CHECK_NUMBER */
	struct metric metric; /* of CHECK_METRIC */
	char *function;       /* likewise; NULL: the total */
	size_t column;        /* where it stands in the text, from 1 */
};

/* One check: its text, and its root, a comparison. */
struct check {
	char *text;
	struct check_node *root;
};

struct check_list {
	struct check *at; /* at[count] */
	size_t count, capacity;
};

enum { CHECK_ERROR_MAX = 256 };

/* Read `text`. Returns 0; or -EINVAL, with the column and the reason in error[CHECK_ERROR_MAX]. */
int check_parse(const char *text, struct check_list *out, char *error);
void check_list_fini(struct check_list *list);

/* True if a side of a check refers to the base. */
int check_needs_base(const struct check_node *node);

/* True if a metric occurs. */
int check_has_metric(const struct check_node *node);

/* The value of an expression for an analysis and its base (NULL: none), which must be loaded.
 * Returns 0; or -ENOENT (no such function), -ENODATA (no such data), -EINVAL (a name of several
 * functions), -EDOM (division by 0, or no base), with the reason in error[CHECK_ERROR_MAX]. */
int check_value(const struct check_node *node, const struct analysis *analysis,
                const struct analysis *base, double *out, char *error);

/* True if left op right. */
int check_holds(enum check_op op, double left, double right);

/* "s", "bytes", "" */
const char *check_unit(enum check_dimension dimension);

/* The result of a check. */
struct check_result {
	char *text, *trouble; /* trouble: why it could not be decided, else NULL */
	const char *unit;
	double value, limit, base;
	int holds, has_base;
};

struct check_results {
	struct check_result *at; /* at[count] */
	size_t count, capacity;
};

void check_results_fini(struct check_results *results);

/* Write the results as JUnit XML, one test case each; `name` is what was checked. */
void check_junit(const struct check_results *results, const char *name, FILE *out);

/* The paths that the command `base` has named: *out[the result], borrowed. (check.c) */
size_t check_base_paths(const struct analysis *analysis, char *const **out);

#endif
