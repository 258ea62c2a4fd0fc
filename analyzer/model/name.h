/* name.h: the names of functions, lines and instructions in tables. */
#ifndef XER_ANALYZER_MODEL_NAME_H
#define XER_ANALYZER_MODEL_NAME_H

#include "analyzer/model/choices.h"

/* Name of a function as the user wants it (long, short, mangled; with its object). The caller
 * frees. */
char *name_function(const struct choices *choices, const struct sym_function *function);

/* Name of an item of a tree of `mode`: `work`, `work, line 2 in "t.c"`, `work + 0x0000000B, line 2
 * in "t.c"`. The caller frees. */
char *name_item(const struct choices *choices, enum tree_mode mode, const struct sym_frame *item);

/* A demangled name without its arguments: "f(int)" gives "f". The caller frees. */
char *name_shorten(const char *name);

#endif
