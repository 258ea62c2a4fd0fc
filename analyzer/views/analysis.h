/* analysis.h: what one run of xer_print knows: the data, the user's choices, and where it prints.
 * Views take what they need of the three; commands that change something take the whole. */
#ifndef XER_ANALYZER_VIEWS_ANALYSIS_H
#define XER_ANALYZER_VIEWS_ANALYSIS_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

struct check_state;

struct analysis {
	struct dataset dataset;
	struct choices choices;
	struct output output;
	struct check_state *checks; /* NULL until something is checked */
	void (*forget_checks)(struct check_state *checks);
};

void analysis_init(struct analysis *analysis);
void analysis_fini(struct analysis *analysis);

/* Find out what kinds of data there are, and set metrics and sort order to the defaults. */
void analysis_set_defaults(struct analysis *analysis);

/* After experiments came, went or changed: forget the tables, read what is new, and keep of the
 * metrics and the order of rows what there are data for. */
void analysis_refresh(struct analysis *analysis);

#endif
