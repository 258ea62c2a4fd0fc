/* check.c: the command `check`: evaluates expressions, prints the results, and decides the exit
 * status. */
#include "analyzer/views/view.h"

#include "analyzer/check/check.h"
#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/outfile.h"
#include "analyzer/report/quality.h"

#include <errno.h>
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

/* The value of the checked side in the base, if the base has one. */
static void add_base(struct check_result *result, const struct check_node *left,
                     struct analysis *analysis, struct analysis *base)
{
	char error[CHECK_ERROR_MAX];

	if (!base || !check_has_metric(left) || check_needs_base(left))
		return;
	result->has_base = check_value(left, base, analysis, &result->base, error) == 0;
}

static struct check_result decide(const struct check *check, struct analysis *analysis,
                                  struct analysis *base)
{
	const struct check_node *root = check->root;
	struct check_result result = {.text = memory_text(check->text, strlen(check->text))};
	char error[CHECK_ERROR_MAX];
	enum check_dimension dimension = root->left->dimension != CHECK_PLAIN
	                                         ? root->left->dimension
	                                         : root->right->dimension;

	result.unit = check_unit(dimension);
	if (check_value(root->left, analysis, base, &result.value, error) != 0 ||
	    check_value(root->right, analysis, base, &result.limit, error) != 0) {
		result.trouble = memory_text(error, strlen(error));
		return result;
	}
	result.holds = check_holds(root->op, result.value, result.limit);
	add_base(&result, root->left, analysis, base);
	return result;
}

static const char *verdict(const struct check_result *result)
{
	if (result->trouble)
		return "undecided";
	return result->holds ? "holds" : "FAILED";
}

static void put_results(struct output *output, const struct check_result *results, size_t count)
{
	struct print_table *table = print_table_begin("check");

	print_column(table, PRINT_WORD, "result", "Result");
	print_column(table, PRINT_VALUE, "value", "Value");
	print_column(table, PRINT_VALUE, "limit", "Limit");
	print_column(table, PRINT_VALUE, "base", "Base");
	print_column(table, PRINT_RATIO, "ratio", "Ratio");
	print_column(table, PRINT_WORD, "unit", "Unit");
	print_column(table, PRINT_WORD, "check", "Check");
	for (size_t i = 0; i < count; i++) {
		const struct check_result *at = &results[i];

		print_word(table, verdict(at));
		if (at->trouble) {
			print_none(table);
			print_none(table);
		} else {
			print_real(table, at->value);
			print_real(table, at->limit);
		}
		if (at->has_base)
			print_real(table, at->base);
		else
			print_none(table);
		if (at->has_base && at->base != 0)
			print_real(table, at->value / at->base);
		else
			print_none(table);
		print_word(table, at->unit);
		print_word(table, at->text);
	}
	print_table_end(output, table, 0);
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
static void judge(struct output *output, const struct check_result *results, size_t count)
{
	size_t failed = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i].trouble)
			output_fail(output, EXIT_TROUBLE, "check: %s", results[i].trouble);
		else
			failed += !results[i].holds;
	}
	if (failed != 0)
		output_fail(output, EXIT_CHECK, "%zu of %zu checks failed", failed, count);
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
	for (size_t i = 0; i < list.count; i++) {
		all->at = memory_grow(all->at, all->count, &all->capacity, sizeof(*all->at));
		all->at[all->count++] = decide(&list.at[i], analysis, base);
	}
	quality_put(&analysis->dataset, &analysis->output);
	put_results(&analysis->output, all->at + first, all->count - first);
	if (!print_is_data(&analysis->output))
		fputc('\n', analysis->output.out);
	write_junit(analysis);
	judge(&analysis->output, all->at + first, all->count - first);
	check_list_fini(&list);
}
