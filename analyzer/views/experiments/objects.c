/* objects.c: the load objects of the recorded processes. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* The symbols that an object of a process was read from; NULL if none of its addresses were
 * recorded. */
static const struct sym_object *find_symbols(const struct dataset *dataset,
                                             const struct exp_object *object)
{
	for (size_t i = 0; i < symbols_object_count(dataset->symbols); i++) {
		const struct sym_object *at = symbols_object(dataset->symbols, i);

		if (strcmp(at->path, object->path) == 0 &&
		    strcmp(at->build_id, object->build_id) == 0)
			return at;
	}
	return NULL;
}

static void put_state(FILE *out, const struct sym_object *symbols)
{
	if (!symbols) {
		fputs("not in recorded stacks", out);
		return;
	}
	if (symbols->is_kernel) {
		fputs("names of the functions in recorded stacks, no lines", out);
		return;
	}
	if (!symbols->file) {
		fputs(symbols->mismatch ? "another build is there now: no symbols"
		                        : "no file found",
		      out);
		return;
	}
	fputs(symbols->has_symbols ? "symbols" : "no symbols", out);
	fputs(symbols->has_lines ? ", lines" : ", no lines", out);
	fputs(symbols->archived ? ", from the archive" : ", from ", out);
	if (!symbols->archived)
		text_put(out, symbols->file);
}

/* The same for programs. */
static void add_object(const struct dataset *dataset, struct print_table *table,
                       const struct exp_object *object)
{
	const struct sym_object *symbols = find_symbols(dataset, object);

	print_word(table, text_base(object->path));
	print_word(table, object->path);
	print_word(table, object->build_id[0] ? object->build_id : NULL);
	print_word(table, symbols ? symbols->file : NULL);
	print_number(table, symbols != NULL);
	print_number(table, symbols != NULL && symbols->has_symbols);
	print_number(table, symbols != NULL && symbols->has_lines);
	print_number(table, symbols != NULL && symbols->archived);
	print_number(table, symbols != NULL && symbols->mismatch);
}

static struct print_table *begin_objects(void)
{
	struct print_table *table = print_table_begin("objects");

	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_WORD, "path", "Path");
	print_column(table, PRINT_WORD, "build_id", "Build-id");
	print_column(table, PRINT_WORD, "file", "Symbols from");
	print_column(table, PRINT_COUNT, "in_stacks", "In Stacks");
	print_column(table, PRINT_COUNT, "symbols", "Symbols");
	print_column(table, PRINT_COUNT, "lines", "Lines");
	print_column(table, PRINT_COUNT, "archived", "Archived");
	print_column(table, PRINT_COUNT, "mismatch", "Another Build");
	return table;
}

static void put_object(const struct dataset *dataset, struct output *output,
                       const struct exp_object *object)
{
	FILE *out = output->out;

	fputc('<', out);
	text_put(out, text_base(object->path));
	fputs("> (", out);
	text_put(out, object->path);
	fputs(")\n    ", out);
	put_state(out, find_symbols(dataset, object));
	fputs("\n    build-id ", out);
	text_put(out, object->build_id[0] ? object->build_id : "none");
	fputc('\n', out);
}

static int is_same(const struct exp_object *left, const struct exp_object *right)
{
	return strcmp(left->path, right->path) == 0 && strcmp(left->build_id, right->build_id) == 0;
}

void view_objects(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	const struct exp_object **seen = NULL;
	const struct dataset_experiment *at = NULL;
	struct print_table *table;
	size_t count = 0, capacity = 0;

	(void)choices;
	(void)argument;
	/* Building the tree finds out which objects occur, and reads their symbols. */
	dataset_tree(dataset, TREE_FUNCTIONS);
	table = print_is_data(output) ? begin_objects() : NULL;
	while ((at = dataset_next(dataset, at))) {
		const struct exp_object *objects;
		size_t object_count = experiment_objects(at->experiment, &objects);

		for (size_t j = 0; j < object_count; j++) {
			size_t known = 0;

			while (known < count && !is_same(seen[known], &objects[j]))
				known++;
			if (known < count)
				continue;
			seen = memory_grow(seen, count, &capacity, sizeof(*seen));
			seen[count++] = &objects[j];
			if (table)
				add_object(dataset, table, &objects[j]);
			else
				put_object(dataset, output, &objects[j]);
		}
	}
	if (table)
		print_table_end(output, table, 0);
	fputc('\n', output->out);
	free(seen);
}
