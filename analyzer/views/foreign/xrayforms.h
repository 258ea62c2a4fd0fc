/* xrayforms.h: the forms that a foreign log is converted to, as llvm-xray does. */
#ifndef XER_ANALYZER_VIEWS_FOREIGN_XRAYFORMS_H
#define XER_ANALYZER_VIEWS_FOREIGN_XRAYFORMS_H

#include "analyzer/views/foreign/xraylogs.h"

/* The header and all records as YAML (xrayyaml.c). */
void xrayforms_put_yaml(FILE *out, const struct xraylogs_source *source);

/* The calls as trace events, and the paths of calls as their stack frames: JSON (xrayevents.c). */
void xrayforms_put_events(FILE *out, const struct xraylogs_source *source);

#endif
