/* data_stacks.c: lists of call stacks as tables. */
#include "analyzer/report/data.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* The frames of a stack, a line each. The caller frees. */
static char *list_frames(const struct choices *choices, const struct tree *tree, uint32_t node)
{
	char *text = NULL;
	size_t size;
	FILE *out = memory_stream(&text, &size);

	for (; node != TREE_ROOT; node = tree->nodes[node].parent) {
		char *name = name_item(choices, TREE_FRAMES, &tree->items[tree->nodes[node].item]);

		text_put(out, name);
		fputc('\n', out);
		free(name);
	}
	memory_stream_end(out, &text);
	return text;
}

static enum print_type type_of(unsigned id)
{
	if (metric_unit_of(id) == METRIC_UNIT_SECONDS)
		return PRINT_NS;
	return metric_unit_of(id) == METRIC_UNIT_BYTES ? PRINT_BYTES : PRINT_COUNT;
}

static void add_columns(struct print_table *table, const struct stacks_kind *kind, int with_group)
{
	char heading[METRIC_ERROR_MAX];

	print_column(table, PRINT_ID, "number", "Stack");
	if (with_group)
		print_column(table, PRINT_ID, "group", "Group");
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const struct metric metric = {.id = (uint8_t)id};

		if (metric_data_of(id) & kind->data)
			print_column(table, type_of(id), metric_keyword(id),
			             metric_describe(&metric, heading));
	}
	if (kind->data & EXP_DATA_SYNC)
		print_column(table, PRINT_NS, "longest", "Longest Wait");
	if (kind->data & EXP_DATA_IO)
		print_column(table, PRINT_NS, "longest", "Longest Call");
	print_column(table, PRINT_LIST, "stack", "Call Stack");
}

/* The group is counted from 1; 0: there is none. */
static void add_row(struct print_table *table, const struct stacks_kind *kind,
                    const struct tree *values, uint32_t node, size_t number, size_t group,
                    const char *frames)
{
	print_number(table, number);
	if (group != 0)
		print_number(table, group);
	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) & kind->data)
			print_number(table, tree_own(values, node, id));
	if (kind->data & EXP_DATA_SYNC)
		print_number(table, tree_longest_of(values, node).sync);
	if (kind->data & EXP_DATA_IO)
		print_number(table, tree_longest_of(values, node).io);
	print_word(table, frames);
}

void data_stacks(const struct choices *choices, struct output *output, const struct tree *tree,
                 const struct stacks_kind *kind, const uint32_t *stacks, size_t count)
{
	struct print_table *table = print_table_begin(kind->name);

	add_columns(table, kind, tree->part_count > 0);
	for (size_t i = 0; i < count; i++) {
		char *frames = list_frames(choices, tree, stacks[i]);

		if (tree->part_count == 0)
			add_row(table, kind, tree, stacks[i], i + 1, 0, frames);
		for (size_t part = 0; part < tree->part_count; part++)
			add_row(table, kind, &tree->parts[part], stacks[i], i + 1, part + 1,
			        frames);
		free(frames);
	}
	print_table_end(output, table, 0);
}
