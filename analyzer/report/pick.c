/* pick.c: chooses among functions of one name. */
#include "analyzer/report/pick.h"

#include "format/nearest.h"
#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/names.h"
#include "analyzer/model/name.h"

#include <stdlib.h>

static void put_choices(const struct dataset *dataset, struct output *output, const uint32_t *items,
                        size_t count)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);

	for (size_t i = 0; i < count; i++) {
		const struct sym_function *function = tree->items[items[i]].function;

		fprintf(output->out, "%4zu) ", i + 1);
		text_put(output->out, function->name);
		fprintf(output->out, " - %zu:0x%08llx in ", function->object->index,
		        (unsigned long long)function->address);
		text_put(output->out, function->object->path);
		/* What is nowhere but inlined has no address. */
		if (function->file && function->line != 0) {
			fprintf(output->out, ", line %u in \"", function->line);
			text_put(output->out, text_base(function->file));
			fputc('"', output->out);
		}
		fputc('\n', output->out);
	}
}

char *pick_nearest(const struct dataset *dataset, const char *name)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	struct nearest nearest = {.word = name, .limit = NEAREST_SLIP};
	char *best = NULL;

	/* The name may be right, and its function be left out. */
	if (filters_are_set(dataset->filters))
		return NULL;
	for (size_t i = 0; i < tree->item_count; i++) {
		char *brief = name_shorten(tree->items[i].function->name);

		nearest_try(&nearest, brief);
		if (nearest.name == brief) {
			free(best);
			best = brief;
		} else {
			free(brief);
		}
	}
	return best;
}

uint32_t pick_function(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *command, const char *name,
                       unsigned long number)
{
	uint32_t *items;
	size_t count = name_find(dataset, choices, name, &items);
	uint32_t found = TREE_NONE;
	char *near;

	if (count == 1) {
		found = items[0];
	} else if (count == 0) {
		near = pick_nearest(dataset, name);
		output_fail(output, EXIT_TROUBLE, "%s: no function '%s' %s%s%s%s", command, name,
		            filters_of_data(dataset->filters), near ? " (did you mean '" : "",
		            near ? near : "", near ? "'?)" : "");
		free(near);
	} else if (number >= 1 && number <= count) {
		found = items[number - 1];
	} else {
		put_choices(dataset, output, items, count);
		output_fail(output, EXIT_USAGE,
		            "%s: %zu functions are called '%s': add a number from 1 to %zu",
		            command, count, name, count);
	}
	free(items);
	return found;
}
