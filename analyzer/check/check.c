/* check.c: the command `check`: evaluates expressions, prints the results, and decides the exit
 * status. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/check/check.h"
#include "analyzer/data/filters.h"
#include "analyzer/report/quality/quality.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check_state {
	char **base_paths; /* base_paths[base_count]: experiments to check against */
	size_t base_count, base_capacity;
	struct analysis *base; /* of them, opened when needed; NULL: none */
	char *junit_path;      /* NULL: no report is wanted */
	struct check_results results;
};

static void forget(struct check_state *state)
{
	for (size_t i = 0; i < state->base_count; i++)
		free(state->base_paths[i]);
	free(state->base_paths);
	free(state->junit_path);
	check_results_fini(&state->results);
	if (state->base)
		analysis_fini(state->base);
	free(state->base);
	free(state);
}

/* The checks of an analysis; there are none before the first command about them. */
static struct check_state *check_state(struct analysis *analysis)
{
	if (!analysis->checks) {
		analysis->checks = memory_take(1, sizeof(*analysis->checks));
		analysis->forget_checks = forget;
	}
	return analysis->checks;
}

/* The experiments to compare with, opened at the first need; NULL if there are none, or after a
 * message. */
static struct analysis *base_of(struct analysis *analysis)
{
	struct analysis *base = check_state(analysis)->base;

	if (!base || base->dataset.count != 0)
		return base;
	base->dataset.mode = analysis->dataset.mode;
	for (size_t i = 0; i < check_state(analysis)->base_count; i++)
		if (dataset_open(&base->dataset, &base->choices, &base->output,
		                 check_state(analysis)->base_paths[i]) < 0) {
			output_fail(&analysis->output, EXIT_TROUBLE,
			            "check: the base %s cannot be read",
			            check_state(analysis)->base_paths[i]);
			return NULL;
		}
	analysis_set_defaults(base);
	return base;
}

void view_base(struct analysis *analysis, const struct command_argument *argument)
{
	check_state(analysis)->base_paths = memory_grow(
		check_state(analysis)->base_paths, check_state(analysis)->base_count,
		&check_state(analysis)->base_capacity, sizeof(char *));
	check_state(analysis)->base_paths[check_state(analysis)->base_count++] = memory_text(
		argument->text, strlen(argument->text));
	if (!check_state(analysis)->base) {
		check_state(analysis)->base = memory_take(1, sizeof(*check_state(analysis)->base));
		analysis_init(check_state(analysis)->base);
	} else if (check_state(analysis)->base->dataset.count != 0) {
		output_fail(&analysis->output, EXIT_USAGE,
		            "base: the base experiments were read already");
	}
}

size_t check_base_paths(const struct analysis *analysis, char *const **out)
{
	*out = analysis->checks ? analysis->checks->base_paths : NULL;
	return analysis->checks ? analysis->checks->base_count : 0;
}

void view_junit(struct analysis *analysis, const struct command_argument *argument)
{
	free(check_state(analysis)->junit_path);
	check_state(analysis)->junit_path = memory_text(argument->text, strlen(argument->text));
}

void view_strict(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	check_state(analysis)->results.is_strict = 1;
}

/* The value of the checked side in the base, if the base has one. */
static void add_base(struct check_result *result, struct check_node *left,
                     const struct check_side *const sides[CHECK_ROLES])
{
	char error[CHECK_ERROR_MAX];

	if (!sides[CHECK_OLD] || !check_has_metric(left) || check_needs_base(left) ||
	    check_measure(left, sides, CHECK_OLD, error) != 0)
		return;
	result->base = check_value(left, CHECK_OLD, NULL);
	result->has_base = isfinite(result->base);
}

static struct check_result decide(const struct check *check,
                                  const struct check_side *const sides[CHECK_ROLES])
{
	struct check_node *root = check->root;
	struct check_result result = {.text = memory_text(check->text, strlen(check->text))};
	const struct check_node *fault;
	char error[CHECK_ERROR_MAX];

	result.unit = check_unit(root->left->dimension != CHECK_PLAIN ? root->left->dimension
	                                                              : root->right->dimension);
	if (check_measure(root, sides, CHECK_NEW, error) != 0) {
		result.trouble = memory_text(error, strlen(error));
		return result;
	}
	fault = check_fault(root, CHECK_NEW);
	if (fault) {
		result.trouble = memory_format("column %zu: division by 0", fault->column);
		return result;
	}
	result.outcome = check_decide(root);
	add_base(&result, root->left, sides);
	return result;
}

/* Decide the checks of a list, and add their results. */
static void decide_all(struct analysis *analysis, const struct analysis *base,
                       const struct check_list *list)
{
	struct check_results *all = &check_state(analysis)->results;
	struct check_side *new = check_side_begin(analysis), *old = check_side_begin(base);
	const struct check_side *const sides[CHECK_ROLES] = {new, old};

	for (size_t i = 0; i < list->count; i++) {
		all->at = memory_grow(all->at, all->count, &all->capacity, sizeof(*all->at));
		all->at[all->count++] = decide(&list->at[i], sides);
	}
	check_side_end(new);
	check_side_end(old);
}

static void put_value(struct print_table *table, int is_known, double value)
{
	if (is_known && isfinite(value))
		print_real(table, value);
	else
		print_none(table);
}

static void put_count(struct print_table *table, size_t count)
{
	if (count != 0)
		print_number(table, count);
	else
		print_none(table);
}

