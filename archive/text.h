/* text.h: text that comes from experiments. */
#ifndef XER_ARCHIVE_TEXT_H
#define XER_ARCHIVE_TEXT_H

#include <stdio.h>

/* Print text, control characters escaped: names in experiments may hold any bytes. */
void text_put(FILE *out, const char *text);

#endif
