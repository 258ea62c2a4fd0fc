/* arena.h: memory that lives as long as its owner, and arrays that grow.
 * See doc/decisions/63-hostile-tests.md. */
#ifndef XER_EXPERIMENT_TABLE_ARENA_H
#define XER_EXPERIMENT_TABLE_ARENA_H

#include <stddef.h>

struct exp_arena {
	struct exp_arena_block *block;
};

/* `size` zeroed bytes aligned to 16, or NULL. They live until exp_arena_fini. */
void *exp_arena_alloc(struct exp_arena *arena, size_t size);

/* A copy of text[len], NUL-terminated, or NULL. */
char *exp_arena_text(struct exp_arena *arena, const char *text, size_t len);
char *exp_arena_string(struct exp_arena *arena, const char *text);

/* Text made by a printf format, or NULL. */
char *exp_arena_printf(struct exp_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Move all memory of `from` to `to`. */
void exp_arena_join(struct exp_arena *to, struct exp_arena *from);

void exp_arena_fini(struct exp_arena *arena);

/* Make room for one more item of `size` bytes in the malloc'ed array *items, of which `count` are
 * used. *items must be a pointer to the items. Returns 0 or -ENOMEM. */
int exp_array_reserve(void *items, size_t *capacity, size_t count, size_t size);

/* As calloc. */
void *exp_zeroed(size_t count, size_t size);

/* Debug information is read as far as possible, so deep inside of this, lack of memory looks like
 * damage; but then the whole answer is worthless. Therefore each thread remembers that a function
 * of this file has failed, or that exp_memory_note reported it for an allocation of another library
 * (a call that failed with errno ENOMEM). */
void exp_memory_note(int error);

/* Has memory run out in this thread since it asked last? */
int exp_memory_lacked(void);

#endif
