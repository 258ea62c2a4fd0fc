/* session.h: what one run of xer_print knows: its experiments, their tables, and the user's
 * choices.
 *
 * Data are read and tables built at the first command that needs them, once. */
#ifndef XER_ANALYZER_DATA_SESSION_H
#define XER_ANALYZER_DATA_SESSION_H

#include "analyzer/model/frames.h"
#include "analyzer/check/check.h"
#include "analyzer/code/disassemble.h"
#include "analyzer/model/fold.h"
#include "analyzer/model/fragment.h"
#include "analyzer/model/metric.h"
#include "analyzer/print/print.h"
#include "analyzer/model/shown.h"
#include "analyzer/model/tree.h"
#include "experiment/experiment.h"

#include <stddef.h>
#include <stdio.h>

/* Exit statuses, the worst of which remains. */
enum { EXIT_OK = 0, EXIT_TROUBLE = 1, EXIT_USAGE = 2, EXIT_CHECK = 3 };

enum name_form { NAME_LONG, NAME_SHORT, NAME_MANGLED };

struct filters;
struct index_types;
struct defaults;

struct session_experiment {
	struct experiment *experiment;
	const struct exp_info *info;
	const struct exp_data_set *whole; /* NULL until loaded */
	const struct exp_data_set
		*data;    /* what the filters leave of it, the same where there are none */
	unsigned id;      /* as exp_list numbers it, from 1; never used again */
	unsigned founder; /* id of the founder that it was opened with, 0: none */
	unsigned group;   /* index of its group */
	int is_selected;
};

/* What one word of the command line, or one add_exp, named: an experiment with its descendants, or
 * a group file. */
struct session_group {
	char *path;
};

enum { SESSION_ALL = UINT32_MAX };

/* What listings of source and instructions show. */
struct session_listing {
	unsigned source_threshold,
		disasm_threshold; /* percent of the greatest value: from there on a line is hot */
	unsigned source_comments, disasm_comments; /* sets of enum comment_class */
	int context; /* lines around those with data; LISTING_WHOLE, LISTING_AUTO */
	enum assembly assembly;
};

struct session {
	const char *program; /* whose messages these are */
	struct session_experiment
		*experiments; /* experiments[count]; views walk over them with session_next */
	size_t count, capacity;
	struct session_group
		*groups; /* groups[group_count]; those whose experiments were dropped stay */
	size_t group_count, group_capacity;
	unsigned last_id;
	unsigned focus; /* the group that views see, SESSION_ALL: every one */
	struct symbols *symbols;
	const char
		*instr_map; /* names the functions of foreign logs; NULL: nothing does. Borrowed */
	unsigned have;      /* set of enum metric_data: what was recorded */

	struct shown *shown;
	enum tree_compare compare;
	struct tree *trees[TREE_MODES];
	struct fold_row **folds[TREE_MODES]; /* of the whole tree, then of its parts */
	struct fold_edges **edges;           /* the same */
	size_t columns;                      /* parts that the tables were made with */

	struct metric_list metrics;
	struct metric_sort sort;
	struct filters *filters;
	struct index_types *indexes;
	struct defaults *defaults;
	struct fragment fragment; /* of csingle and what follows it */
	size_t limit;             /* rows of a table, 0: all */
	struct session_listing listing;
	enum name_form name_form;
	int with_soname;
	enum frames_mode mode;                      /* which frames are shown */
	struct sym_function stand_in[FRAMES_KINDS]; /* for those that are not */

	char **base_paths; /* base_paths[base_count]: experiments to check against */
	size_t base_count, base_capacity;
	struct session *base; /* of them, opened when needed; NULL: none */
	char *junit_path;     /* NULL: no report is wanted */
	struct check_results results;

