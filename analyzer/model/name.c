/* name.c: names for people, made from what the symbol tables say. */
#include "analyzer/model/name.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Offset of the `(` that belongs to the `)` which ends text[len]; len if there is none. */
static size_t open_parenthesis(const char *text, size_t len)
{
	size_t depth = 0;

	for (size_t i = len; i-- > 0;) {
		if (text[i] == ')')
			depth++;
		if (text[i] == '(' && --depth == 0)
			return i;
	}
	return len;
}

static int ends_with(const char *text, size_t len, const char *suffix)
{
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && memcmp(text + len - suffix_len, suffix, suffix_len) == 0;
}

char *name_shorten(const char *name)
{
	size_t len = strlen(name), end = len, cut;

	if (ends_with(name, end, " const"))
		end -= strlen(" const");
	if (end == 0 || name[end - 1] != ')')
		return memory_text(name, len);
	cut = open_parenthesis(name, end);
	/* "operator()" is a name, and so is "(anonymous namespace)". */
	if (cut == 0 || cut == end || ends_with(name, cut, "operator") ||
	    ends_with(name, cut, "::"))
		return memory_text(name, len);
	return memory_text(name, cut);
}

static char *base_name(const struct choices *choices, const struct sym_function *function)
{
	if (choices->name_form == NAME_MANGLED)
		return memory_text(function->mangled, strlen(function->mangled));
	if (choices->name_form == NAME_SHORT)
		return name_shorten(function->name);
	return memory_text(function->name, strlen(function->name));
}

char *name_function(const struct choices *choices, const struct sym_function *function)
{
	char *name = base_name(choices, function);
	char *whole;

	if (!choices->with_soname || function->name[0] == '<')
		return name;
	whole = memory_format("%s (%s)", name, function->object->name);
	free(name);
	return whole;
}

static char *with_line(char *name, const struct sym_frame *item)
{
	char *whole = memory_format("%s, line %u in \"%s\"", name, item->line,
	                            text_base(item->file));

	free(name);
	return whole;
}

static char *with_offset(char *name, const struct sym_frame *item)
{
	uint64_t start = item->function->address;
	uint64_t offset = item->address >= start ? item->address - start : item->address;
	char *whole;

	if (item->function->unresolved) /* whose name is an address already */
		whole = memory_format("%s+0x%llx", item->function->object->name,
		                      (unsigned long long)item->address);
	else
		whole = memory_format("%s + 0x%08llX", name, (unsigned long long)offset);
	free(name);
	return whole;
}

/* What stands for no code, or for the whole of an object. */
static int is_special(const struct sym_function *function)
{
	return function->address == 0 &&
	       (function->name[0] == '<' || function->name == function->object->name);
}

static char *name_line(char *name, const struct sym_frame *item)
{
	char *whole;

	if (item->line != 0 && item->file)
		return with_line(name, item);
	if (is_special(item->function))
		return name;
	whole = memory_format("<Function: %s, instructions without line numbers>", name);
	free(name);
	return whole;
}

char *name_item(const struct choices *choices, enum tree_mode mode, const struct sym_frame *item)
{
	char *name = name_function(choices, item->function);

	switch (mode) {
	case TREE_FUNCTIONS:
	case TREE_MODES:
		break;
	case TREE_LINES:
		return name_line(name, item);
	case TREE_PCS:
	case TREE_FRAMES:
		/* An inlined call has no start of its own to count from. */
		if (!is_special(item->function) && item->address != 0 &&
		    (mode == TREE_PCS || !item->inlined))
			name = with_offset(name, item);
		if (item->line != 0 && item->file)
			return with_line(name, item);
		break;
	}
	return name;
}
