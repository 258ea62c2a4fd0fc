/* place.h: what the argument of a command about code means: a function, or a source file. */
#ifndef XER_ANALYZER_CODE_PLACE_H
#define XER_ANALYZER_CODE_PLACE_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

struct place {
	const struct sym_function *function; /* NULL: a file was named */
	const char *file; /* source file of the function, or the one named; NULL: not known */
	const struct sym_object *object; /* that has code of it */
};

/* Find the place. If there are several, the number chooses one; without a number, they are listed.
 * Returns 0, or -ENOENT after a message. */
int place_find(const struct dataset *dataset, const struct choices *choices, struct output *output,
               const char *command, const char *name, unsigned long number, struct place *out);

#endif
