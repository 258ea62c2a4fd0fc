/* indexobj.c: the kinds of index and memory objects, and what their rows are called. */
#include "analyzer/data/indexobj.h"

#include "analyzer/base/memory.h"
#include "format/nearest.h"
#include "analyzer/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ERROR_MAX = 200 };

struct index_types {
	struct index_type **types; /* types[count] */
	size_t count, capacity;
};

static char *copy(const char *text)
{
	return memory_text(text, strlen(text));
}

static struct index_type *add(struct index_types *types, const struct index_type *like,
                              const char *expression)
{
	struct index_type *type = memory_take(1, sizeof(*type));
	struct expression_error error;

	*type = *like;
	type->name = copy(like->name);
	type->heading = copy(like->heading);
	type->meaning = copy(like->meaning);
	if (!type->expression)
		type->expression = expression_compile(expression, &error);
	types->types = memory_grow(types->types, types->count, &types->capacity,
	                           sizeof(struct index_type *));
	types->types[types->count++] = type;
	return type;
}

struct index_types *index_types_create(void)
{
	enum { INDEX, MEMORY };
	enum { METRIC, KEY };
	static const struct {
		struct index_type type;
		const char *expression;
	} known[] = {
#define INDEX(name_, group, expression_, label_, shift_, order, token_, heading_, meaning_) \
	{{.name = #name_, \
	  .heading = heading_, \
	  .meaning = meaning_, \
	  .label = INDEX_##label_, \
	  .shift = shift_, \
	  .is_memory = group == MEMORY, \
	  .is_by_key = order == KEY, \
	  .token = token_}, \
	 expression_},
#include "analyzer/data/indexobj.def"
	};
	struct index_types *types = memory_take(1, sizeof(*types));

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		add(types, &known[i].type, known[i].expression);
	return types;
}

static void destroy(struct index_type *type)
{
	expression_destroy(type->expression);
	free(type->name);
	free(type->heading);
	free(type->meaning);
	free(type);
}

void index_types_destroy(struct index_types *types)
{
	for (size_t i = 0; i < types->count; i++)
		destroy(types->types[i]);
	free(types->types);
	free(types);
}

const struct index_type *index_at(const struct index_types *types, size_t i)
{
	return i < types->count ? types->types[i] : NULL;
}

static const char *nearest(const struct index_types *types, int is_memory, const char *name)
{
	struct nearest near = {.word = name, .limit = NEAREST_SLIP};

	for (size_t i = 0; i < types->count; i++)
		if (types->types[i]->is_memory == is_memory)
			nearest_try(&near, types->types[i]->name);
	return near.name;
}

const struct index_type *index_find(const struct index_types *types, int is_memory,
                                    const char *name, char *error, size_t size)
{
	const struct index_type *found = NULL;
	const char *near;
	size_t count = 0, len = strlen(name);

	for (size_t i = 0; i < types->count; i++) {
		const struct index_type *type = types->types[i];

		if (type->is_memory != is_memory || len == 0 ||
		    strncasecmp(type->name, name, len) != 0)
			continue;
		if (type->name[len] == '\0')
			return type;
		found = type;
		count++;
	}
	if (count == 1)
		return found;
	near = nearest(types, is_memory, name);
	if (count > 1)
		snprintf(error, size, "'%.64s' is ambiguous", name);
	else
		snprintf(error, size,
		         near ? "no '%.64s' (did you mean '%s'?)" : "no '%.64s' (%s lists them)",
		         name,
		         near        ? near
		         : is_memory ? "mobj_list"
		                     : "indxobj_list");
	return NULL;
}

/* Names are words that are no command's and no other type's. Returns NULL, or what is wrong. */
static const char *check_name(const struct index_types *types, const char *name,
                              int (*is_command)(const char *name))
{
	if (!isalpha((unsigned char)name[0]))
		return "a name begins with a letter";
	for (const char *at = name; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return "a name is made of letters, digits and _";
	if (is_command(name))
		return "there is a command of this name";
	for (size_t i = 0; i < types->count; i++)
		if (!types->types[i]->is_own && strcasecmp(types->types[i]->name, name) == 0)
			return "there is such an object already";
	return NULL;
}

int index_define(struct index_types *types, int is_memory, const char *name, const char *source,
                 int (*is_command)(const char *name), struct expression_error *error)
{
	const char *wrong = check_name(types, name, is_command);
	struct index_type type = {.name = (char *)name,
	                          .heading = (char *)name,
	                          .meaning = (char *)source,
	                          .label = is_memory ? INDEX_HEX : INDEX_NUMBER,
	                          .is_memory = is_memory,
	                          .is_own = 1};

	*error = (struct expression_error){.column = 0};
	if (wrong) {
		snprintf(error->text, sizeof(error->text), "'%.40s': %s", name, wrong);
		return -EINVAL;
	}
	type.expression = expression_compile(source, error);
	if (!type.expression)
		return -EINVAL;
	for (size_t i = 0; i < types->count; i++)
		if (types->types[i]->is_own && strcasecmp(types->types[i]->name, name) == 0) {
			destroy(types->types[i]);
			types->types[i] = types->types[--types->count];
		}
	add(types, &type, source);
	return 0;
}

/* ---- names of rows ---- */
