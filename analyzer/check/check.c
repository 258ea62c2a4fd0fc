/* check.c: the gate: checks expressions, prints what came out, and decides the exit status. */
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
	struct session *base; /* of them, opened when needed; NULL: none */
	char *junit_path;     /* NULL: no report is wanted */
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
		session_fini(state->base);
	free(state->base);
	free(state);
}

/* What the session knows of checks, from the first command on that is about them. */
static struct check_state *check_state(struct session *session)
{
	if (!session->checks) {
		session->checks = memory_take(1, sizeof(*session->checks));
		session->forget_checks = forget;
	}
	return session->checks;
}

/* The experiments to compare with, opened at the first need; NULL if there are none, or after a
 * message. */
static struct session *base_of(struct session *session)
{
	struct session *base = check_state(session)->base;

	if (!base || base->dataset.count != 0)
		return base;
	base->dataset.mode = session->dataset.mode;
	for (size_t i = 0; i < check_state(session)->base_count; i++)
		if (dataset_open(&base->dataset, &base->choices, &base->output,
		                 check_state(session)->base_paths[i]) < 0) {
			output_fail(&session->output, EXIT_TROUBLE,
			            "check: the base %s cannot be read",
			            check_state(session)->base_paths[i]);
			return NULL;
		}
	session_set_defaults(base);
	return base;
}

void view_base(struct session *session, const struct command_argument *argument)
{
	check_state(session)->base_paths = memory_grow(
		check_state(session)->base_paths, check_state(session)->base_count,
		&check_state(session)->base_capacity, sizeof(char *));
	check_state(session)->base_paths[check_state(session)->base_count++] = memory_text(
		argument->text, strlen(argument->text));
	if (!check_state(session)->base) {
		check_state(session)->base = memory_take(1, sizeof(*check_state(session)->base));
		session_init(check_state(session)->base);
	} else if (check_state(session)->base->dataset.count != 0) {
		output_fail(&session->output, EXIT_USAGE,
		            "base: the base experiments were read already");
	}
}

void view_junit(struct session *session, const struct command_argument *argument)
{
	free(check_state(session)->junit_path);
	check_state(session)->junit_path = memory_text(argument->text, strlen(argument->text));
}

/* The base's value of the side that is checked, if that has one. */
static void add_base(struct check_result *result, const struct check_node *left,
                     struct session *session, struct session *base)
{
	char error[CHECK_ERROR_MAX];

	if (!base || !check_has_metric(left) || check_needs_base(left))
		return;
	result->has_base = check_value(left, base, session, &result->base, error) == 0;
}

static struct check_result decide(const struct check *check, struct session *session,
                                  struct session *base)
{
	const struct check_node *root = check->root;
	struct check_result result = {.text = memory_text(check->text, strlen(check->text))};
	char error[CHECK_ERROR_MAX];
	enum check_dimension dimension = root->left->dimension != CHECK_PLAIN
	                                         ? root->left->dimension
	                                         : root->right->dimension;

	result.unit = check_unit(dimension);
	if (check_value(root->left, session, base, &result.value, error) != 0 ||
	    check_value(root->right, session, base, &result.limit, error) != 0) {
		result.trouble = memory_text(error, strlen(error));
		return result;
	}
	result.holds = check_holds(root->op, result.value, result.limit);
	add_base(&result, root->left, session, base);
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

/* All checks of the session so far are one report. */
static void write_junit(struct session *session)
{
	const char *path = check_state(session)->junit_path;
	FILE *out = path ? outfile_open(path) : NULL;

	if (!path)
		return;
	if (!out) {
		output_fail(&session->output, EXIT_TROUBLE, "junit: %s: %s", path, strerror(errno));
		return;
	}
	check_junit(&check_state(session)->results, session->dataset.experiments[0].info->path,
	            out);
	if (outfile_close(out, 1) != 0)
		output_fail(&session->output, EXIT_TROUBLE, "junit: %s: cannot be written", path);
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

void view_check(struct session *session, const struct command_argument *argument)
{
	struct check_results *all = &check_state(session)->results;
	size_t first = all->count;
	struct check_list list;
	struct session *base;
	char error[CHECK_ERROR_MAX];

	if (check_parse(argument->text, &list, error) != 0) {
		output_fail(&session->output, EXIT_USAGE, "check: %s", error);
		return;
	}
	for (size_t i = 0; i < list.count; i++)
		if (!check_state(session)->base && check_needs_base(list.at[i].root)) {
			output_fail(&session->output, EXIT_USAGE,
			            "check: '%s' needs a base (base EXPERIMENT names one)",
			            list.at[i].text);
			check_list_fini(&list);
			return;
		}
	if (check_state(session)->base && filters_are_set(session->dataset.filters)) {
		output_fail(&session->output, EXIT_USAGE,
		            "check: events are chosen by filters, which the base would not have");
		check_list_fini(&list);
		return;
	}
	base = base_of(session);
	if (!base && check_state(session)->base_count != 0) {
		check_list_fini(&list);
		return;
	}
	for (size_t i = 0; i < list.count; i++) {
		all->at = memory_grow(all->at, all->count, &all->capacity, sizeof(*all->at));
		all->at[all->count++] = decide(&list.at[i], session, base);
	}
	quality_put(&session->dataset, &session->output);
	put_results(&session->output, all->at + first, all->count - first);
	if (!print_is_data(&session->output))
		fputc('\n', session->output.out);
	write_junit(session);
	judge(&session->output, all->at + first, all->count - first);
	check_list_fini(&list);
}
