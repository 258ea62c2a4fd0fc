/* log_reader.h: what is collected while log.xml is read. Only for the files of the log reader. */
#ifndef XER_EXPERIMENT_OPEN_LOG_READER_H
#define XER_EXPERIMENT_OPEN_LOG_READER_H

#include "experiment/base/internal.h"
#include "experiment/base/xmlread.h"

struct log_reader {
	enum exp_status before_exec;
	struct experiment *experiment;
	const char **argv;
	size_t argc, argv_capacity;
	struct exp_pair *settings;
	size_t setting_count, setting_capacity;
	struct exp_pair *counters;
	size_t counter_count, counter_capacity;
	struct exp_event *events;
	size_t event_count, event_capacity;
	uint64_t *ticks;
	size_t ticks_capacity;
	int have_process, have_clock;
	const struct exp_info *lent; /* by the founder: host and settings; NULL: by nobody */
};

/* An element of a log; context is the reader. Returns 0 or -errno. (log_elements.c) */
int log_reader_element(void *context, const struct exp_element *element);

/* The same of a founder's log, for a descendant: its host and settings only. Returns LOG_ENOUGH
 * when no more can follow. */
enum { LOG_ENOUGH = 1 };
int log_reader_founder_element(void *context, const struct exp_element *element);

/* Host and settings of a descendant are its founder's: lent, or read from its log, or not known,
 * which is a warning. Returns 0 or -ENOMEM. (log_founder.c) */
int log_reader_inherit(struct log_reader *reader);

#endif
