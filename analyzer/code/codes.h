/* codes.h: the functions that a disassembly is about, in each of the compared builds. */
#ifndef XER_ANALYZER_CODE_CODES_H
#define XER_ANALYZER_CODE_CODES_H

#include "analyzer/print/output.h"
#include "analyzer/code/code.h"
#include "analyzer/code/place.h"

struct codes {
	const struct sym_function *
		*functions; /* functions[count], as the tables know them, by address */
	size_t count, capacity;
	struct code *at; /* at[function * columns + column]; without instructions where the group
	                    has no such function */
	size_t columns;
};

/* Find and decode them: a function, or those functions of a file that have code of their own in
 * recorded stacks. Prints why something cannot be decoded. Returns 0, or -ENOENT if there is
 * nothing to show; call codes_fini in any case. */
int codes_init(struct codes *codes, const struct dataset *dataset, const struct choices *choices,
               struct output *output, const struct place *place);
void codes_fini(struct codes *codes);

#endif
