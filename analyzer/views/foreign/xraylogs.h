/* xraylogs.h: the commands that print foreign logs as llvm-xray does. */
#ifndef XER_ANALYZER_VIEWS_FOREIGN_XRAYLOGS_H
#define XER_ANALYZER_VIEWS_FOREIGN_XRAYLOGS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "experiment/xray/xraylog.h"

/* Print each selected foreign log by `put`; `command` complains if there is none. */
void xraylogs_put(const struct dataset *dataset, struct output *output, const char *command,
                  void (*put)(FILE *out, const struct xraylog *log));

/* Call `record` for each record; out of memory, the program ends. */
void xraylogs_each(const struct xraylog *log,
                   int (*record)(void *context, const struct xraylog_record *record),
                   void *context);

#endif
