/* stacks.h: lists of call stacks, the weightiest first, and single stacks. */
#ifndef XER_ANALYZER_REPORT_STACKS_H
#define XER_ANALYZER_REPORT_STACKS_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* What a list of stacks is about. Stacks that count 0 are left out. */
struct stacks_kind {
	uint64_t (*count)(const struct metric_view *values, const void *context);
	uint64_t (*weigh)(const struct metric_view *values, const void *context);
	/* Print the line above the frames of the number-th stack. */
	void (*put_head)(const struct dataset *dataset, const struct choices *choices,
	                 struct output *output, const struct tree *tree, uint32_t node,
	                 size_t number, const void *context);
	const void *context;
	const char *name; /* "leaks": of the table, for programs */
	unsigned data;    /* enum metric_data: its metrics are in that table */
};

/* The stacks that have any of these metrics (bit 1 << metric), for a list of them. For programs,
 * all metrics of kind->data are there. */
const struct tree *stacks_tree(const struct dataset *dataset, const struct output *output,
                               const struct stacks_kind *kind, metric_set metrics);

/* Innermost nodes of the stacks of a tree of frames, the weightiest first. Returns out[*count],
 * which the caller frees. */
uint32_t *stacks_find(const struct tree *tree, const struct stacks_kind *kind, size_t *count);

/* Print one line with `put`; where the parts of a tree are compared, one for each of them behind
 * the label of its group. */
void stacks_put_parts(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct tree *tree,
                      void (*put)(const struct dataset *dataset, const struct choices *choices,
                                  struct output *output, const struct tree *tree,
                                  const void *context),
                      const void *context);

/* Print stacks[count], at most as many as the limit allows, and an empty line. */
void stacks_put(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct tree *tree, const struct stacks_kind *kind, const uint32_t *stacks,
                size_t count);

/* The innermost function of a stack that has a name and is not in a library, or NULL. */
const struct sym_function *stacks_culprit(const struct tree *tree, uint32_t node);

/* Print at most `limit` of the innermost frames of a stack of an experiment, a line each behind
 * `indent`; the recorder's are left out. Returns how many. */
size_t stacks_put_node(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct dataset_experiment *at, uint32_t node,
                       size_t limit, const char *indent);

/* The innermost of these frames as text, NULL if there is none. The caller frees. */
char *stacks_name_node(const struct dataset *dataset, const struct choices *choices,
                       const struct dataset_experiment *at, uint32_t node);

/* Its function, as the tables have it; NULL: there is none. Borrowed. */
const struct sym_function *stacks_function_node(const struct dataset *dataset,
                                                const struct dataset_experiment *at, uint32_t node);

/* The same for a comparison: function and line, or the function alone, and no address. */
char *stacks_name_place(const struct dataset *dataset, const struct choices *choices,
                        const struct dataset_experiment *at, uint32_t node, int with_line);

#endif
