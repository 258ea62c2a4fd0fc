/* script.h: commands from files, pipes and people. */
#ifndef XER_ANALYZER_SCRIPT_H
#define XER_ANALYZER_SCRIPT_H

#include "analyzer/data/session.h"

/* Run the commands of an open file; `name` stands in messages. */
void script_run_file(struct session *session, FILE *file, const char *name);

/* Run commands from standard input: with a prompt and a history if that is a terminal. */
void script_interact(struct session *session);

#endif
