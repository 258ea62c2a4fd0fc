/* datakind.h: the kinds of data as reports speak of them: the rows of format/datakind.def. */
#ifndef XER_ANALYZER_MODEL_DATAKIND_H
#define XER_ANALYZER_MODEL_DATAKIND_H

#include "experiment/experiment.h"
#include "format/layout.h"

struct datakind {
	const char *setting; /* of log.xml, which says that it was to be recorded; NULL: none */
	const char *option;  /* of xcollect, which records it */
	const char *word;    /* in a list of kinds */
	const char *name;    /* "no NAME data" */
	const char *title;
	const char *key, *events; /* its events in the quality record, and in the quality line */
	const char *chosen;       /* what filters choose of */
};

/* By number: the kind whose bit is 1 << number. */
extern const struct datakind datakinds[FMT_DATAKINDS];

/* The numbers in the order in which kinds are shown. */
extern const uint8_t datakinds_shown[FMT_DATAKINDS];

/* The name of one kind, enum exp_data. */
const char *datakind_name(unsigned data);

/* How many events of this kind there are; and how many of them filters choose of. */
uint64_t datakind_events(const struct exp_quality *quality, unsigned number);
uint64_t datakind_chosen(const struct exp_data_set *set, unsigned number);

/* Add up the events of all kinds. */
void datakind_add_events(struct exp_quality *to, const struct exp_quality *from);

#endif
