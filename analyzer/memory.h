/* memory.h: allocation that succeeds, or ends the program with a message and exit status 1. */
#ifndef XER_ANALYZER_MEMORY_H
#define XER_ANALYZER_MEMORY_H

#include <stddef.h>

/* `count` zeroed elements of `size` bytes; never NULL. The caller frees. */
void *memory_take(size_t count, size_t size);

/* Resize `at` to count * size bytes; new space is not cleared; never NULL. */
void *memory_resize(void *at, size_t count, size_t size);

/* Make room for one more element in an array of `count` elements that has *capacity; doubles. */
void *memory_grow(void *at, size_t count, size_t *capacity, size_t size);

/* A copy of text[len] with a NUL behind. */
char *memory_text(const char *text, size_t len);

/* A new string, formatted as by printf. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
