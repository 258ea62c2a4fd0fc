/* output.c: messages on stderr, after everything that was printed so far, and the exit status. */
#include "analyzer/print/output.h"

#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(struct output *output, int with_place, const char *format, va_list arguments)
{
	char *text = NULL, cut[512];
	va_list again;

	/* The message may be that there is no memory. */
	va_copy(again, arguments);
	if (vasprintf(&text, format, arguments) < 0) {
		vsnprintf(cut, sizeof(cut), format, again);
		text = NULL;
	}
	va_end(again);
	if (output->out) {
		fflush(output->out);
		pager_settle(output->out);
	}
	fprintf(stderr, "%s: ", output->program);
	if (with_place && output->place.file) {
		text_put(stderr, output->place.file);
		fprintf(stderr, ":%zu:%zu: ", output->place.line, output->place.column);
	}
	text_put(stderr, text ? text : cut);
	fputc('\n', stderr);
	free(text);
}

void output_say(struct output *output, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(output, 0, format, arguments);
	va_end(arguments);
}

int output_worse(int status, int other)
{
	if (status == EXIT_CHECK || other == EXIT_CHECK)
		return EXIT_CHECK;
	return status > other ? status : other;
}

void output_fail(struct output *output, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(output, 1, format, arguments);
	va_end(arguments);
	output->status = output_worse(output->status, status);
}

void output_fail_at(struct output *output, const char *command, size_t column, const char *what)
{
	if (!output->place.file) {
		output_fail(output, EXIT_USAGE, "%s: column %zu: %s", command, column, what);
		return;
	}
	output->place.column += column - 1;
	output_fail(output, EXIT_USAGE, "%s: %s", command, what);
}

void output_forget(struct output *output)
{
	free(output->quality);
	output->quality = NULL;
}

void output_page(struct output *output)
{
	output->out = pager_begin(output->out);
}

void output_end_page(struct output *output)
{
	if (pager_end(&output->out) != 0)
		output_fail(output, EXIT_TROUBLE, "cannot write the output");
}
