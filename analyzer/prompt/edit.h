/* edit.h: a line from a terminal, by libedit: keys, a history that is kept, completion by Tab.
 *
 * Keys are those of Emacs and of editrc(5): arrows, Home, End, Delete, Backspace, Ctrl-A E B F P N
 * K U W L, Ctrl-R to search in the history, Ctrl-C to begin again, Ctrl-D to end. */
#ifndef XER_ANALYZER_PROMPT_EDIT_H
#define XER_ANALYZER_PROMPT_EDIT_H

#include "analyzer/prompt/words.h"

struct edit;

/* Add the words that may stand at the end of text[len], which is the line up to the cursor. */
typedef void edit_completer(void *context, const char *text, size_t len, struct words *out);

/* Standard input is a terminal. `path`: the file that earlier lines are read from and new ones
 * are added to, NULL: none. It is borrowed. */
struct edit *edit_create(const char *path, edit_completer *complete, void *context);
void edit_destroy(struct edit *edit);

/* Read a line from standard input. Returns it without its newline, the caller's to free, or NULL at
 * the end of the input. */
char *edit_read_line(struct edit *edit, const char *prompt);

#endif
