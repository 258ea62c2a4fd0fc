/* place.c: finds functions and source files by name, among those that the recorded stacks have. */
#include "analyzer/code/place.h"

#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"
#include "analyzer/report/pick.h"
#include "analyzer/data/names.h"
#include "analyzer/code/sourcefile.h"
#include "analyzer/base/text.h"
#include "format/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_file(struct place **files, size_t *count, size_t *capacity, const char *file,
                     const struct sym_object *object)
{
	for (size_t i = 0; i < *count; i++)
		if (source_is_same((*files)[i].file, file))
			return;
	*files = memory_grow(*files, *count, capacity, sizeof(**files));
	(*files)[(*count)++] = (struct place){.file = file, .object = object};
}

/* The source files that are called `name`. Returns their number. */
static size_t find_files(const struct dataset *dataset, const char *name, struct place **out)
{
	const struct tree *tree = dataset_tree(dataset, TREE_LINES);
	const char *last = NULL;
	size_t count = 0, capacity = 0;

	*out = NULL;
	for (size_t i = 0; i < tree->item_count; i++) {
		const struct sym_frame *item = &tree->items[i];

		if (item->file && item->file != last && source_is_called(item->file, name))
			add_file(out, &count, &capacity, item->file, item->function->object);
		last = item->file;
		if (item->function->file && item->function->file != item->file &&
		    source_is_called(item->function->file, name))
			add_file(out, &count, &capacity, item->function->file,
			         item->function->object);
	}
	return count;
}

/* The nearest name of a source file, or else of a function; the caller frees. */
static char *find_nearest(const struct dataset *dataset, const char *name)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	struct nearest nearest = {.word = text_base(name), .limit = NEAREST_SLIP};

	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function->file)
			nearest_try(&nearest, text_base(tree->items[i].function->file));
	return nearest.name ? memory_text(nearest.name, strlen(nearest.name))
	                    : pick_nearest(dataset, name);
}

static int find_file(const struct dataset *dataset, struct output *output, const char *command,
                     const char *name, unsigned long number, struct place *out)
{
	struct place *files;
	size_t count = find_files(dataset, name, &files);
	size_t chosen = count == 1 ? 1 : number;

	if (count == 0) {
		char *near = find_nearest(dataset, name);

		output_fail(output, EXIT_TROUBLE,
		            "%s: no function and no source file '%s' %s%s%s%s", command, name,
		            filters_of_data(dataset->filters), near ? " (did you mean '" : "",
		            near ? near : "", near ? "'?)" : "");
		free(near);
	} else if (chosen < 1 || chosen > count) {
		for (size_t i = 0; i < count; i++) {
			fprintf(output->out, "%4zu) ", i + 1);
			text_put(output->out, files[i].file);
			fputc('\n', output->out);
		}
		output_fail(output, EXIT_USAGE,
		            "%s: %zu source files are called '%s': add a number from 1 to %zu",
		            command, count, name, count);
		chosen = 0;
	} else {
		*out = files[chosen - 1];
	}
	free(files);
	return count != 0 && chosen != 0 ? 0 : -ENOENT;
}

int place_find(const struct dataset *dataset, const struct choices *choices, struct output *output,
               const char *command, const char *name, unsigned long number, struct place *out)
{
	const struct sym_function *function;
	uint32_t *items, item;
	size_t count = name_find(dataset, choices, name, &items);

	free(items);
	if (count == 0)
		return find_file(dataset, output, command, name, number, out);
	item = pick_function(dataset, choices, output, command, name, number);
	if (item == TREE_NONE)
		return -ENOENT;
	function = dataset_tree(dataset, TREE_FUNCTIONS)->items[item].function;
	if (!function->object || (function->name[0] == '<' && function->address == 0)) {
		output_fail(output, EXIT_TROUBLE, "%s: %s is no code", command, function->name);
		return -ENOENT;
	}
	*out = (struct place){.function = function,
	                      .file = name_file(dataset, function),
	                      .object = function->object};
	return 0;
}
