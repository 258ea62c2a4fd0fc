/* stacks.c: the call stacks of a report page: texts, functions, frames and nodes. */
#include "analyzer/page/page.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/model/name.h"
#include "experiment/base/printable.h"

#include <stdlib.h>
#include <string.h>

/* Is the object one of those that programs of the dataset were executed from? */
static int is_program(const struct dataset *dataset, const struct sym_object *object)
{
	const struct dataset_experiment *at = NULL;

	while ((at = dataset_next(dataset, at)))
		if (at->info->object && strcmp(at->info->object, object->path) == 0)
			return 1;
	return 0;
}

static enum page_origin origin_of(const struct dataset *dataset, const struct sym_object *object)
{
	if (!object || strcmp(object->path, "<Unknown>") == 0)
		return PAGE_UNKNOWN;
	if (object->is_java)
		return PAGE_JAVA;
	if (object->is_machine || strcmp(object->path, "<Dynamic>") == 0)
		return PAGE_GENERATED;
	if (object->path[0] == '[')
		return PAGE_KERNEL;
	return is_program(dataset, object) ? PAGE_PROGRAM : PAGE_LIBRARY;
}

/* The functions of the frames, numbered as they come. */
struct functions {
	struct page *page;
	unsigned char *origins; /* by index of an object: enum page_origin + 1, 0: not known yet */
	uint32_t *numbers;      /* by index of a function: its number + 1, 0: none */
	uint32_t count;
	uint32_t special[FRAMES_KINDS]; /* likewise of the functions that stand in for others */
};

static enum page_origin find_origin(struct functions *functions,
                                    const struct sym_function *function)
{
	const struct dataset *dataset = functions->page->dataset;
	const struct sym_object *object = function->object;
	unsigned char *known;

	if (!object || object->index >= symbols_object_count(dataset->symbols))
		return origin_of(dataset, object);
	known = &functions->origins[object->index];
	if (*known == 0)
		*known = (unsigned char)(origin_of(dataset, object) + 1);
	return (enum page_origin)(*known - 1);
}

static void put_function(struct functions *functions, const struct sym_function *function,
                         enum page_origin origin)
{
	struct page *page = functions->page;
	char *name = name_function(page->choices, function);

	column_number(page->sections[PAGE_FUNCTION_NAME], page_string(page, name));
	column_number(page->sections[PAGE_FUNCTION_OBJECT],
	              page_string(page, function->object ? function->object->name : NULL));
	column_number(page->sections[PAGE_FUNCTION_FILE], page_string(page, function->file));
	column_number(page->sections[PAGE_FUNCTION_LINE], function->line);
	column_number(page->sections[PAGE_FUNCTION_ORIGIN], origin);
	functions->count++;
	free(name);
}

static uint32_t number_function(struct functions *functions, const struct sym_function *function)
{
	const struct dataset *dataset = functions->page->dataset;
	uint32_t *number;

	for (unsigned kind = 0; kind < FRAMES_KINDS; kind++)
		if (function == &dataset->tables->stand_in[kind]) {
			if (functions->special[kind] == 0) {
				put_function(functions, function, PAGE_RECORDER);
				functions->special[kind] = functions->count;
			}
			return functions->special[kind] - 1;
		}
	number = &functions->numbers[function->index];
	if (*number == 0) {
		put_function(functions, function, find_origin(functions, function));
		*number = functions->count;
	}
	return *number - 1;
}

static void put_frames(struct page *page)
{
	const struct symbols *symbols = page->dataset->symbols;
	struct functions functions = {
		.page = page,
		.origins = memory_take(symbols_object_count(symbols), 1),
		.numbers = memory_take(symbols_function_count(symbols), sizeof(uint32_t))};

	for (size_t i = 0; i < page->tree->item_count; i++) {
		const struct sym_frame *frame = &page->tree->items[i];

		column_step(page->sections[PAGE_FRAME_FUNCTION],
		            number_function(&functions, frame->function));
		column_number(page->sections[PAGE_FRAME_FILE], page_string(page, frame->file));
		column_number(page->sections[PAGE_FRAME_LINE], frame->line);
	}
	free(functions.origins);
	free(functions.numbers);
}

static void put_nodes(struct page *page)
{
	for (size_t i = 0; i < page->tree->count; i++) {
		const struct tree_node *node = &page->tree->nodes[i];

		column_step(page->sections[PAGE_NODE_PARENT], i == TREE_ROOT ? 0 : node->parent);
		column_step(page->sections[PAGE_NODE_FRAME], node->item);
	}
}

/* A text on one line, escaped as text_put does it. */
static void put_line(struct column *column, const char *text)
{
	const char *end = text + strlen(text);
	char escaped[8];

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (size > 0) {
			column_put(column, text, size);
		} else {
			snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)*text);
			column_put(column, escaped, 4);
		}
		text += size ? size : 1;
	}
	column_put(column, "\n", 1);
}

void page_add_stacks(struct page *page)
{
	put_frames(page);
	put_nodes(page);
	for (size_t i = 0; i < page->string_count; i++)
		put_line(page->sections[PAGE_STRINGS], page->strings[i]);
}
