/* names.h: which function or file is meant by a name, and how to name one. */
#ifndef XER_ANALYZER_DATA_NAMES_H
#define XER_ANALYZER_DATA_NAMES_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"

/* Items of the tree of functions called `name` (long, short or mangled), or else those with the
 * address "OBJECT+0xADDRESS", sorted by their inclusive values. Returns their number; the caller
 * frees *out[number]. */
size_t name_find(const struct dataset *dataset, const struct choices *choices, const char *name,
                 uint32_t **out);

/* What to write after csingle or fsingle to mean this function: its name, and a number if others
 * have the same name. The caller frees. */
char *name_reference(const struct dataset *dataset, const struct choices *choices,
                     const struct sym_function *function);

/* The source file of a function; where no definition of it is known, that of any of its lines.
 * NULL: not known. */
const char *name_file(const struct dataset *dataset, const struct sym_function *function);

#endif
