/* message.c: reports faults of the input, with the experiment's path before them. */
#include "experiment/base/internal.h"

#include <stdarg.h>
#include <stdio.h>

void exp_warn(struct experiment *experiment, const char *format, ...)
{
	char text[1024];
	int len = snprintf(text, sizeof(text), "%.500s: ", experiment->info.path);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + len, sizeof(text) - (size_t)len, format, arguments);
	va_end(arguments);
	exp_warn_told(experiment, text);
}

void exp_warn_told(struct experiment *experiment, const char *message)
{
	experiment->info.damaged = 1;
	if (experiment->reporter.warn)
		experiment->reporter.warn(experiment->reporter.context, message);
}
