/* names.c: finds functions by name, among those that the recorded stacks have. */
#include "analyzer/data/names.h"

#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"

#include <stdlib.h>
#include <string.h>

struct match {
	uint32_t item;
	uint64_t weight;
};

static int by_weight(const void *left, const void *right)
{
	const struct match *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* The names of templates begin with what they return: "int f<1>". Where the name itself begins. */
static const char *skip_result(const char *brief)
{
	const char *name = brief;
	int depth = 0;

	if (strstr(brief, "operator"))
		return brief;
	for (const char *at = brief; *at != '\0'; at++) {
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (*at == ' ' && depth == 0)
			name = at + 1;
	}
	return name;
}

static int is_called(const struct sym_function *function, const char *name)
{
	char *brief;
	int same;

	if (strcmp(function->name, name) == 0 || strcmp(function->mangled, name) == 0)
		return 1;
	brief = name_shorten(function->name);
	same = strcmp(brief, name) == 0 || strcmp(skip_result(brief), name) == 0;
	free(brief);
	return same;
}

/* Is "OBJECT+0xADDRESS", which stacks show for code without a name, in the function? */
static int has_address(const struct sym_function *function, const char *name)
{
	const char *plus = strrchr(name, '+');
	size_t len = plus ? (size_t)(plus - name) : 0;
	uint64_t address;
	char *end;

	if (!plus || strncmp(plus, "+0x", 3) != 0 || !function->object)
		return 0;
	address = strtoull(plus + 3, &end, 16);
	return *end == '\0' && strlen(function->object->name) == len &&
	       memcmp(function->object->name, name, len) == 0 &&
	       address - function->address < function->size;
}

static struct match *find(const struct dataset *dataset, const struct choices *choices,
                          const char *name,
                          int (*is_meant)(const struct sym_function *function, const char *name),
                          size_t *out_count)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold *fold = dataset_fold(dataset, TREE_FUNCTIONS);
	struct match *matches = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < tree->item_count; i++) {
		if (!is_meant(tree->items[i].function, name))
			continue;
		matches = memory_grow(matches, count, &capacity, sizeof(*matches));
		matches[count++] = (struct match){(uint32_t)i,
		                                  columns_at(&fold->total, i,
		                                             choices->sort.metric.id < METRIC_VALUES
		                                                     ? choices->sort.metric.id
		                                                     : METRIC_TOTALCPU)};
	}
	*out_count = count;
	return matches;
}

size_t name_find(const struct dataset *dataset, const struct choices *choices, const char *name,
                 uint32_t **out)
{
	size_t count;
	struct match *matches = find(dataset, choices, name, is_called, &count);

	if (count == 0)
		matches = find(dataset, choices, name, has_address, &count);
	if (count > 1)
		qsort(matches, count, sizeof(*matches), by_weight);
	*out = memory_take(count, sizeof(**out));
	for (size_t i = 0; i < count; i++)
		(*out)[i] = matches[i].item;
	free(matches);
	return count;
}

/* Do other functions in the stacks have its name? */
static int has_namesake(const struct dataset *dataset, const struct sym_function *function)
{
	const struct tree *tree = dataset_functions(dataset, 0);

	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function != function &&
		    is_called(tree->items[i].function, function->name))
			return 1;
	return 0;
}

char *name_reference(const struct dataset *dataset, const struct choices *choices,
                     const struct sym_function *function)
{
	const struct tree *tree;
	uint32_t *items;
	size_t count;
	char *text = NULL;

	if (!has_namesake(dataset, function))
		return memory_text(function->name, strlen(function->name));
	tree = dataset_tree(dataset, TREE_FUNCTIONS);
	count = name_find(dataset, choices, function->name, &items);
	for (size_t i = 0; i < count && count > 1 && !text; i++)
		if (tree->items[items[i]].function == function)
			text = memory_format("%s %zu", function->name, i + 1);
	free(items);
	return text ? text : memory_text(function->name, strlen(function->name));
}

const char *name_file(const struct dataset *dataset, const struct sym_function *function)
{
	const struct tree *tree;

	if (function->file)
		return function->file;
	tree = dataset_tree(dataset, TREE_LINES);
	for (size_t i = 0; i < tree->item_count; i++)
		if (tree->items[i].function == function && tree->items[i].file)
			return tree->items[i].file;
	return NULL;
}
