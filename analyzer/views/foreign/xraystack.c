/* xraystack.c: the stacks of calls of a foreign log that took most time and were called most
 * often, as llvm-xray stack prints them: a call that no other one ended in just before is the end
 * of a stack. */
#include "analyzer/views/view.h"

#include "experiment/xray/xraylog.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/views/foreign/xraylogs.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 10, NO_NODE = 0, NAME_WIDTH = 60 };

/* A function called along a path. Node 0 is around all; each thread has outermost ones of its own.
 */
struct node {
	uint32_t function, thread;
	uint32_t parent, child, next;    /* child: made last; next: made before */
	uint64_t leaf_count, leaf_sum;   /* of calls that ended a stack, in ticks */
	uint64_t inner_count, inner_sum; /* of the others */
};

struct open_call {
	uint32_t node;
	uint64_t tsc;
};

struct stacks {
	struct node *nodes; /* nodes[count] */
	size_t count, capacity;
};

typedef uint64_t key_function(const struct node *node);

static uint64_t leaf_sum(const struct node *node)
{
	return node->leaf_sum;
}

static uint64_t leaf_count(const struct node *node)
{
	return node->leaf_count;
}

static uint32_t find_child(struct stacks *stacks, uint32_t parent, uint32_t thread,
                           uint32_t function)
{
	uint32_t at = stacks->nodes[parent].child;

	while (at != NO_NODE && (stacks->nodes[at].function != function ||
	                         (parent == 0 && stacks->nodes[at].thread != thread)))
		at = stacks->nodes[at].next;
	if (at != NO_NODE)
		return at;
	stacks->nodes = memory_grow(stacks->nodes, stacks->count, &stacks->capacity,
	                            sizeof(*stacks->nodes));
	at = (uint32_t)stacks->count++;
	stacks->nodes[at] = (struct node){.function = function,
	                                  .thread = thread,
	                                  .parent = parent,
	                                  .next = stacks->nodes[parent].child};
	stacks->nodes[parent].child = at;
	return at;
}

static void count_call(struct node *node, uint64_t ticks, int is_leaf)
{
	*(is_leaf ? &node->leaf_count : &node->inner_count) += 1;
	*(is_leaf ? &node->leaf_sum : &node->inner_sum) += ticks;
}

/* Calls inside of the one that ends have lost their exits, and end with it. Returns how many are
 * left. */
static size_t close_calls(struct stacks *stacks, const struct open_call *open, size_t depth,
                          const struct xraylog_record *record, int is_leaf)
{
	size_t at = depth;

	while (at > 0 && stacks->nodes[open[at - 1].node].function != record->function)
		at--;
	if (at == 0)
		return depth;
	for (size_t i = at - 1; i < depth; i++)
		count_call(&stacks->nodes[open[i].node], record->tsc - open[i].tsc, is_leaf);
	return at - 1;
}

struct finder {
	struct stacks *stacks;
	struct open_call *open;
	size_t depth, capacity;
	uint32_t tid;
	int is_leaf;
};

static int find_stack(void *context, const struct xraylog_record *record)
{
	struct finder *finder = context;

	if (record->tid != finder->tid)
		finder->depth = 0;
	finder->tid = record->tid;
	if (record->kind == XRAYLOG_ENTER || record->kind == XRAYLOG_ENTER_ARGUMENT) {
		uint32_t parent = finder->depth ? finder->open[finder->depth - 1].node : 0;

		finder->open = memory_grow(finder->open, finder->depth, &finder->capacity,
		                           sizeof(*finder->open));
		finder->open[finder->depth++] = (struct open_call){
			find_child(finder->stacks, parent, record->tid, record->function),
			record->tsc};
		finder->is_leaf = 1;
	} else if (record->kind == XRAYLOG_EXIT || record->kind == XRAYLOG_TAIL_EXIT) {
		finder->depth = close_calls(finder->stacks, finder->open, finder->depth, record,
		                            finder->is_leaf);
		finder->is_leaf = 0;
	}
	return 0;
}

