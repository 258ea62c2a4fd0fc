/* owncode.c: see owncode.h, and doc/decisions/88-own-code.md. */
#include "analyzer/model/owncode.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Of the file system hierarchy, and of toolchains that Debian and Red Hat do not install. */
static const char *const header_roots[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/",
                                           "/opt/rh/"};
static const char *const library_roots[] = {"/lib/",          "/lib32/",     "/lib64/",
                                            "/usr/lib/",      "/usr/lib32/", "/usr/lib64/",
                                            "/usr/local/lib/"};

static int is_below(const char *path, const char *const *roots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(path, roots[i], strlen(roots[i])) == 0)
			return 1;
	return 0;
}
#define IS_BELOW(path, roots) is_below(path, roots, sizeof(roots) / sizeof((roots)[0]))

/* The headers of C++ keep their place in an installation elsewhere. */
static int is_header(const char *file)
{
	return IS_BELOW(file, header_roots) || strstr(file, "/include/c++/");
}

static int is_library(const struct sym_object *object)
{
	return strstr(object->name, ".so") && IS_BELOW(object->path, library_roots);
}

int owncode_is(const struct sym_function *function, const char *file)
{
	if (function->name[0] == '<' || function->unresolved ||
	    strcmp(function->name, "_start") == 0)
		return 0;
	if (function->object->is_java)
		return 1;
	if (file ? is_header(file) : function->file && is_header(function->file))
		return 0;
	return !is_library(function->object) && function->object->name[0] != '[';
}

uint32_t owncode_node(const struct tree *tree, uint32_t node)
{
	for (; node != TREE_ROOT; node = tree->nodes[node].parent) {
		const struct sym_frame *frame = &tree->items[tree->nodes[node].item];

		if (owncode_is(frame->function, frame->file))
			return node;
	}
	return TREE_ROOT;
}

uint32_t *owncode_items(const struct tree *tree)
{
	uint8_t *is_own = memory_take(tree->item_count, 1);
	uint32_t *items = memory_take(tree->count, sizeof(*items));

	for (size_t i = 1; i < tree->item_count; i++)
		is_own[i] = (uint8_t)owncode_is(tree->items[i].function, tree->items[i].file);
	/* A parent's number is smaller than its children's. */
	for (size_t i = 1; i < tree->count; i++) {
		uint32_t item = tree->nodes[i].item;

		items[i] = is_own[item] ? item : items[tree->nodes[i].parent];
	}
	for (size_t i = 1; i < tree->count; i++)
		items[i] = items[i] == TREE_ROOT ? tree->nodes[i].item : items[i];
	free(is_own);
	return items;
}

uint64_t *owncode_sums(const struct tree *tree, const uint32_t *items, unsigned id)
{
	const struct tree_own *own = &tree->own;
	const uint64_t *values = columns_of(&own->values, id);
	uint64_t *sums;

	if (!values)
		return NULL;
	sums = memory_take(tree->item_count, sizeof(*sums));
	for (size_t row = 0; row < own->values.count; row++)
		sums[items[own->node_of[row]]] += values[row];
	return sums;
}
