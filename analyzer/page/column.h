/* column.h: a column of a report page: numbers or text, compressed while they come, so that memory
 * is that of the compressed data. section.def describes the codings. */
#ifndef XER_ANALYZER_PAGE_COLUMN_H
#define XER_ANALYZER_PAGE_COLUMN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct column;

/* A column of text is compressed as well as possible, numbers faster. */
struct column *column_create(int is_text);
void column_destroy(struct column *column);

/* Append: any bytes, an unsigned number, a number as its difference to the one before. */
void column_put(struct column *column, const void *bytes, size_t size);
void column_number(struct column *column, uint64_t number);
void column_step(struct column *column, int64_t number);

/* How many numbers there are. */
size_t column_count(const struct column *column);

/* Bytes of what was compressed so far. */
size_t column_size(const struct column *column);

/* The end of the column: write what was compressed as base64. Nothing can be appended any more. */
void column_write(struct column *column, FILE *out);

#endif
