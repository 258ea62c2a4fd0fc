/* report.h: the state of a report of user events, as its modules share it. */
#ifndef XER_ANALYZER_TRCRPT_REPORT_H
#define XER_ANALYZER_TRCRPT_REPORT_H

#include "analyzer/trcrpt/trcrpt.h"
#include "analyzer/data/userevents.h"

enum {
	TRCRPT_HOOK_ON = 0x0010,
	TRCRPT_HOOK_OFF = 0x0020,
	TRCRPT_HOOKS = 1 << 16,
	TRCRPT_BYTES_MAX = 16 + FMT_USER_BYTES
};

struct trcrpt_report {
	const struct dataset *dataset;
	struct output *output;
	const struct trcrpt_options *options;
	const struct template_set *set;
	struct template_run *run;
	FILE *out;
	struct user_family family;
	const struct exp_info **infos; /* of the family */
	/* The event. */
	uint8_t bytes[TRCRPT_BYTES_MAX];
	struct template_event entry;
	const struct exp_user_event *event;
	struct trcrpt_line line, undefined;
	/* The report. */
	int64_t last_ns; /* of the event reported last */
	uint64_t reported, removed, lines;
	uint64_t *histogram; /* by hook; NULL: not asked for */
	struct {
		struct template_event entry;
		uint8_t bytes[TRCRPT_BYTES_MAX];
	} previous;                /* for removedups */
	struct print_table *table; /* NULL: text */
	int is_stopped;
};

/* Make report->entry of an event. (text.c) */
void trcrpt_make_entry(struct trcrpt_report *report, const struct exp_user_event *event);

/* Make the text and the level of the event in report->entry. Returns 0 if there is nothing to be
 * printed. (text.c) */
int trcrpt_make_text(struct trcrpt_report *report, const struct exp_user_event *event,
                     struct trcrpt_event *out);

/* What templates may ask; the context is the report. (text.c) */
extern const struct template_context trcrpt_asked;

/* Print an event, in the form that is wanted. (put.c) */
void trcrpt_put_event(struct trcrpt_report *report, const struct trcrpt_event *at);

/* Print what stands before the events of a family, and behind them. (put.c) */
void trcrpt_put_begin(struct trcrpt_report *report);
void trcrpt_put_end(struct trcrpt_report *report);

/* The table of events of print modes that are data. (put.c) */
struct print_table *trcrpt_table(void);

#endif
