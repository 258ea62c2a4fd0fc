/* logfile.h: the text of log.xml and map.xml as xcollect begins them. */
#ifndef XER_COLLECT_EXPERIMENT_LOGFILE_H
#define XER_COLLECT_EXPERIMENT_LOGFILE_H

#include "collect/machine/clock.h"
#include "collect/options/options.h"
#include "collect/target/target.h"

#include <stddef.h>

/* Build the text of log.xml: everything known before the target runs.
 *   command   xcollect's own argv
 *   len       set to the length of the text
 * Returns the text, to be freed, or NULL without memory. libcollector can append to it. */
char *logfile_log_text(const struct request *request, const struct target *target,
                       char *const *command, const struct clock_source *clock,
                       const struct clock_moment *start, size_t *len);

/* The text of a map.xml without objects. */
const char *logfile_map_text(void);

#endif
