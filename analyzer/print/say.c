/* say.c: messages on stderr, after everything that was printed so far, and the exit status. */
#include "analyzer/data/session.h"

#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(struct session *session, int with_place, const char *format, va_list arguments)
{
	char *text = NULL, cut[512];
	va_list again;

	/* What is to be said may be that there is no memory. */
	va_copy(again, arguments);
	if (vasprintf(&text, format, arguments) < 0) {
		vsnprintf(cut, sizeof(cut), format, again);
		text = NULL;
	}
	va_end(again);
	if (session->out) {
		fflush(session->out);
		pager_settle(session->out);
	}
	fprintf(stderr, "%s: ", session->program);
	if (with_place && session->place.file) {
		text_put(stderr, session->place.file);
		fprintf(stderr, ":%zu:%zu: ", session->place.line, session->place.column);
	}
	text_put(stderr, text ? text : cut);
	fputc('\n', stderr);
	free(text);
}

void session_say(struct session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, 0, format, arguments);
	va_end(arguments);
}

void session_fail(struct session *session, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, 1, format, arguments);
	va_end(arguments);
	if (status > session->status)
		session->status = status;
}

void session_fail_at(struct session *session, const char *command, size_t column, const char *what)
{
	if (!session->place.file) {
		session_fail(session, EXIT_USAGE, "%s: column %zu: %s", command, column, what);
		return;
	}
	session->place.column += column - 1;
	session_fail(session, EXIT_USAGE, "%s: %s", command, what);
}

void session_page(struct session *session)
{
	session->out = pager_begin(session->out);
}

void session_end_page(struct session *session)
{
	if (pager_end(&session->out) != 0)
		session_fail(session, EXIT_TROUBLE, "cannot write the output");
}
