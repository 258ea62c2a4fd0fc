/* folded.c: a line a call stack, outermost first, joined by `;`, and its value: what flame
 * graph scripts, speedscope and others read. The metric is the one that tables are sorted by; times
 * are in ns. The program is the first frame, with the id of its process if that is wanted, its
 * thread the second if that is wanted: so the stacks of two runs compare. */
#include "analyzer/export/export.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Names of the functions of a tree, made once. */
static char **name_items(const struct choices *choices, const struct tree *tree)
{
	char **names = memory_take(tree->item_count, sizeof(*names));

	for (size_t i = 0; i < tree->item_count; i++) {
		names[i] = name_function(choices, tree->items[i].function);
		for (char *at = names[i]; (at = strchr(at, ';')); at++)
			*at = ':';
	}
	return names;
}

/* Programs and threads have any bytes in their names. */
static void put_frame(FILE *out, const char *name)
{
	char *copy = memory_text(name, strlen(name));

	for (char *at = copy; (at = strchr(at, ';')); at++)
		*at = ':';
	text_put(out, copy);
	free(copy);
}

static void put_line(struct export_job *job, const struct export_part *part, char *const *names,
                     uint32_t node, uint32_t *path)
{
	const struct tree *tree = part->tree;
	size_t depth = 0;

	for (uint32_t at = node; at != TREE_ROOT; at = tree->nodes[at].parent)
		path[depth++] = tree->nodes[at].item;
	put_frame(job->out, job->choices->folded_by_pid ? part->name : part->program);
	if (part->thread_name) {
		fputc(';', job->out);
		put_frame(job->out, part->thread_name);
	}
	while (depth > 0) {
		fputc(';', job->out);
		text_put(job->out, names[path[--depth]]);
	}
	fprintf(job->out, " %llu\n", (unsigned long long)tree_own(tree, node, job->metric));
}

static size_t deepest(const struct tree *tree)
{
	size_t depth = 0, most = 0;

	for (uint32_t node = TREE_ROOT; node != TREE_NONE; node = tree_next(tree, node, &depth))
		if (depth > most)
			most = depth;
	return most;
}

static void put_part(struct export_job *job, const struct export_part *part, void *context)
{
	const struct tree *tree = part->tree;
	char **names = name_items(job->choices, tree);
	uint32_t *path = memory_take(deepest(tree) + 1, sizeof(*path));
	size_t depth = 0;

	(void)context;
	for (uint32_t node = TREE_ROOT; node != TREE_NONE; node = tree_next(tree, node, &depth))
		if (tree_own(tree, node, job->metric) != 0)
			put_line(job, part, names, node, path);
	free(path);
	for (size_t i = 0; i < tree->item_count; i++)
		free(names[i]);
	free(names);
}

void export_folded(struct export_job *job)
{
	export_each(job, TREE_FUNCTIONS, EXPORT_PROCESSES, put_part, NULL);
}

void export_folded_threads(struct export_job *job)
{
	export_each(job, TREE_FUNCTIONS, EXPORT_THREADS, put_part, NULL);
}
