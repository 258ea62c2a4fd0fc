/* select.h: which events a report of user events has. */
#ifndef XER_ANALYZER_TRCRPT_SELECT_H
#define XER_ANALYZER_TRCRPT_SELECT_H

#include "analyzer/trcrpt/trcrpt.h"

/* True if the options let the event of `process` into the report. start_real_ns: CLOCK_REALTIME of
 * the report's start. */
int trcrpt_select(const struct trcrpt_options *options, const struct exp_user_event *event,
                  const struct exp_info *process, int64_t start_real_ns);

#endif
