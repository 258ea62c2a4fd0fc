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

	while (!session->is_quit && getline(&line, &size, file) >= 0) {
		session->place.file = name;
		session->place.line = ++number;
		run_line(session, line);
	}
	session->place.file = NULL;
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
		session_fail(session, EXIT_TROUBLE, "script: %s: %s", path,
		             strerror(!file ? errno : EISDIR));
	} else {
		script_run_file(session, run_line, file, file == stdin ? "standard input" : path);
	}
	if (file && file != stdin)
		fclose(file);
}

void script_run(struct session *session, script_line *run_line, const char *path)
{
	if (session->script_depth == DEPTH_MAX) {
		session_fail(session, EXIT_TROUBLE, "script: %s: scripts nested too deep", path);
		return;
	}
	session->script_depth++;
	run_file(session, run_line, path);
	session->script_depth--;
}

void script_interact(struct session *session, script_line *run_line)
{
	int status = session->status;
	struct edit *edit;
	char *line;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		script_run_file(session, run_line, stdin, "standard input");
		return;
	}
	session_end_page(session);
	edit = edit_create();
	while (!session->is_quit) {
		fflush(session->out);
		line = edit_read_line(edit, "(xer_print) ");
		if (!line)
			break;
		session_page(session);
		run_line(session, line);
		session_end_page(session);
		free(line);
	}
	edit_destroy(edit);
	/* A slip of the finger that was seen and mended is no failure of the session. */
	if (session->status == EXIT_USAGE)
		session->status = status;
}
