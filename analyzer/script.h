/* script.h: commands from files, pipes and people. */
#ifndef XER_ANALYZER_SCRIPT_H
#define XER_ANALYZER_SCRIPT_H

#include "analyzer/prompt/words.h"
#include "analyzer/views/analysis.h"

/* What runs a line, which it may change: command_run_line. */
typedef void script_line(struct analysis *analysis, char *line);

/* Run the lines of an open file; `name` stands in messages. */
void script_run_file(struct analysis *analysis, script_line *run_line, FILE *file,
                     const char *name);

/* Run the lines of the file at a path, "-" being standard input, until its end or `quit`. */
void script_run(struct analysis *analysis, script_line *run_line, const char *path);

/* What may complete a line: complete_line. */
typedef void script_completer(struct analysis *analysis, const char *text, size_t len,
                              struct words *out);

/* Run lines from standard input: if that is a terminal, with a prompt, a history and completion. */
void script_interact(struct analysis *analysis, script_line *run_line, script_completer *complete);

#endif
