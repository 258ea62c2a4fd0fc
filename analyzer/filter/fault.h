/* fault.h: what is wrong with an expression, and where: the first fault is reported. */
#ifndef XER_ANALYZER_FILTER_FAULT_H
#define XER_ANALYZER_FILTER_FAULT_H

#include "analyzer/filter/expression.h"

/* Report a fault at a column, unless one was reported before. Returns NULL. */
void *fault_tell(struct expression_error *error, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
