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
 * which fit all of them.
 *
 * A check is read (check_parse), what its metrics were in the runs is looked up (check_measure),
 * and then it is decided (check_decide): it holds, fails, or is undecided because chance may have
 * made the difference. See doc/decisions/104-gates.md. */
#ifndef XER_ANALYZER_CHECK_CHECK_H
#define XER_ANALYZER_CHECK_CHECK_H

#include "analyzer/views/analysis.h"
#include "analyzer/model/metric.h"
#include "analyzer/statistics/interval.h"

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

/* What a metric was, in the unit of its dimension, in the runs of one side of a comparison. */
struct check_measured {
	double *runs;           /* runs[count]; owned */
	size_t count;           /* 0: not looked up */
	struct interval single; /* of a single run: where its samples leave the value; both ends are
	                         * the value if that is exact */
	double samples; /* that all runs together stand on, of equal weight; 0: not sampled */
	int is_timed;   /* runs of the same program differ in it, also where each run is exact */
};

/* What is checked, and what it is compared with. */
enum check_role { CHECK_NEW, CHECK_OLD, CHECK_ROLES };

struct check_node {
	enum check_op op;
	enum check_dimension dimension;
	struct check_node *left,
		*right;       /* owned, but left of a CHECK_BASE that is the other side */
	int is_borrowed;      /* left is */
	double number;        /* of CHECK_NUMBER */
	struct metric metric; /* of CHECK_METRIC */
	char *function;       /* likewise; NULL: the total */
	struct check_measured measured[CHECK_ROLES]; /* likewise */
	size_t column;                               /* where it stands in the text, from 1 */
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

/* The experiments of one role, by run. */
struct check_side;

/* Look at an analysis by run; its tables are used until check_side_end. NULL for NULL. */
struct check_side *check_side_begin(const struct analysis *analysis);
void check_side_end(struct check_side *side);

/* The number of its runs; 0 for NULL. */
size_t check_side_runs(const struct check_side *side);

/* Look up the metrics of an expression that stands for `role`, and of what base() in it names.
 * Returns 0; or -ENOENT (no such function), -ENODATA (no such data), -EINVAL (a name of several
 * functions), -EDOM (no base), with the reason in error[CHECK_ERROR_MAX]. (measure.c) */
int check_measure(struct check_node *node, const struct check_side *const sides[CHECK_ROLES],
                  enum check_role role, char *error);

/* With what an expression is computed instead of what was measured: to see what that changes. */
struct check_trial {
	enum check_role role;
	size_t without; /* the run of that role that is left out; CHECK_ALL_RUNS */
	double factor;  /* times that runs of the role differ in are multiplied */
	const struct check_measured *moved; /* has the value `to`; NULL: none has */
	double to;
};

enum { CHECK_ALL_RUNS = SIZE_MAX };

/* The value of an expression whose metrics were looked up, for a role; the mean of the runs. It may
 * be no finite number, after a division by 0. trial: NULL, as it was measured. */
double check_value(const struct check_node *node, enum check_role role,
                   const struct check_trial *trial);

/* The division by 0 in an expression, as it was measured; NULL: there is none. */
const struct check_node *check_fault(const struct check_node *node, enum check_role role);

/* True if left op right. */
int check_holds(enum check_op op, double left, double right);

/* "s", "bytes", "count", "" */
const char *check_unit(enum check_dimension dimension);

enum check_verdict { CHECK_ERROR, CHECK_HOLDS, CHECK_UNDECIDED, CHECK_FAILED };

/* "holds", "FAILED", "undecided", "error" */
const char *check_verdict_text(enum check_verdict verdict);

/* What is known of a check. The difference of its sides is sure to 95 %: low and high are its
 * interval, moved to the value. A check is undecided if its limit is between them. */
struct check_outcome {
	enum check_verdict verdict;
	double value, limit, low, high;
	size_t runs[CHECK_ROLES]; /* that its metrics were looked up in; 0: none were */
	double samples;           /* of the metric with the fewest; 0: nothing is sampled */
	int is_guess; /* how runs differ was not measured, since each role has one run */
};

/* Decide a check whose metrics were looked up. (decide.c) */
struct check_outcome check_decide(const struct check_node *root);

/* About how many runs of each role would decide a check that several runs left undecided; 0: not
 * even many would. */
size_t check_runs_needed(const struct check_outcome *outcome);

/* The result of a check. */
struct check_result {
	char *text, *trouble; /* trouble: why it could not be evaluated, else NULL */
	const char *unit;
	struct check_outcome outcome;
	double base;
	int has_base;
};

struct check_results {
	struct check_result *at; /* at[count] */
	size_t count, capacity;
	int is_strict; /* undecided checks count as failures */
};

void check_results_fini(struct check_results *results);

/* What is to be said of a result that is not "holds": "0.52 s is above the limit 0.50 s", and why;
 * in text[CHECK_ERROR_MAX]. Returns text. (explain.c) */
char *check_explain(const struct check_result *result, char *text);

/* Write the results as JUnit XML, one test case each; `name` is what was checked. */
void check_junit(const struct check_results *results, const char *name, FILE *out);

/* The paths that the command `base` has named: *out[the result], borrowed. (check.c) */
size_t check_base_paths(const struct analysis *analysis, char *const **out);

#endif
