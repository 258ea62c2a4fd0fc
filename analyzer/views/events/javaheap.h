/* javaheap.h: classes of Java. */
#ifndef XER_ANALYZER_VIEWS_EVENTS_JAVAHEAP_H
#define XER_ANALYZER_VIEWS_EVENTS_JAVAHEAP_H

#include "analyzer/data/dataset.h"

/* A class of an experiment as Java writes it: java.lang.String, byte[], java.lang.String[][]. The
 * caller frees. */
char *javaheap_class(const struct dataset_experiment *at, uint32_t class);

#endif
