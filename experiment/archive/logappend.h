/* logappend.h: add a warning to the log of a process that has ended. */
#ifndef XER_EXPERIMENT_ARCHIVE_LOGAPPEND_H
#define XER_EXPERIMENT_ARCHIVE_LOGAPPEND_H

#include "experiment/base/internal.h"

/* Append <event kind="warning" text=...> to the experiment's log.xml, unless another process writes
 * it. Returns 0 or -errno. */
int exp_log_append_warning(const struct experiment *experiment, const char *text);

#endif
