/* fault.h: what is wrong with an expression, and where: the first fault is the one that is told. */
#ifndef XER_ANALYZER_FILTER_FAULT_H
#define XER_ANALYZER_FILTER_FAULT_H

#include "analyzer/filter/expression.h"

/* Say what is wrong at a column, unless something was wrong before. Returns NULL. */
void *fault_tell(struct expression_error *error, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
