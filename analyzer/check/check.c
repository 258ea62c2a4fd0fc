/* check.c: the gate: checks expressions, prints what came out, and decides the exit status. */
#include "analyzer/views/view.h"

#include "analyzer/check/check.h"
#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/output.h"
#include "analyzer/report/quality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The experiments to compare with, opened at the first need; NULL if there are none, or after a
 * message. */
static struct session *base_of(struct session *session)
{
	struct session *base = session->base;

	if (!base || base->count != 0)
		return base;
	base->mode = session->mode;
	for (size_t i = 0; i < session->base_count; i++)
		if (session_open(base, session->base_paths[i]) < 0) {
			session_fail(session, EXIT_TROUBLE, "check: the base %s cannot be read",
			             session->base_paths[i]);
			return NULL;
		}
	session_set_defaults(base);
	return base;
}

void view_base(struct session *session, const struct command_argument *argument)
{
	session->base_paths = memory_grow(session->base_paths, session->base_count,
	                                  &session->base_capacity, sizeof(char *));
	session->base_paths[session->base_count++] = memory_text(argument->text,
	                                                         strlen(argument->text));
	if (!session->base) {
		session->base = memory_take(1, sizeof(*session->base));
		session_init(session->base);
	} else if (session->base->count != 0) {
		session_fail(session, EXIT_USAGE, "base: the base experiments were read already");
	}
}

void view_junit(struct session *session, const struct command_argument *argument)
{
	free(session->junit_path);
	session->junit_path = memory_text(argument->text, strlen(argument->text));
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

static void put_results(struct session *session, const struct check_result *results, size_t count)
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
	print_table_end(session, table, 0);
}

/* All checks of the session so far are one report. */
static void write_junit(struct session *session)
{
	const char *path = session->junit_path;
	FILE *out = path ? output_open(path) : NULL;

	if (!path)
		return;
	if (!out) {
		session_fail(session, EXIT_TROUBLE, "junit: %s: %s", path, strerror(errno));
		return;
	}
	check_junit(&session->results, session->experiments[0].info->path, out);
	if (output_close(out, 1) != 0)
		session_fail(session, EXIT_TROUBLE, "junit: %s: cannot be written", path);
}

/* Say what failed, which also sets the exit status. */
static void judge(struct session *session, const struct check_result *results, size_t count)
{
	size_t failed = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i].trouble)
			session_fail(session, EXIT_TROUBLE, "check: %s", results[i].trouble);
		else
			failed += !results[i].holds;
	}
	if (failed != 0)
		session_fail(session, EXIT_CHECK, "%zu of %zu checks failed", failed, count);
}

void view_check(struct session *session, const struct command_argument *argument)
{
	struct check_results *all = &session->results;
	size_t first = all->count;
	struct check_list list;
	struct session *base;
	char error[CHECK_ERROR_MAX];

	if (check_parse(argument->text, &list, error) != 0) {
		session_fail(session, EXIT_USAGE, "check: %s", error);
		return;
	}
	for (size_t i = 0; i < list.count; i++)
		if (!session->base && check_needs_base(list.at[i].root)) {
			session_fail(session, EXIT_USAGE,
			             "check: '%s' needs a base (base EXPERIMENT names one)",
			             list.at[i].text);
			check_list_fini(&list);
			return;
		}
	if (session->base && filters_are_set(session->filters)) {
		session_fail(session, EXIT_USAGE,
		             "check: events are chosen by filters, which the base would not have");
		check_list_fini(&list);
		return;
	}
	base = base_of(session);
	if (!base && session->base_count != 0) {
		check_list_fini(&list);
		return;
	}
	for (size_t i = 0; i < list.count; i++) {
		all->at = memory_grow(all->at, all->count, &all->capacity, sizeof(*all->at));
		all->at[all->count++] = decide(&list.at[i], session, base);
	}
	quality_put(session);
	put_results(session, all->at + first, all->count - first);
	if (!print_is_data(session))
		fputc('\n', session->out);
	write_junit(session);
	judge(session, all->at + first, all->count - first);
	check_list_fini(&list);
}
