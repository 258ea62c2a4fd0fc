/* java_method.h: Java methods by numbers. Each is an element of map.xml; its lines are in the file
 * dyntext. */
#ifndef XER_COLLECTOR_JAVA_METHOD_H
#define XER_COLLECTOR_JAVA_METHOD_H

#include "libcollector/unwind/walk.h"

/* A row of a line table: the lines of the bytecodes from `bci` on. */
struct java_line {
	uint32_t bci, line;
};

struct java_method {
	const char *class_name; /* of the form java/lang/String */
	const char *name, *signature;
	const char *source; /* file name, NULL: not known */
	const struct java_line *lines;
	uint32_t line_count;
};

/* Write a method, with everything else that is collected (java_batch.h). Returns its number, or 0.
 * Normal context. */
uint32_t java_method_tell(const struct java_method *method);

/* The mark in a call stack for the frame of an interpreted method, a Method of HotSpot, at the
 * bytecode `bcp`. 0: there is no method at that address. Signal-safe. */
uint64_t java_method_mark(struct walk_memo *memo, uint64_t method, uint64_t bcp);

/* In a forked child: no method has been written. */
void java_method_forget(void);

#endif
