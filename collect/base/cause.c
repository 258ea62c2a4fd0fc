/* cause.c: the one way in which the modules of xcollect report what went wrong; main prints it. */
#include "collect/base/cause.h"

#include <stdarg.h>
#include <stdio.h>

int cause_set(struct cause *cause, int exit_code, const char *format, ...)
{
	va_list arguments;

	cause->exit_code = exit_code;
	va_start(arguments, format);
	vsnprintf(cause->text, sizeof(cause->text), format, arguments);
	va_end(arguments);
	return exit_code;
}
