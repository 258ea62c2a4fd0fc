/* shown.c: decides once for each function what it is shown as, and remembers it by the function's
 * index.
 * See doc/decisions/31-comparing.md. */
#include "analyzer/model/shown.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Objects called `name` are shown as `how`; NULL: all. */
struct rule {
	char *name;
	enum shown_how how;
};

struct alias {
	char *name, *as;
};

/* A function that may match one of another build. */
struct known {
	const struct sym_function *function;
	uint64_t hash;
	struct known *next; /* of the same slot */
};

/* A function that is shown as that of another build. */
struct twin {
	const struct sym_function *function, *as;
};

enum { SLOTS = 4096 };

struct shown {
	struct rule *rules;
	size_t rule_count, rule_capacity;
	struct alias *aliases;
	size_t alias_count, alias_capacity;
	int is_compare;
	const struct sym_function **of; /* by index of the function; NULL: not decided */
	size_t of_count;
	struct sym_function **objects; /* objects in place of their functions */
	size_t object_count, object_capacity;
	struct known *slots[SLOTS];
	struct twin *twins; /* twins[twin_count] */
	size_t twin_count, twin_capacity;
};

struct shown *shown_create(void)
{
	return memory_take(1, sizeof(struct shown));
}

/* Decide again. Objects that stand for functions stay: tables may name them until they are
 * forgotten. */
static void forget(struct shown *shown)
{
	free(shown->of);
	shown->of = NULL;
	shown->of_count = 0;
	shown->twin_count = 0;
	for (size_t i = 0; i < SLOTS; i++)
		while (shown->slots[i]) {
			struct known *next = shown->slots[i]->next;

			free(shown->slots[i]);
			shown->slots[i] = next;
		}
}

static void clear_aliases(struct shown *shown)
{
	while (shown->alias_count > 0) {
		free(shown->aliases[--shown->alias_count].name);
		free(shown->aliases[shown->alias_count].as);
	}
}

void shown_reset(struct shown *shown)
{
	while (shown->rule_count > 0)
		free(shown->rules[--shown->rule_count].name);
	forget(shown);
}

void shown_destroy(struct shown *shown)
{
	shown_reset(shown);
	clear_aliases(shown);
	for (size_t i = 0; i < shown->object_count; i++)
		free(shown->objects[i]);
	free(shown->objects);
	free(shown->twins);
	free(shown->rules);
	free(shown->aliases);
	free(shown);
}

void shown_set(struct shown *shown, const char *name, enum shown_how how)
{
	forget(shown);
	shown->rules = memory_grow(shown->rules, shown->rule_count, &shown->rule_capacity,
	                           sizeof(*shown->rules));
	shown->rules[shown->rule_count++] = (struct rule){
		!name ? NULL : memory_text(name, strlen(name)), how};
}

void shown_set_compare(struct shown *shown, int is_compare)
{
	forget(shown);
	clear_aliases(shown);
	shown->is_compare = is_compare;
}

void shown_set_alias(struct shown *shown, const char *name, const char *as)
{
	shown->aliases = memory_grow(shown->aliases, shown->alias_count, &shown->alias_capacity,
	                             sizeof(*shown->aliases));
	shown->aliases[shown->alias_count++] = (struct alias){memory_text(name, strlen(name)),
	                                                      memory_text(as, strlen(as))};
}

/* <Total>, <Unknown> and the marks of cut stacks are in no object. */
static int is_special(const struct sym_object *object)
{
	return strcmp(object->path, "<Unknown>") == 0;
}

enum shown_how shown_how(const struct shown *shown, const struct sym_object *object)
{
	if (is_special(object))
		return SHOWN_ALL;
	for (size_t i = shown->rule_count; i-- > 0;) {
		const struct rule *rule = &shown->rules[i];

		if (!rule->name || strcmp(rule->name, object->name) == 0 ||
		    strcmp(rule->name, object->path) == 0)
			return rule->how;
	}
	return SHOWN_ALL;
}

const char *shown_compared_name(const struct shown *shown, const struct sym_object *object)
{
	for (size_t i = 0; i < shown->alias_count; i++)
		if (strcmp(shown->aliases[i].name, object->name) == 0)
			return shown->aliases[i].as;
	return object->name;
}

