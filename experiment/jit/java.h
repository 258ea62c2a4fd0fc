/* java.h: Java methods, from map.xml and dyntext. */
#ifndef XER_EXPERIMENT_JIT_JAVA_H
#define XER_EXPERIMENT_JIT_JAVA_H

#include "experiment/base/internal.h"

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

/* The line of a method's bytecode, by the open dyntext: of the row with the highest bytecode index
 * that is not above it. Rows are in no order. 0: not known. */
unsigned exp_java_line_of(int fd, const struct exp_method *method, uint32_t bci);

/* A call that the compiler inlined. */
struct exp_java_call {
	uint32_t outer;       /* number of the call that it is inlined in, from 1; 0: none */
	uint32_t method, bci; /* where it is */
};

enum { EXP_JAVA_DEPTH_MAX = 1000 };

/* The calls at `pc`, innermost first, in calls[EXP_JAVA_DEPTH_MAX], by the open dyntext. Returns
 * their number. */
size_t exp_java_calls(int fd, const struct exp_function *function, uint64_t pc,
                      struct exp_java_call *calls);

/* The line of a compiled method itself, whatever is inlined there, that the code at `pc` belongs
 * to; 0: not known. */
unsigned exp_java_line(const struct experiment *experiment, const struct exp_function *function,
                       uint64_t pc);

#endif
