/* text.h: print text from an experiment, which may contain any bytes, to a terminal. */
#ifndef XER_ANALYZER_BASE_TEXT_H
#define XER_ANALYZER_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Print text[len]: control bytes, C1 controls and invalid UTF-8 become \xNN, all else as it is. */
void text_put_bytes(FILE *out, const char *text, size_t len);

/* The same for a string; NULL prints nothing. */
void text_put(FILE *out, const char *text);

/* The string as text_put prints it. The caller frees. */
char *text_escape(const char *text);

/* Print a multi-line text, each line after `indent`, ended by a newline. */
void text_put_lines(FILE *out, const char *text, const char *indent);

/* Cut blanks off both ends of the text, which is changed. Returns where it begins. */
char *text_trim(char *text);

/* Last component of a path. */
const char *text_base(const char *path);

#endif
