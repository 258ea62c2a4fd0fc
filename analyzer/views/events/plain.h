/* plain.h: the view of a kind of data that has no other: its call stacks with its metrics. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_PLAIN_H
#define XER_ANALYZER_VIEWS_EVENTS_PLAIN_H

#include "analyzer/data/session.h"

/* data: enum exp_data; name: of the command. */
void plain_view(struct session *session, unsigned data, const char *name);

#endif
