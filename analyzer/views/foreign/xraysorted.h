/* xraysorted.h: the records of a foreign log in order of time. */
#ifndef XER_ANALYZER_VIEWS_FOREIGN_XRAYSORTED_H
#define XER_ANALYZER_VIEWS_FOREIGN_XRAYSORTED_H

#include "analyzer/base/sorter.h"
#include "experiment/xray/xraylog.h"

/* A sorter with all records of a log. The caller ends it with sorter_free; out of memory, the
 * program ends. */
struct sorter *xraysorted_begin(const struct xraylog *log);

/* The next record; what it points to is valid until the next call. Returns 0 after the last one. */
int xraysorted_next(struct sorter *sorter, struct xraylog_record *record);

#endif
