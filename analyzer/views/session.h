/* session.h: what one run of xer_print knows: the data, the user's choices, and where it prints.
 * Views take what they need of the three; commands that change something take the whole. */
#ifndef XER_ANALYZER_VIEWS_SESSION_H
#define XER_ANALYZER_VIEWS_SESSION_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

struct check_state;

struct session {
	struct dataset dataset;
	struct choices choices;
	struct output output;
	struct check_state *checks; /* NULL until something is checked */
	void (*forget_checks)(struct check_state *checks);
};

void session_init(struct session *session);
void session_fini(struct session *session);

/* Find out what kinds of data there are, and set metrics and sort order to the defaults. */
void session_set_defaults(struct session *session);

/* After experiments came, went or changed: forget the tables, read what is new, and keep of the
 * metrics and the order of rows what there are data for. */
void session_refresh(struct session *session);

#endif
