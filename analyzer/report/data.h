/* data.h: the tables for the other forms of output, of reports whose text is made for people. */
#ifndef XER_ANALYZER_REPORT_DATA_H
#define XER_ANALYZER_REPORT_DATA_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"
#include "analyzer/report/stacks.h"

struct exp_usage;

/* Call stacks: every metric of kind->data of the innermost frame itself, and the frames, innermost
 * first. In a comparison each group has a row for each stack. */
void data_stacks(const struct choices *choices, struct output *output, const struct tree *tree,
                 const struct stacks_kind *kind, const uint32_t *stacks, size_t count);

/* The heap: its peak and totals, what lived in the course of time, sizes of blocks. */
void data_heapstat(const struct dataset *dataset, struct output *output, const struct exp_heap *sum,
                   const struct dataset_experiment *highest);

/* Input and output: totals by class, sizes, functions, errors. */
void data_iostat(struct output *output, const struct exp_io *io);

/* A row of files or descriptors; and the table of them. `type`: what the file is, NULL if unknown.
 */
struct data_io_row {
	const struct dataset_experiment *at; /* NULL: of several */
	const char *file, *type;
	uint32_t fd; /* UINT32_MAX: none */
	const struct exp_io_totals *totals;
};
struct print_table *data_io_begin(const char *name, int with_fd);
void data_io_add(struct print_table *table, const struct data_io_row *row, int with_fd);

/* What an experiment is, in a record for each, with its settings and troubles. */
void data_header(struct output *output, const struct dataset_experiment *at);

/* Experiments, totals and threads; and the totals alone. */
void data_overview(const struct dataset *dataset, const struct choices *choices,
                   struct output *output);
void data_totals(const struct dataset *dataset, const struct choices *choices,
                 struct output *output);

/* Usage between two samples, a row each; `is_whole`: from the first to the last. at NULL: of all
 * experiments. */
void data_usage(const struct dataset *dataset, struct output *output, const char *name,
                const struct dataset_experiment *at, int is_whole);

#endif
