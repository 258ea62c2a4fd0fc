/* dataset.h: the data of an analysis: the open experiments, the events that filters leave, and the
 * tables made from them.
 *
 * Views take a constant dataset. What is behind its pointers is filled when it is first asked for,
 * and kept until its sources change (dataset_forget_tables): the data of experiments
 * (dataset_load), the tables, symbols, and what functions are shown as. A view of one of the
 * compared groups takes a dataset with this group in focus (compare_part). */
#ifndef XER_ANALYZER_DATA_DATASET_H
#define XER_ANALYZER_DATA_DATASET_H

#include "analyzer/data/work.h"
#include "analyzer/model/fold.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/metric.h"
#include "analyzer/model/shown.h"
#include "analyzer/model/tree.h"
#include "experiment/experiment.h"
#include <stddef.h>

struct choices;
struct filters;
struct index_types;
struct output;
struct places;

struct dataset_experiment {
	struct experiment *experiment;
	const struct exp_info *info;
	const struct exp_data_set *whole; /* NULL until loaded */
	const struct exp_data_set
		*data;    /* what the filters leave of it; the same if there are none */
	unsigned id;      /* as exp_list numbers it, from 1; never used again */
	unsigned founder; /* id of the founder that it was opened with, 0: none */
	unsigned group;   /* index of its group */
	int is_selected;
	int killed_by; /* the signal that killed the process, 0: none, or it is not known */
	int has_core;  /* and left a dump */
};

/* What one argument of the command line, or one add_exp, named: an experiment with its descendants,
 * or a group file. */
struct dataset_group {
	char *path;
};

enum { DATASET_ALL = UINT32_MAX };

/* A tree of some metrics alone. */
struct dataset_part {
	enum tree_mode mode;
	metric_set metrics;
	int is_flat;
	struct tree *tree;
};

/* The tables, and what they were made with. */
struct dataset_tables {
	enum tree_compare compare;
	struct work work; /* that values of groups are told for */
	struct tree *trees[TREE_MODES];
	struct dataset_part *parts; /* parts[part_count] */
	size_t part_count, part_capacity;
	struct fold **folds[TREE_MODES];            /* of the whole tree, then of its parts */
	struct fold_edges **edges;                  /* the same */
	size_t columns;                             /* parts that the tables were made with */
	struct sym_function stand_in[FRAMES_KINDS]; /* for frames that are not shown */
};

struct dataset {
	struct dataset_experiment
		*experiments; /* experiments[count]; views walk over them with dataset_next */
	size_t count, capacity;
	struct dataset_group
		*groups; /* groups[group_count]; those whose experiments were dropped stay */
	size_t group_count, group_capacity;
	unsigned last_id;
	struct places *places;
	struct symbols *symbols;
	const char
		*instr_map; /* names the functions of foreign logs; NULL: nothing does. Borrowed */
	unsigned have;      /* set of enum metric_data: what was recorded */
	struct filters *filters;
	struct index_types *indexes;
	struct shown *shown;
	enum frames_mode mode; /* which frames are shown */
	unsigned focus;        /* the group that views see, DATASET_ALL: every one */
	struct dataset_tables *tables;
};

void dataset_init(struct dataset *dataset);
void dataset_fini(struct dataset *dataset);

/* Open an experiment and its descendants as a new group (experiments.c). One that is already open
 * is not opened again. Returns 0, or a negative value after a message. */
int dataset_open(struct dataset *dataset, const struct choices *choices, struct output *output,
                 const char *path);

/* The same instead of all open experiments, which are closed if it could be opened; numbers begin
 * again. Call analysis_refresh afterwards. */
int dataset_open_alone(struct dataset *dataset, const struct choices *choices,
                       struct output *output, const char *path);

/* The selected experiment after `at`, NULL: the first; NULL at the end. */
struct dataset_experiment *dataset_next(const struct dataset *dataset,
                                        const struct dataset_experiment *at);

/* The experiment with this number, selected or not; NULL: none has it. */
struct dataset_experiment *dataset_find(const struct dataset *dataset, unsigned long id);

/* The experiment at a path, however that is spelled; NULL: it is not open. (places.c) */
struct dataset_experiment *dataset_find_path(const struct dataset *dataset, const char *path);

/* Close the experiment at a path with its descendants, or those of a group file. Returns how many
 * were closed. dataset_drop_all closes all, and numbers begin again. Call analysis_refresh
 * afterwards. */
size_t dataset_drop(struct dataset *dataset, const char *path);
void dataset_drop_all(struct dataset *dataset);

/* Read experiments again whose processes were running, and open descendants that are new. Returns
 * how many were read. Call analysis_refresh afterwards. */
size_t dataset_reload(struct dataset *dataset, const struct choices *choices,
                      struct output *output);

/* Number of selected experiments. */
size_t dataset_selected(const struct dataset *dataset);

/* Forget all tables, because their sources have changed. */
void dataset_forget_tables(const struct dataset *dataset);

/* Read the data of all experiments that are not read yet, and filter them if the filters have
 * changed. The tables below are made from loaded data. */
void dataset_load(const struct dataset *dataset, struct output *output);

/* What a negative status of experiment/ means. */
const char *dataset_cause(int status);

/* The kinds of data that a loaded experiment has, or should have recorded: a set of enum
 * metric_data. */
unsigned dataset_data_of(const struct dataset_experiment *at);

/* Read what is not read yet, and find out what kinds of data there are. */
void dataset_find_data(struct dataset *dataset, struct output *output);

/* Are they programs and libraries, read in place of experiments, and nothing else? */
int dataset_is_programs(const struct dataset *dataset);

/* Which frames are shown from now on. */
void dataset_set_mode(struct dataset *dataset, enum frames_mode mode);

/* The call tree and the flat table of a mode, and the edges of the tree of functions: of all
 * selected experiments, or of the group in focus. Borrowed. (columns.c) */
const struct tree *dataset_tree(const struct dataset *dataset, enum tree_mode mode);
const struct fold *dataset_fold(const struct dataset *dataset, enum tree_mode mode);
const struct fold_edges *dataset_edges(const struct dataset *dataset);

/* The tree of frames with the stacks that have any of these metrics (bit 1 << metric), and with
 * these metrics alone. A list of stacks needs the others neither in time nor in memory. */
const struct tree *dataset_stacks(const struct dataset *dataset, metric_set metrics);

/* The functions to which values of these metrics belong, as nodes of a tree in which callers do not
 * matter. */
const struct tree *dataset_functions(const struct dataset *dataset, metric_set metrics);

/* Have the selected experiments, or the group in focus, any value of a metric? */
int dataset_has_value(const struct dataset *dataset, unsigned metric);

/* Number of groups that are compared, so of columns for each metric: 1 if nothing is compared. */
size_t dataset_columns(const struct dataset *dataset);

/* The group of a column of a comparison. */
unsigned dataset_column_group(const struct dataset *dataset, size_t column);

/* The same tables with the values of one column. Nodes, items and edges have the same numbers in
 * all of them. */
const struct tree *dataset_column_tree(const struct dataset *dataset, enum tree_mode mode,
                                       size_t column);
const struct fold *dataset_column_fold(const struct dataset *dataset, enum tree_mode mode,
                                       size_t column);
const struct fold_edges *dataset_column_edges(const struct dataset *dataset, size_t column);

#endif
