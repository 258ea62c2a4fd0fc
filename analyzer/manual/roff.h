/* roff.h: the text of a piece of a manual page: the macros of man(7) that the pages of Xer use. */
#ifndef XER_ANALYZER_MANUAL_ROFF_H
#define XER_ANALYZER_MANUAL_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Print source[len], whole lines, filled to so many columns and indented. Tables are printed row by
 * row. */
void roff_put(const char *source, size_t len, size_t columns, size_t indent, FILE *out);

/* One line of source[len] as plain text: without its macro, quotes and escapes. Cut to
 * text[size]. */
void roff_plain(const char *source, size_t len, char *text, size_t size);

#endif
