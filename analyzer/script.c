/* script.c: reads commands line by line. */
#include "analyzer/script.h"

#include "analyzer/prompt/edit.h"
#include "analyzer/prompt/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 16 }; /* of scripts that run scripts, one of which may run itself */

void script_run_file(struct analysis *analysis, script_line *run_line, FILE *file, const char *name)
{
	char *line = NULL;
	size_t size = 0, number = 0;

	while (!analysis->output.is_quit && getline(&line, &size, file) >= 0) {
		analysis->output.place.file = name;
		analysis->output.place.line = ++number;
		run_line(analysis, line);
	}
	analysis->output.place.file = NULL;
	free(line);
}

static int is_directory(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
}

static void run_file(struct analysis *analysis, script_line *run_line, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

	if (!file || is_directory(file)) {
		output_fail(&analysis->output, EXIT_TROUBLE, "script: %s: %s", path,
		            strerror(!file ? errno : EISDIR));
	} else {
		script_run_file(analysis, run_line, file, file == stdin ? "standard input" : path);
	}
	if (file && file != stdin)
		fclose(file);
}

void script_run(struct analysis *analysis, script_line *run_line, const char *path)
{
	if (analysis->output.script_depth == DEPTH_MAX) {
		output_fail(&analysis->output, EXIT_TROUBLE, "script: %s: scripts nested too deep",
		            path);
		return;
	}
	analysis->output.script_depth++;
	run_file(analysis, run_line, path);
	analysis->output.script_depth--;
}

struct prompt {
	struct analysis *analysis;
	script_completer *complete;
};

static void complete(void *context, const char *text, size_t len, struct words *out)
{
	struct prompt *prompt = context;

	prompt->complete(prompt->analysis, text, len, out);
}

static void run_prompt(struct analysis *analysis, script_line *run_line, struct edit *edit)
{
	char *line;

	while (!analysis->output.is_quit) {
		fflush(analysis->output.out);
		line = edit_read_line(edit, "(xer_print) ");
		if (!line)
			break;
		output_page(&analysis->output);
		run_line(analysis, line);
		output_end_page(&analysis->output);
		free(line);
	}
}

void script_interact(struct analysis *analysis, script_line *run_line, script_completer *completer)
{
	int status = analysis->output.status;
	struct prompt prompt = {analysis, completer};
	struct edit *edit;
	char *history;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		script_run_file(analysis, run_line, stdin, "standard input");
		return;
	}
	output_end_page(&analysis->output);
	history = state_history();
	edit = edit_create(history, complete, &prompt);
	run_prompt(analysis, run_line, edit);
	edit_destroy(edit);
	free(history);
	/* A typing error that was seen and corrected is not a failure of the run. */
	if (analysis->output.status == EXIT_USAGE)
		analysis->output.status = status;
}
