/* fault.c: owns how faults of expressions are reported. See fault.h. */
#include "analyzer/filter/fault.h"

#include <stdarg.h>
#include <stdio.h>

void *fault_tell(struct expression_error *error, size_t column, const char *format, ...)
{
	va_list arguments;

	if (error->column != 0)
		return NULL;
	error->column = column;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return NULL;
}
