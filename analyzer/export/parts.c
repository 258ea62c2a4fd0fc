/* parts.c: the walk over what is exported: a tree for each process, or, of the rows of
 * rows.h, for each thread. The stacks of a thread are a tree of addresses of their own, so
 * that many threads cost no more than the stacks that they have.
 * See doc/decisions/33-exports.md. */
#include "analyzer/export/export.h"

#include "experiment/streams/selection.h"
#include "analyzer/export/rows.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	struct export_job *job;
	enum tree_mode mode;
	enum export_split split;
	void (*visit)(struct export_job *job, const struct export_part *part, void *context);
	void *context;
};

/* The stacks of some rows, renumbered. */
struct stacks_of_rows {
	struct exp_data_set set; /* its nodes alone are used */
	uint32_t *number;        /* number[node of the experiment] + 1, 0: not in here */
	uint32_t *nodes;         /* nodes[number] */
	size_t count, capacity;
	uint64_t *pc;
	uint32_t *parent, *generation;
	uint32_t *row; /* row[i] is i: each of them has values */
	uint64_t *value[EXP_METRICS];
	size_t room; /* elements of the arrays above */
};

static void add_experiment(const struct walk *walk, const struct dataset_experiment *at,
                           const struct exp_data_set *set, struct tree *tree)
{
	const struct dataset *dataset = walk->job->dataset;
	const struct tree_view view = {.mode = dataset->mode,
	                               .stand_in = dataset->tables->stand_in,
	                               .shown = dataset->shown};

	tree_add_experiment(tree, dataset->symbols, at->experiment, set, &view);
}

static struct tree *make_tree(const struct walk *walk)
{
	return tree_create(walk->mode, symbols_total(walk->job->dataset->symbols));
}

/* ---- stacks of rows ---- */

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Number the nodes of the rows and their callers, which keep their order: callers come first. */
static void number_nodes(struct stacks_of_rows *stacks, const struct export_rows *rows, size_t from,
                         size_t to)
{
	for (size_t i = 0; i < stacks->count; i++)
		stacks->number[stacks->nodes[i]] = 0;
	stacks->count = 0;
	for (size_t row = from; row < to; row++) {
		uint32_t node = rows->rows[row].node;

		while (node < rows->nodes.count && stacks->number[node] == 0) {
			stacks->nodes = memory_grow(stacks->nodes, stacks->count, &stacks->capacity,
			                            sizeof(*stacks->nodes));
			stacks->nodes[stacks->count++] = node;
			stacks->number[node] = 1;
			node = rows->nodes.parent[node] < node ? rows->nodes.parent[node]
			                                       : EXP_NO_INDEX;
		}
	}
	if (stacks->count > 1)
		qsort(stacks->nodes, stacks->count, sizeof(*stacks->nodes), compare_numbers);
	for (size_t i = 0; i < stacks->count; i++)
		stacks->number[stacks->nodes[i]] = (uint32_t)i + 1;
}

static void make_room(struct stacks_of_rows *stacks, const struct exp_nodes *values)
{
	size_t room = stacks->count > 2 * stacks->room ? stacks->count : 2 * stacks->room;

	if (stacks->count > stacks->room || stacks->room == 0) {
		stacks->room = room > 0 ? room : 1;
		stacks->pc = memory_resize(stacks->pc, stacks->room, sizeof(*stacks->pc));
		stacks->parent = memory_resize(stacks->parent, stacks->room,
		                               sizeof(*stacks->parent));
		stacks->generation = memory_resize(stacks->generation, stacks->room,
		                                   sizeof(*stacks->generation));
		stacks->row = memory_resize(stacks->row, stacks->room, sizeof(*stacks->row));
		for (size_t i = 0; i < stacks->room; i++)
			stacks->row[i] = (uint32_t)i;
		for (size_t i = 0; i < EXP_METRICS; i++)
			if (values->value[i])
				stacks->value[i] = memory_resize(stacks->value[i], stacks->room,
				                                 sizeof(uint64_t));
	}
	for (size_t i = 0; i < EXP_METRICS; i++)
		if (values->value[i])
			memset(stacks->value[i], 0, stacks->count * sizeof(uint64_t));
}

static void copy_nodes(struct stacks_of_rows *stacks, const struct exp_nodes *from)
{
	struct exp_nodes *nodes = &stacks->set.nodes;

	*nodes = (struct exp_nodes){.count = stacks->count,
	                            .pc = stacks->pc,
	                            .parent = stacks->parent,
	                            .generation = stacks->generation,
	                            .row_count = stacks->count,
	                            .row_of = stacks->row,
	                            .node_of = stacks->row};
	for (size_t i = 0; i < stacks->count; i++) {
		uint32_t node = stacks->nodes[i];

		stacks->pc[i] = from->pc[node];
		stacks->generation[i] = from->generation[node];
		stacks->parent[i] = from->parent[node] < node
		                            ? stacks->number[from->parent[node]] - 1
		                            : EXP_NO_INDEX;
		nodes->traced += node < from->traced;
	}
	for (size_t i = 0; i < EXP_METRICS; i++)
		nodes->value[i] = stacks->value[i];
}

/* The stacks of rows from .. to-1 with their values. The longest waits and calls are not sums; they
 * are not needed here. */
