/* defaults.h: what rc files choose before any experiment is opened: the metrics at the start, their
 * order, and which descendants are opened. */
#ifndef XER_ANALYZER_MODEL_DEFAULTS_H
#define XER_ANALYZER_MODEL_DEFAULTS_H

#include "analyzer/model/metric_list.h"

struct defaults *defaults_create(void);
void defaults_destroy(struct defaults *defaults);

/* The metrics and the order to begin with for data of the kinds in `have`. */
void defaults_metrics(const struct defaults *defaults, unsigned have, struct metric_list *list,
                      struct metric_sort *sort);

/* Set them. Return 0, or -EINVAL with the reason in error[METRIC_ERROR_MAX]. */
int defaults_set_metrics(struct defaults *defaults, const char *spec, char *error);
int defaults_set_sort(struct defaults *defaults, const char *spec, char *error);

/* Which descendants are opened: `on`, `off`, or `=regex`, those whose lineage or program matches as
 * a whole. Returns as above. */
int defaults_set_descendants(struct defaults *defaults, const char *text, char *error);

/* Is a descendant opened? Before it is open, and when its program (NULL: unknown) is known. */
int defaults_may_open(const struct defaults *defaults);
int defaults_opens(const struct defaults *defaults, const char *lineage, const char *program);

#endif