	FILE *out;
	struct print print;
	int script_depth;
	int is_rc; /* the script is an rc file: only settings may stand there */
	struct {
		const char *file;    /* of the script that runs, NULL: none */
		size_t line, column; /* of the command's argument, else of the command */
	} place;
	int exports; /* standard output is what the command line exports: settings are not told
	                there */
	int status;  /* exit status so far */
	int is_quit;
};

void session_init(struct session *session);
void session_fini(struct session *session);

/* Open an experiment and its descendants as a new group (experiments.c). What is open already is
 * not opened again. Returns 0, or a negative value after a message. */
int session_open(struct session *session, const char *path);

/* The same in place of all that are open, which are closed if it could be opened; their numbers
 * begin anew. Call session_refresh afterwards. */
int session_open_alone(struct session *session, const char *path);

/* The selected experiment after `at`, NULL: the first; NULL at the end. */
struct session_experiment *session_next(const struct session *session,
                                        const struct session_experiment *at);

/* The experiment with this number, selected or not; NULL: none has it. */
struct session_experiment *session_find(const struct session *session, unsigned long id);

/* The experiment at a path, however that is spelled; NULL: it is not open. */
struct session_experiment *session_find_path(const struct session *session, const char *path);

/* Close the experiment at a path with its descendants, or those of a group file. Returns how many
 * were closed. session_drop_all closes all, and numbers begin anew. Call session_refresh
 * afterwards. */
size_t session_drop(struct session *session, const char *path);
void session_drop_all(struct session *session);

/* Read experiments again whose processes were running, and open descendants that are new. Returns
 * how many were read. Call session_refresh afterwards. */
size_t session_reload(struct session *session);

/* Number of selected experiments. */
size_t session_selected(const struct session *session);

/* Forget all tables: what they are made of has changed. */
void session_forget_tables(struct session *session);

/* After experiments came, went or changed: forget the tables, read what is new, and keep of the
 * metrics and the order of rows what there are data for. */
void session_refresh(struct session *session);

/* Read the data of all experiments that are not read yet, and filter them if the filters have
 * changed; done by the functions below when needed. */
void session_load(struct session *session);

/* What a negative status of experiment/ means. */
const char *session_cause(int status);

/* Kinds of data that a loaded experiment has, or was to record: a set of enum metric_data. */
unsigned session_data_of(const struct session_experiment *at);

/* Find out what kinds of data there are, and set metrics and sort order to the defaults. */
void session_set_defaults(struct session *session);

/* Which frames are shown from now on. */
void session_set_mode(struct session *session, enum frames_mode mode);

/* The call tree and the flat table of a mode, and the edges of the tree of functions: of all
 * selected experiments, or of the group in focus. Borrowed. (columns.c) */
const struct tree *session_tree(struct session *session, enum tree_mode mode);
const struct fold_row *session_fold(struct session *session, enum tree_mode mode);
const struct fold_edges *session_edges(struct session *session);

/* Number of groups that are compared, so of columns for each metric: 1 if nothing is compared. */
size_t session_columns(const struct session *session);

/* The group of a column of a comparison. */
unsigned session_column_group(const struct session *session, size_t column);

/* The same tables with the values of one column. Nodes, items and edges have the same numbers in
 * all of them. */
const struct tree *session_column_tree(struct session *session, enum tree_mode mode, size_t column);
const struct fold_row *session_column_fold(struct session *session, enum tree_mode mode,
                                           size_t column);
const struct fold_edges *session_column_edges(struct session *session, size_t column);

/* Print one line on stderr, "xer_print: ...", after everything printed so far; control bytes are
 * escaped. */
void session_say(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and remember the exit status. In a script its name, line and column stand before the
 * text. */
void session_fail(struct session *session, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Wrong usage at a column, from 1, of a command's argument. */
void session_fail_at(struct session *session, const char *command, size_t column, const char *what);

/* From now on what is longer than the screen goes through a pager (terminal.h); and no more. */
void session_page(struct session *session);
void session_end_page(struct session *session);

#endif
