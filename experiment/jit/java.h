/* java.h: methods of Java, as map.xml and dyntext tell of them. */
#ifndef XER_EXPERIMENT_JIT_JAVA_H
#define XER_EXPERIMENT_JIT_JAVA_H

#include "experiment/base/internal.h"
#include "experiment/symbols/session.h"

struct exp_element;

/* A method. Several may be the same one: it was met interpreted, and compiled. */
struct exp_method {
	uint32_t id;
	const char *class_name; /* of the form java/lang/String */
	const char *name, *signature;
	const char *source;                /* file name, NULL: not known */
	uint64_t lines_offset, line_count; /* in dyntext */
};

/* Take a <method>. Returns 0 or -ENOMEM. */
int exp_java_method(struct exp_methods *methods, const struct exp_element *element);

/* Take a <class>. Returns 0 or -ENOMEM. */
int exp_java_class(struct exp_methods *methods, const struct exp_element *element);

/* All have been taken. */
void exp_java_finish(struct exp_methods *methods);

/* The method of that number, NULL if there is none. */
const struct exp_method *exp_java_find(const struct experiment *experiment, uint32_t id);

/* The frame of an interpreted method by its mark (format/record.h). Returns 1, or -ENOMEM. */
int session_resolve_interpreted(struct symbols *symbols, struct session_object *object,
                                const struct experiment *experiment, uint64_t mark,
                                const struct sym_frame **out);

/* The frames at `pc` in a compiled method, innermost first: what was inlined, as far as it is
 * known. Returns their number, at least 1, or -ENOMEM. */
int session_resolve_compiled(struct symbols *symbols, struct session_object *object,
                             const struct experiment *experiment,
                             const struct exp_function *function, uint64_t pc,
                             const struct sym_frame **out);

/* The line of a compiled method itself, whatever is inlined there, that the code at `pc` belongs
 * to; 0: not known. */
unsigned exp_java_line(const struct experiment *experiment, const struct exp_function *function,
                       uint64_t pc);

/* The source file of a method as it stands below the place of all sources: java/lang/String.java;
 * in the session's arena, or NULL. */
const char *session_method_source(struct symbols *symbols, const struct exp_method *method);

/* The name of the method that a function was compiled from, with its signature; in the session's
 * arena. NULL: out of memory. */
const char *session_method_name(struct symbols *symbols, const struct exp_method *method);

/* The same for people: java.lang.String.indexOf(String, int). */
const char *session_method_title(struct symbols *symbols, const struct exp_method *method);

#endif
