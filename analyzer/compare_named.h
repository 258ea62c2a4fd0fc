/* compare_named.h: comparisons of things that have names and are in no call tree: files, descriptors, locks. */
#ifndef XER_ANALYZER_COMPARE_NAMED_H
#define XER_ANALYZER_COMPARE_NAMED_H

#include "analyzer/table.h"

/* A list in the making: one entry for each name and group. */
struct compare_named;
struct compare_named *compare_named_create(void);

/* Add values of a thing in a column; takes `name`. Those of one name add up. */
void compare_named_add(struct compare_named *named, size_t column, char *name, const struct metric_values *values);

/* Print the table: the current metrics of kind `data` (enum metric_data), or the usual ones of that kind if there are none,
 * in the current order if that is one of them. `what` is the title, `key` the table's name for programs. Frees `named`. */
void compare_named_put(struct session *session, struct compare_named *named, unsigned data, const char *what, const char *key);

/* The tables of ioactivity and iodetail. (compare_io.c) */
void compare_files(struct session *session);
void compare_descriptors(struct session *session);

#endif
