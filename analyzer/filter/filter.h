/* filter.h: the value of an expression for the events of one experiment. */
#ifndef XER_ANALYZER_FILTER_FILTER_H
#define XER_ANALYZER_FILTER_FILTER_H

#include "analyzer/filter/expression.h"
#include "analyzer/model/frames.h"
#include "experiment/streams/selection.h"

/* An experiment, and its place in the dataset. */
struct filter_place {
	const struct experiment *experiment;
	const struct exp_info *info;
	const struct exp_data_set *whole; /* all its events */
	struct symbols *symbols;
	enum frames_mode mode;   /* what viewmode is: STACK and LEAF mean what it shows */
	uint32_t number;         /* EXPID */
	uint32_t group;          /* number of its founder */
	int64_t founder_real_ns; /* when the founder began */
};

struct filter_run;

/* Make ready to evaluate `expression`, which is borrowed, as the place is. filter_run_destroy
 * frees. */
struct filter_run *filter_run_create(const struct expression *expression,
                                     const struct filter_place *place);
void filter_run_destroy(struct filter_run *run);

/* The stacks that facts will name: of exp_selection.begin. Returns 0 or -ENOMEM. */
int filter_run_begin(struct filter_run *run, const struct exp_nodes *nodes);

/* Evaluate for an event. Returns 1 and *out, or 0 if the value is missing. */
int filter_run_value(struct filter_run *run, const struct exp_fact *fact, int64_t *out);

/* Have heap events read twice if the expression depends on what becomes of blocks. */
void filter_ask(const struct expression *expression, struct exp_selection *selection);

#endif
