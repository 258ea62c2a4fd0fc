/* session.h: what one run of xer_print knows: its experiments, their tables, and the user's
 * choices.
 *
 * Data are read and tables built at the first command that needs them, once. */
#ifndef XER_ANALYZER_SESSION_H
#define XER_ANALYZER_SESSION_H

#include "analyzer/fold.h"
#include "analyzer/metric.h"
#include "analyzer/print.h"
#include "analyzer/tree.h"
#include "experiment/experiment.h"

#include <stddef.h>
#include <stdio.h>

/* Exit statuses, the worst of which remains. */
enum { EXIT_OK = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2 };

enum name_form { NAME_LONG, NAME_SHORT, NAME_MANGLED };

struct session_experiment {
	struct experiment *experiment;
	const struct exp_info *info;
	const struct exp_data_set *data; /* NULL until loaded */
};

struct session {
	struct session_experiment *experiments; /* experiments[count] */
	size_t count, capacity;
	struct symbols *symbols;
	int is_loaded;
	unsigned have; /* set of enum metric_data: what was recorded */

	struct tree *trees[TREE_MODES];
	struct fold_row *folds[TREE_MODES];
	struct fold_edges *edges;

	struct metric_list metrics;
	struct metric_sort sort;
	size_t limit; /* rows of a table, 0: all */
	enum name_form name_form;
	int with_soname;
	int is_expert;                /* frames of the recorder are shown */
	struct sym_function recorder; /* stands for its frames if not */

	FILE *out;
	struct print print;
	int script_depth;
	int status; /* exit status so far */
	int is_quit;
};

void session_init(struct session *session);
void session_fini(struct session *session);

/* Open an experiment and its descendants. Returns 0, or a negative value after a message. */
int session_open(struct session *session, const char *path);

/* Read the data of all experiments; done by the functions below when needed. */
void session_load(struct session *session);

/* Kinds of data that a loaded experiment has, or was to record: a set of enum metric_data. */
unsigned session_data_of(const struct session_experiment *at);

/* Find out what kinds of data there are, and set metrics and sort order to the defaults. */
void session_set_defaults(struct session *session);

/* Show or hide the recorder's frames. */
void session_set_expert(struct session *session, int is_expert);

/* The call tree and the flat table of a mode, and the edges of the tree of functions. Borrowed. */
const struct tree *session_tree(struct session *session, enum tree_mode mode);
const struct fold_row *session_fold(struct session *session, enum tree_mode mode);
const struct fold_edges *session_edges(struct session *session);

/* Print one line on stderr, "xer_print: ...", after everything printed so far; control bytes are
 * escaped. */
void session_say(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and remember the exit status. */
void session_fail(struct session *session, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
