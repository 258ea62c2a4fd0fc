/* kept.c: finds the blocks that the C library keeps until the process ends. The frames between the
 * allocation and the first code outside the library decide. */
#include "analyzer/views/events/kept.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *file;
	int all;
} objects[] = {
#define KEPT_OBJECT(file, all) {file, all},
#define KEPT(function)
#include "analyzer/views/events/kept.def"
};

static const char *const functions[] = {
#define KEPT_OBJECT(file, all)
#define KEPT(function) function,
#include "analyzer/views/events/kept.def"
};

static int matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return strncmp(pattern, name, len - 1) == 0;
	return strcmp(pattern, name) == 0;
}

int kept_is_own(const struct sym_function *function, int *is_library)
{
	const char *file = function->object->name;

	*is_library = 0;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]) && !*is_library; i++) {
		*is_library = strncmp(objects[i].file, file, strlen(objects[i].file)) == 0;
		if (*is_library && objects[i].all)
			return 1;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && *is_library; i++)
		if (matches(functions[i], function->name))
			return 1;
	return 0;
}

static int is_kept(const struct tree *tree, uint32_t node)
{
	int is_library = 1;

	for (; node != TREE_ROOT && is_library; node = tree->nodes[node].parent)
		if (kept_is_own(tree->items[tree->nodes[node].item].function, &is_library))
			return 1;
	return 0;
}

size_t kept_set_apart(const struct tree *tree, uint32_t *stacks, size_t count)
{
	size_t kept_count = 0, others = 0;
	uint32_t *kept;

	if (count == 0)
		return 0;
	kept = memory_take(count, sizeof(*kept));
	for (size_t i = 0; i < count; i++) {
		if (is_kept(tree, stacks[i]))
			kept[kept_count++] = stacks[i];
		else
			stacks[others++] = stacks[i];
	}
	memcpy(stacks + others, kept, kept_count * sizeof(*kept));
	free(kept);
	return others;
}
