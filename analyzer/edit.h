/* edit.h: a line from a terminal, with a history.
 *
 * Keys: arrows, Home, End, Delete, Backspace, Ctrl-A E B F P N K U W L C D. */
#ifndef XER_ANALYZER_EDIT_H
#define XER_ANALYZER_EDIT_H

struct edit;

struct edit *edit_create(void);
void edit_destroy(struct edit *edit);

/* Read a line from standard input, a terminal. Returns it without its newline, the caller's to
 * free, or NULL at the end of the input. */
char *edit_read_line(struct edit *edit, const char *prompt);

#endif
