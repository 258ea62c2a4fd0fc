/* javaheap.c: objects of Java by class, as sampled. */
#include "analyzer/views/events/javaheap.h"
#include "analyzer/views/view.h"

#include "experiment/base/clock.h"
#include "analyzer/base/memory.h"
#include "analyzer/print/print.h"
#include "analyzer/report/stacks.h"
#include "analyzer/statistics/interval.h"

#include <stdlib.h>
#include <string.h>

/* A class of one experiment. */
struct row {
	const struct dataset_experiment *at;
	uint32_t class, node; /* node: of the stack that has allocated most of it */
	uint64_t samples;
	double objects, bytes, most;
	double bytes_variance;
};

static int by_bytes(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->class < b->class ? -1 : a->class > b->class;
}

/* The classes of an experiment, whose allocations are in order of them, are added to rows. */
static struct row *add_classes(const struct dataset_experiment *at, struct row *rows, size_t *count,
                               size_t *capacity)
{
	for (size_t i = 0; i < at->data->java_alloc_count; i++) {
		const struct exp_java_alloc *alloc = &at->data->java_allocs[i];
		struct row *row = *count > 0 ? &rows[*count - 1] : NULL;

		if (!row || row->at != at || row->class != alloc->class_id) {
			rows = memory_grow(rows, *count, capacity, sizeof(*rows));
			row = &rows[(*count)++];
			*row = (struct row){
				.at = at, .class = alloc->class_id, .node = EXP_NO_INDEX};
		}
		row->samples += alloc->samples;
		row->objects += alloc->objects;
		row->bytes += alloc->bytes;
		row->bytes_variance += alloc->bytes_variance;
		if (alloc->bytes > row->most) {
			row->most = alloc->bytes;
			row->node = alloc->node;
		}
	}
	return rows;
}

char *javaheap_class(const struct dataset_experiment *at, uint32_t class)
{
	static const char *const types[] = {
		['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
		['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean"};
	const char *name = experiment_java_class(at->experiment, class);
	size_t dimensions = name ? strspn(name, "[") : 0, size;
	char *title;

	if (!name)
		return memory_text("<Unknown>", strlen("<Unknown>"));
	name += dimensions;
	size = strlen(name);
	if (dimensions > 0 && size == 1 &&
	    (unsigned char)name[0] < sizeof(types) / sizeof(types[0]) &&
	    types[(unsigned char)name[0]])
		size = strlen(name = types[(unsigned char)name[0]]);
	else if (dimensions > 0 && size > 2 && name[0] == 'L')
		name++, size -= 2;
	title = memory_format("%.*s%.*s", (int)size, name,
	                      (int)(2 * (dimensions < 8 ? dimensions : 8)), "[][][][][][][][]");
	for (char *c = title; *c != '\0'; c++)
		if (*c == '/')
			*c = '.';
	return title;
}

static void add_row(const struct dataset *dataset, const struct choices *choices,
                    struct print_table *table, int is_data, const struct row *row)
{
	const struct interval bytes = interval_estimate(row->bytes, row->bytes_variance);
	char *title = javaheap_class(row->at, row->class),
	     *site = stacks_name_place(dataset, choices, row->at, row->node, 1);

	print_number(table, exp_whole(row->bytes));
	if (is_data) {
		print_number(table, exp_whole(bytes.low));
		print_number(table, exp_whole(bytes.high));
	} else {
		print_number(table, exp_whole(interval_reach(bytes, row->bytes)));
	}
	print_number(table, exp_whole(row->objects));
	print_number(table, row->samples);
	print_word(table, title);
	print_word(table, site);
	free(title);
	free(site);
}

void view_javaheap(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	const struct dataset_experiment *at = NULL;
	struct print_table *table = print_table_begin("javaheap");
	struct row *rows = NULL;
	const int is_data = print_is_data(output);
	size_t count = 0, capacity = 0;

	(void)argument;
	while ((at = dataset_next(dataset, at)))
		rows = add_classes(at, rows, &count, &capacity);
	if (count > 1)
		qsort(rows, count, sizeof(*rows), by_bytes);
	print_note(
		output,
		"Bytes and objects are estimated from samples; +- holds the truth in 95 of 100 recordings");
	print_column(table, PRINT_BYTES, "bytes", "Bytes");
	if (is_data) {
		print_column(table, PRINT_BYTES, "bytes.low", "Low end of the interval of 95 %");
		print_column(table, PRINT_BYTES, "bytes.high", "High end of the interval of 95 %");
	} else {
		print_column(table, PRINT_BYTES, "bytes.reach", "+-");
	}
	print_column(table, PRINT_COUNT, "objects", "Objects");
	print_column(table, PRINT_COUNT, "samples", "Samples");
	print_column(table, PRINT_WORD, "class", "Class");
	print_column(table, PRINT_WORD, "site", "Most of it in");
	for (size_t i = 0; i < count; i++)
		add_row(dataset, choices, table, is_data, &rows[i]);
	print_table_end(output, table, choices->limit);
	free(rows);
}
