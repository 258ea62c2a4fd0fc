/* plain.h: the view of a kind of data that has no other: its call stacks with its metrics. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_PLAIN_H
#define XER_ANALYZER_VIEWS_EVENTS_PLAIN_H

#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"
#include "analyzer/print/output.h"

/* data: enum exp_data; name: of the command. */
void plain_view(const struct dataset *dataset, const struct choices *choices, struct output *output,
                unsigned data, const char *name);

#endif
