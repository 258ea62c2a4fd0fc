/* xraylogs.h: the commands that print foreign logs as llvm-xray does. */
#ifndef XER_ANALYZER_VIEWS_FOREIGN_XRAYLOGS_H
#define XER_ANALYZER_VIEWS_FOREIGN_XRAYLOGS_H

#include "analyzer/data/dataset.h"
#include "analyzer/print/output.h"
#include "experiment/xray/xraylog.h"

/* A log, and what names its functions. */
struct xraylogs_source {
	const struct xraylog *log;
	const struct experiment *experiment;
	struct symbols *symbols;
};

/* Records are sorted within this memory, in bytes. */
enum { XRAYLOGS_SORT_MEMORY = 24 << 20 };

/* Print each selected foreign log by `put`; `command` complains if there is none. */
void xraylogs_put(const struct dataset *dataset, struct output *output, const char *command,
                  void (*put)(FILE *out, const struct xraylogs_source *source));

/* Call `record` for each record; out of memory, the program ends. */
void xraylogs_each(const struct xraylog *log,
                   int (*record)(void *context, const struct xraylog_record *record),
                   void *context);

/* The function of this number by the map that the user gave; NULL: none was given, or it does not
 * have the function. */
const struct sym_function *xraylogs_function(const struct xraylogs_source *source, uint32_t id);

enum { XRAYLOGS_NUMBER = 16 };

/* Its name; without one its number behind `mark`, written into number[XRAYLOGS_NUMBER]. */
const char *xraylogs_name(const struct xraylogs_source *source, uint32_t id, const char *mark,
                          char *number);

#endif
