/* compare.c: the columns of a comparison, and the command that chooses it.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/table/compare.h"

#include "analyzer/report/compare_beside.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/views/view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LABEL_MAX = 16 };

/* How commands are run that know of no groups. */
static const struct {
	const char *command;
	int is_beside;
} kinds[] = {
#define EACH(command) {command, 0},
#define BESIDE(command) {command, 1},
#include "analyzer/table/compare.def"
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const char *const modes[] = {
	[TREE_COMPARE_OFF] = "off",
	[TREE_COMPARE_ON] = "on",
	[TREE_COMPARE_DELTA] = "delta",
	[TREE_COMPARE_RATIO] = "ratio",
};
enum { MODES = sizeof(modes) / sizeof(modes[0]) };

/* The name of a column's group without directory and suffix. The caller frees. */
static char *short_name(const struct session *session, size_t column)
{
	const char *base = text_base(session->groups[session_column_group(session, column)].path);
	const char *dot = strrchr(base, '.');

	if (!dot || dot == base || (strcmp(dot, ".er") != 0 && strcmp(dot, ".erg") != 0))
		dot = base + strlen(base);
	return memory_text(base, (size_t)(dot - base));
}

char *compare_label(const struct session *session, size_t column)
{
	char *name = short_name(session, column);
	int is_good = strlen(name) <= LABEL_MAX && name[0] != '\0' && name[0] != '[';

	for (const char *at = name; *at != '\0' && is_good; at++)
		is_good = *at > ' ' && *at < 0x7f;
	for (size_t i = 0; i < session_columns(session) && is_good; i++) {
		char *other = short_name(session, i);

		is_good = i == column || strcmp(name, other) != 0;
		free(other);
	}
	if (is_good)
		return name;
	free(name);
	return memory_format("[%zu]", column + 1);
}

char *compare_title(const struct session *session, size_t column)
{
	char *label = compare_label(session, column);
	char *title;

	if (label[0] != '[')
		return label;
	title = memory_format("%s %s", label,
	                      session->groups[session_column_group(session, column)].path);
	free(label);
	return title;
}

void compare_table(struct session *session, struct table *table, enum tree_mode mode)
{
	size_t count = session_columns(session);

	table->compare = count > 1 ? session->compare : TREE_COMPARE_OFF;
	table->group_count = count;
	table->groups = memory_take(count, sizeof(*table->groups));
	table->next = memory_take(count, sizeof(*table->next));
	for (size_t i = 0; i < count; i++) {
		table->groups[i].sum = session_column_tree(session, mode, i)->total[TREE_ROOT];
		table->groups[i].label = count > 1 ? compare_label(session, i) : NULL;
	}
	table->sum = table->groups[0].sum;
}

const struct tree **compare_trees(struct session *session, enum tree_mode mode)
{
	size_t count = session_columns(session);
	const struct tree **trees = memory_take(count, sizeof(struct tree *));

	for (size_t i = 0; i < count; i++)
		trees[i] = session_column_tree(session, mode, i);
	return trees;
}

const struct fold_row **compare_folds(struct session *session, enum tree_mode mode)
{
	size_t count = session_columns(session);
	const struct fold_row **folds = memory_take(count, sizeof(struct fold_row *));

	for (size_t i = 0; i < count; i++)
		folds[i] = session_column_fold(session, mode, i);
	return folds;
}

const struct fold_edges **compare_edges(struct session *session)
{
	size_t count = session_columns(session);
	const struct fold_edges **edges = memory_take(count, sizeof(struct fold_edges *));

	for (size_t i = 0; i < count; i++)
		edges[i] = session_column_edges(session, i);
	return edges;
}

void compare_focus(struct session *session, size_t column)
{
	session->focus = session_column_group(session, column);
}

void compare_unfocus(struct session *session)
{
	session->focus = SESSION_ALL;
}

/* Its number in kinds[], KINDS if it is not there. */
static size_t find_kind(const struct command *command)
{
	size_t at = 0;

	while (at < KINDS && strcmp(kinds[at].command, command->name) != 0)
		at++;
	return at;
}

static void put_group(struct session *session, size_t column)
{
	const char *path = session->groups[session_column_group(session, column)].path;

	if (print_is_data(session)) {
		print_note(session, "[%zu] %s", column + 1, path);
		return;
	}
	fprintf(session->out, "# compare: [%zu] ", column + 1);
	text_put(session->out, path);
	fputc('\n', session->out);
}

enum tree_compare compare_begin_alone(struct session *session, size_t column)
{
	enum tree_compare compare = session->compare;

	compare_focus(session, column);
	session_forget_tables(session);
	session->compare = TREE_COMPARE_OFF;
	return compare;
}

void compare_end_alone(struct session *session, enum tree_compare compare)
{
	session_forget_tables(session);
	session->compare = compare;
	compare_unfocus(session);
}

void compare_run(struct session *session, const struct command *command,
                 const struct command_argument *argument)
{
	size_t columns = session_columns(session), kind = find_kind(command);

	if (columns == 1 || kind == KINDS) {
		command->run(session, argument);
		return;
	}
	if (kinds[kind].is_beside) {
		compare_beside_command(session, command, argument);
		return;
	}
	for (size_t i = 0; i < columns; i++) {
		enum tree_compare compare;

		put_group(session, i);
		compare = compare_begin_alone(session, i);
		command->run(session, argument);
		compare_end_alone(session, compare);
	}
}

void view_compare(struct session *session, const struct command_argument *argument)
{
	if (!argument->text) {
		view_put_setting(session, "compare", modes[session->compare]);
		return;
	}
	for (size_t i = 0; i < MODES; i++) {
		if (strcasecmp(argument->text, modes[i]) != 0)
			continue;
		session_forget_tables(session);
		session->compare = (enum tree_compare)i;
		if (session->count > 0 && i != TREE_COMPARE_OFF && session_columns(session) == 1)
			session_say(
				session,
				"compare: there is one group only: nothing to compare it with yet");
		return;
	}
	session_fail(session, EXIT_USAGE, "compare: '%s' is not off, on, delta or ratio",
	             argument->text);
}
