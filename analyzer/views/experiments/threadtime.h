/* threadtime.h: the time of all threads and its states, in one line. */
#ifndef XER_ANALYZER_VIEWS_EXPERIMENTS_THREADTIME_H
#define XER_ANALYZER_VIEWS_EXPERIMENTS_THREADTIME_H

#include "analyzer/views/view.h"

/* Print "Thread time 2.605 s = CPU 0.085 + lock 0.173 + sleep 1.047 (usleep_caller)": states that
 * show, each with the function that has the most of it, if that is half of it or more; and last
 * what idle threads waited (report/idle.h). Nothing without wall-clock time. */
void thread_time_put(const struct dataset *dataset, const struct choices *choices,
                     struct output *output);

#endif
