/* fit.h: text that fits on a terminal. Widths are columns of the screen; 0 means no limit, as for
 * all output that does not go to a terminal. */
#ifndef XER_ANALYZER_BASE_FIT_H
#define XER_ANALYZER_BASE_FIT_H

#include <stddef.h>
#include <stdio.h>

/* A name with fewer columns than this says nothing: if there is less space, the terminal breaks the
 * line. */
enum { FIT_LEAST = 24 };

/* Columns that a text takes when text_put prints it. */
size_t fit_width(const char *text);

/* The text as text_put prints it; if it is wider than `columns`, without its middle: "std::map<int,
 * ...>::find". The lines of a tree before a name (blanks and |+-) are kept. The caller frees. */
char *fit_cut(const char *text, size_t columns);

/* Which of names[count] would look like a different one if fit_cut cut them: they have to be
 * printed whole. As bytes, 1 for such names; the caller frees. NULL: none. The lines of a tree do
 * not make names different. */
unsigned char *fit_find_alike(const char *const *names, size_t count, size_t columns);

/* Print it. */
void fit_put(FILE *out, const char *text, size_t columns);

/* Print the text, broken at blanks if it is wider than `columns`. Each further line begins below
 * the text's beginning, which is at column `begin` of the screen, `indent` columns further right.
 */
void fit_put_wrapped(FILE *out, const char *text, size_t columns, size_t begin, size_t indent);

#endif