static void put_result(struct print_table *table, const struct check_result *result)
{
	const struct check_outcome *outcome = &result->outcome;
	const int is_known = outcome->verdict != CHECK_ERROR;

	print_word(table, check_verdict_text(outcome->verdict));
	put_value(table, is_known, outcome->value);
	put_value(table, is_known, outcome->low);
	put_value(table, is_known, outcome->high);
	put_value(table, is_known, outcome->limit);
	put_value(table, result->has_base, result->base);
	put_value(table, result->has_base && result->base != 0, outcome->value / result->base);
	print_word(table, result->unit);
	put_count(table, outcome->runs[CHECK_NEW]);
	put_count(table, outcome->runs[CHECK_OLD]);
	put_count(table, (size_t)rint(outcome->samples));
	print_word(table, result->text);
}

static void put_results(struct output *output, const struct check_result *results, size_t count)
{
	struct print_table *table = print_table_begin("check");

	print_column(table, PRINT_WORD, "result", "Result");
	print_column(table, PRINT_VALUE, "value", "Value");
	print_column(table, PRINT_VALUE, "low", "from");
	print_column(table, PRINT_VALUE, "high", "to");
	print_column(table, PRINT_VALUE, "limit", "Limit");
	print_column(table, PRINT_VALUE, "base", "Base");
	print_column(table, PRINT_RATIO, "ratio", "Ratio");
	print_column(table, PRINT_WORD, "unit", "Unit");
	print_column(table, PRINT_COUNT, "runs", "Runs");
	print_column(table, PRINT_COUNT, "base_runs", "of base");
	print_column(table, PRINT_COUNT, "samples", "Samples");
	print_column(table, PRINT_WORD, "check", "Check");
	for (size_t i = 0; i < count; i++)
		put_result(table, &results[i]);
	print_table_end(output, table, 0);
}

/* Why a check is undecided is told where the table is read. */
static void put_reasons(struct output *output, const struct check_result *results, size_t count)
{
	char text[CHECK_ERROR_MAX];

	for (size_t i = 0; i < count; i++)
		if (results[i].outcome.verdict == CHECK_FAILED ||
		    results[i].outcome.verdict == CHECK_UNDECIDED)
			print_note(output, "%s: %s: %s",
			           check_verdict_text(results[i].outcome.verdict), results[i].text,
			           check_explain(&results[i], text));
}

/* All checks of the analysis so far are one report. */
static void write_junit(struct analysis *analysis)
{
	const char *path = check_state(analysis)->junit_path;
	FILE *out = path ? outfile_open(path) : NULL;

	if (!path)
		return;
	if (!out) {
		output_fail(&analysis->output, EXIT_TROUBLE, "junit: %s: %s", path,
		            strerror(errno));
		return;
	}
	check_junit(&check_state(analysis)->results, analysis->dataset.experiments[0].info->path,
	            out);
	if (outfile_close(out, 1) != 0)
		output_fail(&analysis->output, EXIT_TROUBLE, "junit: %s: cannot be written", path);
}

/* Say what failed, which also sets the exit status. */
static void judge(struct output *output, const struct check_results *results, size_t first)
{
	const size_t count = results->count - first;
	size_t of[CHECK_FAILED + 1] = {0};

	for (size_t i = first; i < results->count; i++) {
		of[results->at[i].outcome.verdict]++;
		if (results->at[i].trouble)
			output_fail(output, EXIT_TROUBLE, "check: %s", results->at[i].trouble);
	}
	if (of[CHECK_FAILED] != 0)
		output_fail(output, EXIT_CHECK, "%zu of %zu checks failed", of[CHECK_FAILED],
		            count);
	if (of[CHECK_UNDECIDED] != 0 && results->is_strict)
		output_fail(output, EXIT_UNDECIDED, "%zu of %zu checks are undecided",
		            of[CHECK_UNDECIDED], count);
}

void view_check(struct analysis *analysis, const struct command_argument *argument)
{
	struct check_results *all = &check_state(analysis)->results;
	size_t first = all->count;
	struct check_list list;
	struct analysis *base;
	char error[CHECK_ERROR_MAX];

	if (check_parse(argument->text, &list, error) != 0) {
		output_fail(&analysis->output, EXIT_USAGE, "check: %s", error);
		return;
	}
	for (size_t i = 0; i < list.count; i++)
		if (!check_state(analysis)->base && check_needs_base(list.at[i].root)) {
			output_fail(&analysis->output, EXIT_USAGE,
			            "check: '%s' needs a base (base EXPERIMENT names one)",
			            list.at[i].text);
			check_list_fini(&list);
			return;
		}
	if (check_state(analysis)->base && filters_are_set(analysis->dataset.filters)) {
		output_fail(&analysis->output, EXIT_USAGE,
		            "check: events are chosen by filters, which the base would not have");
		check_list_fini(&list);
		return;
	}
	base = base_of(analysis);
	if (!base && check_state(analysis)->base_count != 0) {
		check_list_fini(&list);
		return;
	}
	decide_all(analysis, base, &list);
	quality_put(&analysis->dataset, &analysis->output);
	put_results(&analysis->output, all->at + first, all->count - first);
	put_reasons(&analysis->output, all->at + first, all->count - first);
	if (!print_is_data(&analysis->output))
		fputc('\n', analysis->output.out);
	write_junit(analysis);
	judge(&analysis->output, all, first);
	check_list_fini(&list);
}
