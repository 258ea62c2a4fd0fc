/* columns.c: the tables of the session, each made when it is first asked for: of all that is
 * selected, and in a comparison of each group. */
#include "analyzer/data/session.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* True if the group has a selected experiment. */
static int is_seen(const struct session *session, unsigned group)
{
	for (size_t i = 0; i < session->count; i++)
		if (session->experiments[i].group == group && session->experiments[i].is_selected)
			return 1;
	return 0;
}

/* All groups with selected experiments, whether they are compared or not. */
static size_t count_groups(const struct session *session)
{
	size_t count = 0;

	for (unsigned group = 0; group < session->group_count; group++)
		count += is_seen(session, group) != 0;
	return count;
}

static size_t count_parts(const struct session *session)
{
	return session->compare == TREE_COMPARE_OFF || count_groups(session) < 2
	               ? 0
	               : count_groups(session);
}

size_t session_columns(const struct session *session)
{
	size_t parts = count_parts(session);

	return session->focus != SESSION_ALL || parts == 0 ? 1 : parts;
}

unsigned session_column_group(const struct session *session, size_t column)
{
	unsigned group = 0;

	for (; group + 1 < session->group_count; group++)
		if (is_seen(session, group) && column-- == 0)
			break;
	return group;
}

/* The column of the group in focus. */
static size_t focus_column(const struct session *session)
{
	size_t column = 0;

	for (unsigned group = 0; group < session->focus; group++)
		column += is_seen(session, group) != 0;
	return column;
}

static const char *program_of(const struct session *session, unsigned group)
{
	for (size_t i = 0; i < session->count; i++)
		if (session->experiments[i].group == group && session->experiments[i].is_selected)
			return text_base(session->experiments[i].info->object);
	return "";
}

static int has_object(const struct session *session, unsigned group, const char *name)
{
	for (size_t i = 0; i < session->count; i++) {
		const struct exp_object *objects;
		size_t count;

		if (session->experiments[i].group != group)
			continue;
		count = experiment_objects(session->experiments[i].experiment, &objects);
		for (size_t j = 0; j < count; j++)
			if (strcmp(text_base(objects[j].path), name) == 0)
				return 1;
	}
	return 0;
}

/* The program of a group is compared with that of the first under whatever name, unless the first
 * has both. */
static void set_names(struct session *session, size_t parts)
{
	unsigned base = session_column_group(session, 0);
	const char *program = program_of(session, base);

	shown_set_compare(session->shown, parts > 0);
	for (size_t i = 1; i < parts; i++) {
		const char *other = program_of(session, session_column_group(session, i));

		if (program[0] != '\0' && other[0] != '\0' && strcmp(program, other) != 0 &&
		    !has_object(session, base, other))
			shown_set_alias(session->shown, other, program);
	}
}

/* Begin tables: the first of them decides for all. */
static void begin(struct session *session)
{
	for (size_t i = 0; i < TREE_MODES; i++)
		if (session->trees[i])
			return;
	session->columns = count_parts(session);
	set_names(session, session->columns);
}

/* Add the selected experiments of a group, SESSION_ALL: of all. */
static void add_group(struct session *session, struct tree *tree, unsigned group)
{
	const struct tree_view view = {session->mode, session->stand_in, session->shown};

	for (size_t i = 0; i < session->count; i++) {
		const struct session_experiment *at = &session->experiments[i];

		if (!at->is_selected || (group != SESSION_ALL && at->group != group))
			continue;
		if (tree_add_experiment(tree, session->symbols, at->experiment, at->data, &view) <
		    0)
			memory_fail();
	}
}

static struct tree *whole_tree(struct session *session, enum tree_mode mode)
{
	struct tree *tree = session->trees[mode];

	if (tree)
		return tree;
	session_load(session);
	begin(session);
	progress_begin("looking up functions and lines");
	tree = tree_create(mode, symbols_total(session->symbols));
	tree->compare = session->columns > 0 ? session->compare : TREE_COMPARE_OFF;
	for (size_t i = 0; i < session->columns; i++) {
		add_group(session, tree, session_column_group(session, i));
		tree_end_part(tree);
	}
	if (session->columns == 0)
		add_group(session, tree, session->focus);
	tree_finish(tree);
	progress_end();
	session->trees[mode] = tree;
	return tree;
}

/* Number of the table that views see: 0 of the whole, 1 of the first part, ... */
static size_t seen_table(const struct session *session)
{
	return session->focus == SESSION_ALL || count_parts(session) == 0
	               ? 0
	               : focus_column(session) + 1;
}

static size_t column_table(const struct session *session, size_t column)
{
	return session_columns(session) == 1 ? seen_table(session) : column + 1;
}

static const struct tree *find_tree(struct session *session, enum tree_mode mode, size_t table)
{
	struct tree *tree = whole_tree(session, mode);

	return table == 0 ? tree : &tree->parts[table - 1];
}

static const struct fold_row *find_fold(struct session *session, enum tree_mode mode, size_t table)
{
	const struct tree *tree = find_tree(session, mode, table);

	if (!session->folds[mode])
		session->folds[mode] = memory_take(session->columns + 1,
		                                   sizeof(*session->folds[mode]));
	if (!session->folds[mode][table])
		session->folds[mode][table] = fold_items(tree);
	return session->folds[mode][table];
}

static const struct fold_edges *find_edges(struct session *session, size_t table)
{
	const struct tree *tree = find_tree(session, TREE_FUNCTIONS, table);

	if (!session->edges)
		session->edges = memory_take(session->columns + 1, sizeof(*session->edges));
	if (!session->edges[table])
		session->edges[table] = fold_edges_create(tree);
	return session->edges[table];
}

const struct tree *session_tree(struct session *session, enum tree_mode mode)
{
	return find_tree(session, mode, seen_table(session));
}

const struct fold_row *session_fold(struct session *session, enum tree_mode mode)
{
	return find_fold(session, mode, seen_table(session));
}

const struct fold_edges *session_edges(struct session *session)
{
	return find_edges(session, seen_table(session));
}

const struct tree *session_column_tree(struct session *session, enum tree_mode mode, size_t column)
{
	return find_tree(session, mode, column_table(session, column));
}

const struct fold_row *session_column_fold(struct session *session, enum tree_mode mode,
                                           size_t column)
{
	return find_fold(session, mode, column_table(session, column));
}

const struct fold_edges *session_column_edges(struct session *session, size_t column)
{
	return find_edges(session, column_table(session, column));
}
