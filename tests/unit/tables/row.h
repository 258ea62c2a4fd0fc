/* row.h: how the tests of the tables report that a row lacks something, and the texts in which they
 * look. Paths are relative to the root of the tree, in which the tests run. */
#ifndef XER_TESTS_TABLES_ROW_H
#define XER_TESTS_TABLES_ROW_H

#include <stddef.h>

/* The content of a file, or of all files below a folder whose names end with `tail`, one after the
 * other. Manual pages come without the commands that change fonts, and with plain hyphens. A test
 * fails if there is no such file. */
const char *text_of(const char *path, const char *tail);

/* Is the word there, with no letter, digit or underscore next to it? */
int text_has(const char *text, const char *word);

/* The test fails unless `is_there`: "TABLE: row ROW lacks WHAT". */
void row_needs(int is_there, const char *table, const char *row, const char *what);

/* The row's name is in a manual page, below man/. */
void row_needs_page(const char *table, const char *row, const char *word, const char *page);

/* In a manual page: the word is in a line after .TP or .TQ, which begins its entry. */
void row_needs_entry(const char *table, const char *row, const char *word, const char *page);

/* The text is there between `from` and the next `to`; NULL: the end. */
void row_needs_between(const char *table, const char *row, const char *text, const char *from,
                       const char *to, const char *page);

/* Does a test below tests/ mention this word? The tests of the tables do not count. */
int is_tested(const char *word);

/* A test mentions it. */
void row_needs_test(const char *table, const char *row, const char *word);

/* No other row has this name: `earlier[count]` are the rows before. */
void row_needs_own_name(const char *table, const char *row, const char *const *earlier,
                        size_t count);

#endif
