/* row.h: how the tests of the tables say that a row lacks something, and the texts that they look
 * into. Paths are those of the tree, in whose root the tests run. */
#ifndef XER_TESTS_TABLES_ROW_H
#define XER_TESTS_TABLES_ROW_H

#include <stddef.h>

/* What stands in a file, or in all files below a folder whose names end with `tail`, one behind the
 * other. Of a manual page without the commands that change fonts, and with plain hyphens. A test
 * fails where there is no such file. */
const char *text_of(const char *path, const char *tail);

/* Does the word stand there, with no letter, digit or underscore beside it? */
int text_has(const char *text, const char *word);

/* The test fails unless `is_there`: "TABLE: row ROW lacks WHAT". */
void row_needs(int is_there, const char *table, const char *row, const char *what);

/* The row's name stands in a manual page, below man/. */
void row_needs_page(const char *table, const char *row, const char *word, const char *page);

/* Of a manual page: the word stands in a line behind .TP or .TQ, which begins its entry. */
void row_needs_entry(const char *table, const char *row, const char *word, const char *page);

/* The text stands there between `from` and the `to` behind it, NULL: the end. */
void row_needs_between(const char *table, const char *row, const char *text, const char *from,
                       const char *to, const char *page);

/* Does a test below tests/ name this word? Those of the tables do not count. */
int is_tested(const char *word);

/* A test names it. */
void row_needs_test(const char *table, const char *row, const char *word);

/* No other row is called so: `earlier[count]` are those before. */
void row_needs_own_name(const char *table, const char *row, const char *const *earlier,
                        size_t count);

#endif
