/* named.h: comparisons of things that have names and are in no call tree: files,
 * descriptors, locks. */
#ifndef XER_ANALYZER_REPORT_COMPARE_NAMED_H
#define XER_ANALYZER_REPORT_COMPARE_NAMED_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"
#include "analyzer/table/table.h"

/* A list in the making: one entry for each name and group. */
struct compare_named;
struct compare_named *compare_named_create(void);

/* Add values of a thing in a column; takes `name`. Those of one name add up. `place`: the same for
 * equal names, where rows have an order of their own. */
void compare_named_add(struct compare_named *named, size_t column, char *name, int64_t place,
                       const struct metric_values *values);

/* Which columns a table has, and the order of its rows. */
struct compare_form {
	const char *key; /* the table's name for programs */
	struct metric_list metrics;
	struct metric_sort sort;
	int is_by_place; /* rows are in the order of their places instead */
};

/* Print the table, <Total> first. Frees `named`. */
void compare_named_put(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, struct compare_named *named,
                       const struct compare_form *form);

/* The same with a title, `what`, and the current metrics of kind `data` (enum metric_data), or the
 * usual ones of that kind if there are none, in the current order if that is one of them. put_note:
 * says what else there is to say of the data, below their quality; NULL: nothing. */
void compare_named_put_kind(const struct dataset *dataset, const struct choices *choices,
                            struct output *output, struct compare_named *named, unsigned data,
                            const char *what, const char *key,
                            void (*put_note)(const struct dataset *dataset,
                                             const struct choices *choices, struct output *output));

/* The tables of ioactivity and iodetail. (compare_io.c) */
void compare_files(const struct dataset *dataset, const struct choices *choices,
                   struct output *output);
void compare_descriptors(const struct dataset *dataset, const struct choices *choices,
                         struct output *output);

#endif
