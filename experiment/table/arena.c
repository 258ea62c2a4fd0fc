/* arena.c: owns the memory of an experiment's strings and small tables. Blocks are chained and
 * freed together. */
#include "experiment/table/arena.h"

#include "format/slack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread int is_lacking;

enum { BLOCK_FIRST = 512, BLOCK_MAX = 32 << 10, ALIGNMENT = 16 };

struct exp_arena_block {
	struct exp_arena_block *next;
	size_t used;
	size_t capacity;
	_Alignas(ALIGNMENT) char bytes[];
};

void exp_memory_note(int error)
{
	is_lacking |= error == ENOMEM;
}

int exp_memory_lacked(void)
{
	int lacked = is_lacking;

	is_lacking = 0;
	return lacked;
}

void *exp_zeroed(size_t count, size_t size)
{
	void *at = calloc(count, size);

	if (!at)
		exp_memory_note(ENOMEM);
	return at;
}

/* Each block is twice as large as the one before: thousands of descendants have little to keep. */
static struct exp_arena_block *add_block(struct exp_arena *arena, size_t size)
{
	size_t capacity = !arena->block ? BLOCK_FIRST : 2 * arena->block->capacity;
	struct exp_arena_block *block;

	if (capacity > BLOCK_MAX)
		capacity = BLOCK_MAX;
	if (capacity < size)
		capacity = size;
	block = exp_zeroed(1, sizeof(*block) + capacity);
	if (!block)
		return NULL;
	block->capacity = capacity;
	block->next = arena->block;
	arena->block = block;
	slack_close(block->bytes, capacity);
	return block;
}

/* Memory directly behind the last piece. `used` may be more than the capacity by less than the
 * alignment. */
static void *take(struct exp_arena *arena, size_t size)
{
	struct exp_arena_block *block = arena->block;
	void *at;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!block || block->used > block->capacity || block->capacity - block->used < size)
		block = add_block(arena, size);
	if (!block)
		return NULL;
	at = block->bytes + block->used;
	block->used += size + SLACK_GAP;
	slack_open(at, size);
	return at;
}

void *exp_arena_alloc(struct exp_arena *arena, size_t size)
{
	struct exp_arena_block *block = arena->block;

	if (block)
		block->used = (block->used + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	return take(arena, size);
}

char *exp_arena_text(struct exp_arena *arena, const char *text, size_t len)
{
	char *copy = take(arena, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *exp_arena_string(struct exp_arena *arena, const char *text)
{
	return exp_arena_text(arena, text, strlen(text));
}

char *exp_arena_printf(struct exp_arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;
	int len;

	va_start(arguments, format);
	len = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	text = len < 0 ? NULL : exp_arena_alloc(arena, (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)len + 1, format, arguments);
	va_end(arguments);
	return text;
}

void exp_arena_join(struct exp_arena *to, struct exp_arena *from)
{
	struct exp_arena_block **last = &from->block;

	while (*last)
		last = &(*last)->next;
	*last = to->block;
	to->block = from->block;
	from->block = NULL;
}

void exp_arena_fini(struct exp_arena *arena)
{
	while (arena->block) {
		struct exp_arena_block *next = arena->block->next;

		free(arena->block);
		arena->block = next;
	}
}

int exp_array_reserve(void *items, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
	void *old, *grown;

	memcpy(&old, items, sizeof(old));
	if (count < *capacity) {
		slack_of_array(old, count, *capacity, size, 0);
		return 0;
	}
	grown = reallocarray(old, wanted, size);
	if (!grown) {
		exp_memory_note(ENOMEM);
		return -ENOMEM;
	}
	memcpy(items, &grown, sizeof(grown));
	*capacity = wanted;
	slack_of_array(grown, count, wanted, size, 1);
	return 0;
}
