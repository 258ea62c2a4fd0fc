/* compare.c: the columns of a comparison.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/table/compare.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 16 };

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
