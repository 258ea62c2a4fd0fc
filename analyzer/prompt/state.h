/* state.h: the file that the history of the prompt is kept in. */
#ifndef XER_ANALYZER_PROMPT_STATE_H
#define XER_ANALYZER_PROMPT_STATE_H

/* Path of the history: xer/history in $XDG_STATE_HOME, else in ~/.local/state (XDG Base Directory
 * Specification 0.8). Its directories are made. NULL: there is no place for it. The caller frees.
 */
char *state_history(void);

#endif
