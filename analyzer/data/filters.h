/* filters.h: which events of a dataset count: the combined choice of the commands filters, time,
 * thread_select and so on. */
#ifndef XER_ANALYZER_DATA_FILTERS_H
#define XER_ANALYZER_DATA_FILTERS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "analyzer/filter/filter.h"

/* Each part is set separately; an event counts if it meets all of them. */
enum filters_part {
	FILTERS_EXPRESSION,
	FILTERS_TIME,
	FILTERS_SAMPLES,
	FILTERS_THREADS,
	FILTERS_LWPS,
	FILTERS_CPUS,
	FILTERS_PARTS
};

struct filters *filters_create(void);
void filters_destroy(struct filters *filters, const struct dataset *dataset);

/* Set a part: `shown` is what the user wrote, `expression` is its meaning; NULL: the part chooses
 * nothing. Returns 0, or -EINVAL and *error; then nothing has changed. */
int filters_set(struct dataset *dataset, enum filters_part part, const char *shown,
                const char *expression, struct expression_error *error);

/* What the user wrote, NULL if the part chooses nothing. */
const char *filters_shown(const struct filters *filters, enum filters_part part);

/* Is any part set? */
int filters_are_set(const struct filters *filters);

/* Where a name was not found: "in the recorded data", or in what the filters left of them. */
const char *filters_of_data(const struct filters *filters);

/* What is set: "selected: ...: 10 of 25 samples, ...", NULL if nothing is set. The caller frees. */
char *filters_text(const struct dataset *dataset);

/* Filter the data again if they must be. */
void filters_change(struct filters *filters);
void filters_apply(const struct dataset *dataset, struct output *output);

/* Free what the filters left of an experiment, which is to be closed or read again. */
void filters_forget(struct dataset_experiment *at);

/* The place of an experiment in the dataset. */
struct filter_place filters_place(const struct dataset *dataset,
                                  const struct dataset_experiment *at);

/* All parts made ready for an experiment, which the caller gives to filters_close. */
struct filters_run;
struct filters_run *filters_open(const struct filters *filters, const struct filter_place *place);
void filters_close(struct filters_run *run);

/* The same for a reading in which two more expressions are asked, NULL: none; and where they and
 * the filters may change their answers (exp_selection.next_cut). */
struct filters_run *filters_open_with(const struct filters *filters,
                                      const struct filter_place *place,
                                      const struct expression *one, const struct expression *other);
uint64_t filters_next_cut(const struct filters_run *run, uint64_t ticks);

int filters_begin(struct filters_run *run, const struct exp_nodes *nodes);

/* Does an event count? */
int filters_select(struct filters_run *run, const struct exp_fact *fact);

/* What filters ask of heap events: wants_leaks, wants_frees. */
void filters_ask(const struct filters *filters, struct exp_selection *selection);

#endif