static int is_same_object(const struct shown *shown, const struct sym_object *left,
                          const struct sym_object *right)
{
	return left == right ||
	       (shown->is_compare &&
	        strcmp(shown_compared_name(shown, left), shown_compared_name(shown, right)) == 0);
}

static const struct sym_function *object_function(struct shown *shown,
                                                  const struct sym_object *object)
{
	struct sym_function *function;

	for (size_t i = 0; i < shown->object_count; i++)
		if (is_same_object(shown, shown->objects[i]->object, object))
			return shown->objects[i];
	shown->objects = memory_grow(shown->objects, shown->object_count, &shown->object_capacity,
	                             sizeof(*shown->objects));
	function = memory_take(1, sizeof(*function));
	*function = (struct sym_function){
		.name = object->name, .mangled = object->name, .object = object};
	shown->objects[shown->object_count++] = function;
	return function;
}

int shown_is_object(const struct shown *shown, const struct sym_function *function)
{
	for (size_t i = 0; i < shown->object_count; i++)
		if (shown->objects[i] == function)
			return 1;
	return 0;
}

int shown_is_folded(const struct shown *shown, const struct sym_function *caller,
                    const struct sym_function *callee)
{
	if (shown->rule_count == 0 || is_special(callee->object))
		return 0;
	switch (shown_how(shown, callee->object)) {
	case SHOWN_ALL:
		return 0;
	case SHOWN_NAME:
		return caller == callee;
	case SHOWN_API:
		return is_same_object(shown, caller->object, callee->object);
	}
	return 0;
}

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static int is_same_file(const struct sym_function *left, const struct sym_function *right)
{
	if (!left->file || !right->file)
		return 1;
	return strcmp(text_base(left->file), text_base(right->file)) == 0;
}

static int is_one(const struct shown *shown, const struct sym_function *left,
                  const struct sym_function *right)
{
	if (strcmp(left->mangled, right->mangled) != 0 ||
	    !is_same_object(shown, left->object, right->object))
		return 0;
	if (left->unresolved || right->unresolved)
		return left->unresolved == right->unresolved && left->object->build_id[0] != '\0' &&
		       strcmp(left->object->build_id, right->object->build_id) == 0;
	return is_same_file(left, right);
}

/* The first function found that matches this one. */
static const struct sym_function *first_of(struct shown *shown, const struct sym_function *function)
{
	uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), function->mangled);
	struct known **slot = &shown->slots[hash % SLOTS];
	struct known *added;

	for (const struct known *at = *slot; at; at = at->next)
		if (at->hash == hash && is_one(shown, at->function, function)) {
			shown->twins = memory_grow(shown->twins, shown->twin_count,
			                           &shown->twin_capacity, sizeof(*shown->twins));
			shown->twins[shown->twin_count++] = (struct twin){function, at->function};
			return at->function;
		}
	added = memory_take(1, sizeof(*added));
	*added = (struct known){function, hash, *slot};
	*slot = added;
	return function;
}

static const struct sym_function *decide(struct shown *shown, const struct sym_function *function)
{
	if (shown_how(shown, function->object) == SHOWN_NAME)
		return object_function(shown, function->object);
	if (shown->is_compare && !is_special(function->object))
		return first_of(shown, function);
	return function;
}

const struct sym_function *shown_function(struct shown *shown, const struct sym_function *function)
{
	if (shown->rule_count == 0 && !shown->is_compare)
		return function;
	if (function->index >= shown->of_count) {
		size_t count = (function->index + 1) * 2;

		shown->of = memory_resize(shown->of, count, sizeof(*shown->of));
		memset(shown->of + shown->of_count, 0,
		       (count - shown->of_count) * sizeof(*shown->of));
		shown->of_count = count;
	}
	if (!shown->of[function->index])
		shown->of[function->index] = decide(shown, function);
	return shown->of[function->index];
}

size_t shown_same(const struct shown *shown, const struct sym_function *function,
                  const struct sym_function ***out)
{
	const struct sym_function **same = memory_take(shown->twin_count + 1,
	                                               sizeof(struct sym_function *));
	size_t count = 0;

	same[count++] = function;
	for (size_t i = 0; i < shown->twin_count; i++)
		if (shown->twins[i].as == function)
			same[count++] = shown->twins[i].function;
	*out = same;
	return count;
}
