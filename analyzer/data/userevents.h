/* userevents.h: the user events of the dataset's experiments that count: those of the selected
 * experiments that the filters let through. */
#ifndef XER_ANALYZER_DATA_USEREVENTS_H
#define XER_ANALYZER_DATA_USEREVENTS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "experiment/events/usertrace.h"

struct filters_run;

/* The selected experiments of one founder, which share its clock. */
struct user_family {
	const struct dataset *dataset;
	struct output *output;
	const struct dataset_experiment **members; /* members[count] */
	struct experiment **experiments;           /* the same */
	struct filters_run **filters;              /* of them; NULL: nothing is filtered */
	size_t count;
	const struct dataset_experiment *next; /* where to look for the next family */
	int is_begun;
};

/* Go to the next family; `family` is all zero but for its dataset before the first call. Returns 1,
 * or 0, with everything freed, if there is none. */
int user_family_next(struct user_family *family);

/* Walk its events in order of time. Returns as exp_user_events; that there is no memory is told. */
int user_family_walk(struct user_family *family, exp_user_visitor *visit, void *context);

#endif