static void find_stacks(const struct xraylog *log, struct stacks *stacks)
{
	struct finder finder = {.stacks = stacks};

	xraylogs_each(log, find_stack, &finder);
	free(finder.open);
}

/* ---- text ---- */

static void put_function(FILE *out, const char *name, int width)
{
	char *shown = text_escape(name);

	fprintf(out, "%-*s", width, shown);
	free(shown);
}

static void put_path(FILE *out, const struct xraylogs_source *source, const struct stacks *stacks,
                     uint32_t node)
{
	uint32_t *path = NULL;
	size_t count = 0, capacity = 0;

	for (; node != 0; node = stacks->nodes[node].parent) {
		path = memory_grow(path, count, &capacity, sizeof(*path));
		path[count++] = node;
	}
	fprintf(out, "%-6s%-60s %12s %16s\n", "lvl", "function", "count", "sum");
	for (size_t i = 0; i < count; i++) {
		const struct node *at = &stacks->nodes[path[count - 1 - i]];
		int is_leaf = i == count - 1;
		char number[XRAYLOGS_NUMBER];

		fprintf(out, "#%-5zu", i);
		put_function(out, xraylogs_name(source, at->function, "#", number), NAME_WIDTH);
		fprintf(out, " %12llu %16llu\n",
		        (unsigned long long)(is_leaf ? at->leaf_count : at->inner_count),
		        (unsigned long long)(is_leaf ? at->leaf_sum : at->inner_sum));
	}
	fputc('\n', out);
	free(path);
}

/* Of equal ones, those met last come first. */
static size_t insert(uint32_t *top, size_t count, const struct stacks *stacks, uint32_t node,
                     key_function *key)
{
	size_t at = 0;

	while (at < count && key(&stacks->nodes[top[at]]) > key(&stacks->nodes[node]))
		at++;
	if (at == TOP)
		return count;
	count += count < TOP;
	memmove(top + at + 1, top + at, (count - at - 1) * sizeof(*top));
	top[at] = node;
	return count;
}

/* The node after `node` in a walk that takes what was made last first; 0: there is none. */
static uint32_t next_node(const struct stacks *stacks, uint32_t node)
{
	if (stacks->nodes[node].child != NO_NODE)
		return stacks->nodes[node].child;
	while (node != 0 && stacks->nodes[node].next == NO_NODE)
		node = stacks->nodes[node].parent;
	return stacks->nodes[node].next;
}

static void put_top(FILE *out, const struct xraylogs_source *source, const struct stacks *stacks,
                    const char *heading, const char *label, key_function *key)
{
	uint32_t top[TOP];
	size_t count = 0;

	for (uint32_t node = next_node(stacks, 0); node != 0; node = next_node(stacks, node))
		if (stacks->nodes[node].leaf_count != 0)
			count = insert(top, count, stacks, node, key);
	fprintf(out, "Top %d Stacks by leaf %s:\n\n", TOP, heading);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s: %llu\n", label, (unsigned long long)key(&stacks->nodes[top[i]]));
		put_path(out, source, stacks, top[i]);
	}
	fputc('\n', out);
}

static void put_stacks(FILE *out, const struct xraylogs_source *source)
{
	struct stacks stacks = {.count = 0};
	size_t unique = 0;

	stacks.nodes = memory_grow(NULL, 0, &stacks.capacity, sizeof(*stacks.nodes));
	stacks.nodes[stacks.count++] = (struct node){.function = 0};
	find_stacks(source->log, &stacks);
	for (size_t i = 1; i < stacks.count; i++)
		unique += stacks.nodes[i].leaf_count != 0;
	fprintf(out, "\nUnique Stacks: %zu\n", unique);
	put_top(out, source, &stacks, "sum", "Sum", leaf_sum);
	put_top(out, source, &stacks, "count", "Count", leaf_count);
	free(stacks.nodes);
}

void view_stack(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	(void)choices;
	(void)argument;
	xraylogs_put(dataset, output, "stack", put_stacks);
}
