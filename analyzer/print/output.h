/* output.h: where reports are printed, in which form, what is said on stderr, and its exit status.
 */
#ifndef XER_ANALYZER_PRINT_OUTPUT_H
#define XER_ANALYZER_PRINT_OUTPUT_H

#include "analyzer/print/print.h"
#include <stddef.h>
#include <stdio.h>

/* Exit statuses, the worst of which remains: the largest, but that a check has failed is worse than
 * that one is undecided. */
enum { EXIT_OK = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_CHECK = 3, EXIT_UNDECIDED = 4 };

struct output {
	const char *program; /* whose messages these are */
	FILE *out;
	struct print print;
	struct {
		const char *file;    /* of the script that runs, NULL: none */
		size_t line, column; /* of the command's argument, else of the command */
	} place;
	char *quality; /* what is said of the quality of the data in this file, as text; NULL:
	                * nothing. It is said again where it changes */
	int script_depth;
	int is_rc;   /* the script is an rc file: only settings may stand there */
	int exports; /* standard output gets what the command line exports: settings are not printed
	              * there */
	int status;  /* exit status so far */
	int is_quit;
};

/* Print one line on stderr, "xer_print: ...", after everything printed so far; control bytes are
 * escaped. */
void output_say(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and remember the exit status. In a script its name, line and column stand before the
 * text. */
void output_fail(struct output *output, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The worse of two exit statuses. */
int output_worse(int status, int other);

/* Wrong usage at a column, from 1, of a command's argument. */
void output_fail_at(struct output *output, const char *command, size_t column, const char *what);

/* From now on, what is longer than the screen goes through a pager (terminal.h), or no longer
 * does. */
void output_page(struct output *output);
void output_end_page(struct output *output);

/* Another file: what was said in the one before is to be said again. */
void output_forget(struct output *output);

#endif
