/* compare.h: tables that show several groups of experiments side by side.
 *
 * A group is what one word of the command line named. The first one that has selected experiments
 * is the base. Rows are told apart by object, function and line, never by address (see shown.h);
 * totals stand first. Facts and statistics are put side by side by report/compare/beside.h, things
 * with names by report/compare/named.h, instructions by code_align.h; what cannot be compared is
 * shown once for each group (groups.h). */
#ifndef XER_ANALYZER_TABLE_COMPARE_H
#define XER_ANALYZER_TABLE_COMPARE_H

#include "analyzer/data/dataset.h"
#include "analyzer/table/table.h"

/* Give an empty table its columns: one for each compared group, or one, with the sums of the trees
 * of a mode. */
void compare_table(const struct dataset *dataset, struct table *table, enum tree_mode mode);

/* The tables of the columns, [dataset_columns(dataset)]. The caller frees the array, not what it
 * names. */
const struct tree **compare_trees(const struct dataset *dataset, enum tree_mode mode);
const struct fold **compare_folds(const struct dataset *dataset, enum tree_mode mode);
const struct fold_edges **compare_edges(const struct dataset *dataset);

/* What stands above a column: the name of the group if that is short and no other group has it,
 * else "[2]". The caller frees. */
char *compare_label(const struct dataset *dataset, size_t column);

/* The same, with the path of the group behind a number. The caller frees. */
char *compare_title(const struct dataset *dataset, size_t column);

/* The dataset with the group of a column in focus: views that take it see that group alone. It
 * shares all that it points to with `dataset`, and is not to be ended. */
struct dataset compare_part(const struct dataset *dataset, size_t column);

/* Look at a part as if nothing were compared: the code of a build is then its own, and not that of
 * the matching function in the base. Tables made before are forgotten, and at the end those made in
 * between. Returns what compare_end_alone takes. */
enum tree_compare compare_begin_alone(const struct dataset *part);
void compare_end_alone(const struct dataset *part, enum tree_compare compare);

#endif
