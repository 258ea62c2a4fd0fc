/* text.h: print text from an experiment, which may contain any bytes, to a terminal. */
#ifndef XER_ANALYZER_BASE_TEXT_H
#define XER_ANALYZER_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
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

/* True if exact times of which the greatest is given are written in microseconds: all are below a
 * millisecond. */
int text_is_short(uint64_t greatest_ns);

enum { TEXT_TIME_MAX = 32 };

/* An exact time as text[TEXT_TIME_MAX]: in microseconds with 3 digits if `is_short`, else in
 * seconds with 6. Returns text. */
char *text_time(uint64_t ns, int is_short, char *text);

/* Put commas between the thousands of the number that a text is, if it has five digits or more
 * before its point: four can be read at a glance. The text may become longer by a third. Returns
 * text. */
char *text_group(char *text);

/* A time as text[TEXT_TIME_MAX], rounded to so many digits behind the point of a unit, which is a
 * power of ten with at least as many zeros. Returns text. */
char *text_time_digits(uint64_t ns, uint64_t unit_ns, unsigned digits, char *text);

/* Last component of a path. */
const char *text_base(const char *path);

#endif
