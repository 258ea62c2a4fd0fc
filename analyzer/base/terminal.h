/* terminal.h: manners on a terminal: colour where it is welcome, a pager for what is longer than
 * the screen, and a line of progress for what takes its time. Off a terminal nothing of this
 * happens. */
#ifndef XER_ANALYZER_BASE_TERMINAL_H
#define XER_ANALYZER_BASE_TERMINAL_H

#include <stdio.h>

struct session;

/* Codes for a terminal that understands colour: ECMA-48, select graphic rendition. */
#define TERMINAL_BOLD "\033[1m"
#define TERMINAL_HOT "\033[1;31m"
#define TERMINAL_PLAIN "\033[0m"

/* True if what the session prints now goes to a terminal that has colour, and NO_COLOR
 * (https://no-color.org) is not set. */
int terminal_has_color(const struct session *session);

/* Columns of the terminal that the session prints to: $COLUMNS, else what the terminal says. 0:
 * nothing is cut; so it is where the session prints elsewhere. */
size_t terminal_columns(const struct session *session);

/* Let output that is longer than the screen go through $XER_PAGER, $PAGER or less, if standard
 * output is a terminal and the session prints there. The pager is started when the screen is full.
 * pager_end waits for it; both may be called at any time. While one runs, SIGPIPE and SIGINT are
 * ignored: who leaves the pager has seen enough. */
void pager_begin(struct session *session);
void pager_end(struct session *session);

/* What was printed so far goes to the terminal: a message on stderr comes next. */
void pager_settle(const struct session *session);

/* Say on stderr, if that is a terminal, what takes so long, after half a second and then again and
 * again, in one line that vanishes in the end; printf-like. Not nested. Uses SIGALRM. */
void progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);

#endif