static const struct exp_data_set *find_stacks(struct stacks_of_rows *stacks,
                                              const struct export_rows *rows, size_t from,
                                              size_t to)
{
	const struct exp_nodes *values = &rows->set->nodes;

	number_nodes(stacks, rows, from, to);
	make_room(stacks, values);
	copy_nodes(stacks, &rows->nodes);
	for (size_t row = from; row < to; row++) {
		uint32_t node = rows->rows[row].node, at = rows->values[row];
		uint32_t number = node < rows->nodes.count ? stacks->number[node] : 0;

		for (size_t i = 0; i < EXP_METRICS && at < values->row_count; i++) {
			if (!values->value[i])
				continue;
			*(number > 0 ? &stacks->value[i][number - 1]
			             : &stacks->set.nodes.no_stack[i]) += values->value[i][at];
		}
	}
	return &stacks->set;
}

static void fini_stacks(struct stacks_of_rows *stacks)
{
	free(stacks->number);
	free(stacks->nodes);
	free(stacks->pc);
	free(stacks->parent);
	free(stacks->generation);
	free(stacks->row);
	for (size_t i = 0; i < EXP_METRICS; i++)
		free(stacks->value[i]);
}

/* ---- parts ---- */

char *export_name_thread(unsigned number, const struct exp_thread *info)
{
	if (number == 0)
		return memory_text("Thread unknown", 14);
	return memory_format("Thread %u%s%s", number, info->name[0] != '\0' ? ", " : "",
	                     info->name);
}

/* The end of the rows that have the thread of the first. */
static size_t find_end(const struct export_rows *rows, size_t from, size_t to)
{
	size_t end = from;

	while (end < to && rows->rows[end].thread == rows->rows[from].thread)
		end++;
	return end;
}

static void visit_thread(const struct walk *walk, struct export_part part,
                         const struct export_rows *rows, struct stacks_of_rows *stacks, size_t from,
                         size_t to)
{
	const struct exp_data_set *whole = part.at->whole;
	struct tree *tree = make_tree(walk);
	char *name;

	part.thread = rows->rows[from].thread <= whole->thread_count ? rows->rows[from].thread : 0;
	part.info = part.thread != 0 ? &whole->threads[part.thread - 1] : NULL;
	part.thread_name = name = export_name_thread(part.thread, part.info);
	add_experiment(walk, part.at, find_stacks(stacks, rows, from, to), tree);
	tree_finish(tree);
	part.tree = tree;
	walk->visit(walk->job, &part, walk->context);
	free(name);
	tree_destroy(tree);
}

void export_rows_check(const struct export_rows *rows, const struct dataset_experiment *at,
                       struct output *output)
{
	if (rows->has_overflow)
		output_fail(output, EXIT_TROUBLE,
		            "export: %s: too many stacks: only events of the first %d are exported",
		            at->info->path, (int)EXP_ROWS_MAX);
}

static void visit_threads(const struct walk *walk, const struct export_part *part)
{
	const struct dataset *dataset = walk->job->dataset;
	struct output *output = walk->job->output;
	struct stacks_of_rows stacks = {.count = 0};
	struct export_rows rows;

	if (export_rows_read(dataset, part->at, 0, &rows) != 0) {
		output_say(output, "%s: out of memory", part->at->info->path);
		exit(EXIT_TROUBLE);
	}
	export_rows_check(&rows, part->at, output);
	stacks.number = memory_take(rows.nodes.count, sizeof(*stacks.number));
	for (size_t from = 0, to; from < rows.count; from = to) {
		to = find_end(&rows, from, rows.count);
		visit_thread(walk, *part, &rows, &stacks, from, to);
	}
	fini_stacks(&stacks);
	export_rows_fini(&rows);
}

static void visit_process(const struct walk *walk, struct export_part part)
{
	struct tree *tree = make_tree(walk);

	add_experiment(walk, part.at, part.at->data, tree);
	tree_finish(tree);
	part.tree = tree;
	walk->visit(walk->job, &part, walk->context);
	tree_destroy(tree);
}

static void visit_all(const struct walk *walk)
{
	const struct dataset_experiment *at = NULL;
	struct export_part part = {.name = "all", .program = "all"};
	struct tree *tree = make_tree(walk);

	while ((at = dataset_next(walk->job->dataset, at)))
		add_experiment(walk, at, at->data, tree);
	tree_finish(tree);
	part.tree = tree;
	walk->visit(walk->job, &part, walk->context);
	tree_destroy(tree);
}

void export_each(struct export_job *job, enum tree_mode mode, enum export_split split,
                 void (*visit)(struct export_job *job, const struct export_part *part,
                               void *context),
                 void *context)
{
	const struct walk walk = {job, mode, split, visit, context};
	const struct dataset_experiment *at = NULL;

	dataset_load(job->dataset, job->output);
	if (split == EXPORT_ALL) {
		visit_all(&walk);
		return;
	}
	while ((at = dataset_next(job->dataset, at))) {
		const char *program = text_base(at->info->argc > 0 ? at->info->argv[0]
		                                                   : at->info->name);
		char *name = memory_format("%s %lld", program, (long long)at->info->pid);
		const struct export_part part = {.at = at, .name = name, .program = program};

		if (split == EXPORT_PROCESSES)
			visit_process(&walk, part);
		else
			visit_threads(&walk, &part);
		free(name);
	}
}
