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

static char *base_name(const struct session *session, const struct sym_function *function)
{
	if (session->name_form == NAME_MANGLED)
		return memory_text(function->mangled, strlen(function->mangled));
	if (session->name_form == NAME_SHORT)
		return name_shorten(function->name);
	return memory_text(function->name, strlen(function->name));
}

char *name_function(const struct session *session, const struct sym_function *function)
{
	char *name = base_name(session, function);
	char *whole;

	if (!session->with_soname || function->name[0] == '<')
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

char *name_item(const struct session *session, enum tree_mode mode, const struct sym_frame *item)
{
	char *name = name_function(session, item->function);

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

/* "OBJECT+0xADDRESS", as stacks have it where nobody named the code, in the function? */
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

static struct match *find(struct session *session, const char *name,
                          int (*is_meant)(const struct sym_function *function, const char *name),
                          size_t *out_count)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);
	const struct fold_row *rows = session_fold(session, TREE_FUNCTIONS);
	struct match *matches = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < tree->item_count; i++) {
		if (!is_meant(tree->items[i].function, name))
			continue;
		matches = memory_grow(matches, count, &capacity, sizeof(*matches));
		matches[count++] = (struct match){
			(uint32_t)i, rows[i].total.of[session->sort.metric.id < METRIC_VALUES
		                                              ? session->sort.metric.id
		                                              : METRIC_TOTALCPU]};
	}
	*out_count = count;
	return matches;
}

size_t name_find(struct session *session, const char *name, uint32_t **out)
{
	size_t count;
	struct match *matches = find(session, name, is_called, &count);

	if (count == 0)
		matches = find(session, name, has_address, &count);
	if (count > 1)
		qsort(matches, count, sizeof(*matches), by_weight);
	*out = memory_take(count, sizeof(**out));
	for (size_t i = 0; i < count; i++)
		(*out)[i] = matches[i].item;
	free(matches);
	return count;
}

char *name_reference(struct session *session, const struct sym_function *function)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);
	uint32_t *items;
	size_t count = name_find(session, function->name, &items);
	char *text = NULL;

	for (size_t i = 0; i < count && count > 1 && !text; i++)
		if (tree->items[items[i]].function == function)
			text = memory_format("%s %zu", function->name, i + 1);
	free(items);
	return text ? text : memory_text(function->name, strlen(function->name));
}
