/* memory.h: allocation that succeeds, or ends the program with a message and exit status 1. */
#ifndef XER_ANALYZER_BASE_MEMORY_H
#define XER_ANALYZER_BASE_MEMORY_H

#include <regex.h>
#include <stddef.h>
#include <stdio.h>

/* `count` zeroed elements of `size` bytes; never NULL. The caller frees. */
void *memory_take(size_t count, size_t size);

/* Resize `at` to count * size bytes; new space is not cleared; never NULL. */
void *memory_resize(void *at, size_t count, size_t size);

/* Make room for one more element in an array of `count` elements that has *capacity; doubles. */
void *memory_grow(void *at, size_t count, size_t *capacity, size_t size);

/* Make room up to the element `index` in an array that has *capacity; new elements are zero. */
void *memory_reach(void *at, size_t index, size_t *capacity, size_t size);

/* A copy of text[len] with a NUL after it. */
char *memory_text(const char *text, size_t len);

/* A new string, formatted as by printf. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A stream that is written into a new string: *text, *size bytes and a NUL, when memory_stream_end
 * has closed it. */
FILE *memory_stream(char **text, size_t *size);
void memory_stream_end(FILE *stream, char *const *text);

/* Does a text match? (Matching allocates.) */
int memory_matches(const regex_t *regex, const char *text);

/* Fail if experiment/ had no memory, which it may have reported as damage. */
void memory_check(void);

/* Say that there is no memory, and end the program with exit status 1. */
void memory_fail(void) __attribute__((noreturn));

#endif
