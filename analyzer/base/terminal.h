/* terminal.h: output on a terminal: colour if it is wanted, a pager for what is longer than the
 * screen, and a line of progress for what takes long. If output does not go to a terminal, none of
 * this happens. */
#ifndef XER_ANALYZER_BASE_TERMINAL_H
#define XER_ANALYZER_BASE_TERMINAL_H

#include <stdio.h>

/* Codes for a terminal that understands colour: ECMA-48, select graphic rendition. */
#define TERMINAL_BOLD "\033[1m"
#define TERMINAL_HOT "\033[1;31m"
#define TERMINAL_FAINT "\033[2m"
#define TERMINAL_PLAIN "\033[0m"

/* True if what is printed to `out` goes to a terminal that has colour, and NO_COLOR
 * (https://no-color.org) is not set. */
int terminal_has_color(const FILE *out);

/* Columns of the terminal that `out` goes to: $COLUMNS, else what the terminal says. 0: nothing is
 * cut; also if `out` does not go to a terminal. */
size_t terminal_columns(const FILE *out);

/* The number that a text is, with its thousands apart (text_group) if `out` goes to a terminal with
 * columns. Returns text. */
char *terminal_group(const FILE *out, char *text);

/* An integer as text[TERMINAL_NUMBER_MAX], likewise. */
enum { TERMINAL_NUMBER_MAX = 32 };
char *terminal_number(const FILE *out, unsigned long long number, char *text);

/* Rows of the terminal that `out` goes to, 0: it does not go to a terminal. */
size_t terminal_rows(const FILE *out);

/* Let output that is longer than the screen go through $XER_PAGER, $PAGER or less, if `out` is
 * standard output and a terminal. The pager is started when the screen is full. Returns where to
 * print from now on. pager_end waits for it, and sets *out to standard output again; it returns 0,
 * or -1: not everything could be written. Both may be called at any time. While a pager runs,
 * SIGPIPE and SIGINT are ignored: a user who leaves the pager has seen enough. */
FILE *pager_begin(FILE *out);
int pager_end(FILE **out);

/* What was printed so far goes to the terminal now: a message on stderr comes next. */
void pager_settle(const FILE *out);

/* Show on stderr, if that is a terminal, what takes so long: after half a second and then
 * repeatedly, in one line that is removed at the end; printf-like. Not nested. Uses SIGALRM. */
void progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);

#endif
