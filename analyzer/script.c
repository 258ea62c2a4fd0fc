/* script.c: reads commands line by line. */
#include "analyzer/script.h"

#include "analyzer/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 16 }; /* of scripts that run scripts, one of which may run itself */

void script_run_file(struct session *session, script_line *run_line, FILE *file, const char *name)
{
	char *line = NULL;
	size_t size = 0, number = 0;

	while (!session->output.is_quit && getline(&line, &size, file) >= 0) {
		session->output.place.file = name;
		session->output.place.line = ++number;
		run_line(session, line);
	}
	session->output.place.file = NULL;
	free(line);
}

static int is_directory(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
}

static void run_file(struct session *session, script_line *run_line, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

	if (!file || is_directory(file)) {
		output_fail(&session->output, EXIT_TROUBLE, "script: %s: %s", path,
		            strerror(!file ? errno : EISDIR));
	} else {
		script_run_file(session, run_line, file, file == stdin ? "standard input" : path);
	}
	if (file && file != stdin)
		fclose(file);
}

void script_run(struct session *session, script_line *run_line, const char *path)
{
	if (session->output.script_depth == DEPTH_MAX) {
		output_fail(&session->output, EXIT_TROUBLE, "script: %s: scripts nested too deep",
		            path);
		return;
	}
	session->output.script_depth++;
	run_file(session, run_line, path);
	session->output.script_depth--;
}

void script_interact(struct session *session, script_line *run_line)
{
	int status = session->output.status;
	struct edit *edit;
	char *line;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		script_run_file(session, run_line, stdin, "standard input");
		return;
	}
	output_end_page(&session->output);
	edit = edit_create();
	while (!session->output.is_quit) {
		fflush(session->output.out);
		line = edit_read_line(edit, "(xer_print) ");
		if (!line)
			break;
		output_page(&session->output);
		run_line(session, line);
		output_end_page(&session->output);
		free(line);
	}
	edit_destroy(edit);
	/* A slip of the finger that was seen and mended is no failure of the session. */
	if (session->output.status == EXIT_USAGE)
		session->output.status = status;
}
