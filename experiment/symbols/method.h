/* method.h: methods of Java as the symbols show them. */
#ifndef XER_EXPERIMENT_SYMBOLS_METHOD_H
#define XER_EXPERIMENT_SYMBOLS_METHOD_H

#include "experiment/symbols/symbols_internal.h"

struct exp_method;

/* The name of the method that a function was compiled from, with its signature; in the symbols'
 * arena. NULL: out of memory. */
const char *exp_sym_method_name(struct symbols *symbols, const struct exp_method *method);

/* The same for people: java.lang.String.indexOf(String, int). */
const char *exp_sym_method_title(struct symbols *symbols, const struct exp_method *method);

/* The source file of a method as it stands below the place of all sources: java/lang/String.java;
 * in the symbols' arena, or NULL. */
const char *exp_sym_method_source(struct symbols *symbols, const struct exp_method *method);

/* The frame of an interpreted method by its mark (format/record.h). Returns 1, or -ENOMEM. */
int exp_sym_resolve_interpreted(struct symbols *symbols, struct exp_sym_object *object,
                                const struct experiment *experiment, uint64_t mark,
                                const struct sym_frame **out);

/* The frames at `pc` in a compiled method, innermost first: what was inlined, as far as it is
 * known. Returns their number, at least 1, or -ENOMEM. */
int exp_sym_resolve_compiled(struct symbols *symbols, struct exp_sym_object *object,
                             const struct experiment *experiment,
                             const struct exp_function *function, uint64_t pc,
                             const struct sym_frame **out);

#endif
