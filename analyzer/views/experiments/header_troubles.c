/* header_troubles.c: what went wrong in a recording, in the header. */
#include "analyzer/views/experiments/header.h"
#include "analyzer/views/view.h"

#include "analyzer/base/text.h"
#include "analyzer/report/quality/absent.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/data/ticked.h"
#include "analyzer/report/quality/unseen.h"
#include "analyzer/report/report.h"

#include <string.h>

/* Sampling from outside is not a fault. */
static int is_trouble(const struct dataset *dataset, const struct dataset_experiment *at,
                      const struct exp_event *event)
{
	return strcmp(event->kind, "warning") == 0 || strcmp(event->kind, "loss") == 0 ||
	       (strcmp(event->kind, "unrecorded") == 0 &&
	        !absent_is_outside(dataset, at, report_attribute(event, "lineage")));
}

/* "WHAT NAME: REASON" */
static void put_reason(FILE *out, const struct exp_event *event, const char *what, const char *name)
{
	fputs(what, out);
	text_put(out, header_known(report_attribute(event, name)));
	fputs(": ", out);
	text_put(out, header_known(report_attribute(event, "reason")));
}

static void put_trouble(FILE *out, const struct dataset_experiment *at,
                        const struct exp_event *event)
{
	const char *error = report_attribute(event, "errno");

	fputs("  ", out);
	if (event->time_s != 0) /* written by a helper at the end: it has no time */
		fprintf(out, "at %.3f s: ", event->time_s);
	if (strcmp(event->kind, "warning") == 0) {
		text_put(out, header_known(report_attribute(event, "text")));
	} else if (strcmp(event->kind, "unrecorded") == 0) {
		put_reason(out, event, "not recorded: ", "path");
		fputs(view_remedy(at, event), out);
	} else {
		put_reason(out, event, "data lost in ", "stream");
		if (error && strcmp(error, "0") != 0) {
			fputs(" (errno ", out);
			text_put(out, error);
			fputc(')', out);
		}
	}
	fputc('\n', out);
}

void header_put_troubles(FILE *out, const struct dataset *dataset,
                         const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	char unseen[256], left_out[1024], ticked[256], rings[256];
	struct ticked clock = {.clock = NULL};
	int is_left_out = unseen_left_out(at, left_out, sizeof(left_out));
	int is_unseen = unseen_growth(at, unseen, sizeof(unseen));
	int has_rings = unseen_rings(at, rings, sizeof(rings));
	int is_ticked;
	size_t absent = absent_unexplained(dataset, at);
	size_t count = (absent > 0) + (is_unseen != 0) + (has_rings != 0) + (info->untold > 0) +
	               (is_left_out != 0);

	ticked_add(&clock, at);
	is_ticked = ticked_text(&clock, ticked, sizeof(ticked));
	count += is_ticked != 0;
	for (size_t i = 0; i < info->event_count; i++)
		count += is_trouble(dataset, at, &info->events[i]) != 0;
	for (size_t i = 0; i < info->counter_count; i++)
		count += strncmp(info->counters[i].name, "lost_", 5) == 0 &&
		         strcmp(info->counters[i].value, "0") != 0;
	if (count == 0 && !info->damaged) {
		fputs("Warnings   none\n", out);
		return;
	}
	fputs("Warnings\n", out);
	for (size_t i = 0; i < info->event_count; i++)
		if (is_trouble(dataset, at, &info->events[i]))
			put_trouble(out, at, &info->events[i]);
	for (size_t i = 0; i < info->counter_count; i++) {
		const struct exp_pair *counter = &info->counters[i];

		if (strncmp(counter->name, "lost_", 5) != 0 || strcmp(counter->value, "0") == 0)
			continue;
		fputs("  ", out);
		text_put(out, counter->value);
		fputs(" events lost: ", out);
		text_put(out, counter->name + 5);
		fputc('\n', out);
	}
	if (info->untold > 0)
		fputs("  " QUALITY_UNTOLD "\n", out);
	if (absent > 0)
		fprintf(out, "  %zu of its children left no experiment (-exp_list names them)\n",
		        absent);
	if (has_rings)
		fprintf(out, "  %s\n", rings);
	if (is_unseen)
		fprintf(out, "  %s\n", unseen);
	if (is_ticked)
		fprintf(out, "  %s\n", ticked);
	if (is_left_out) {
		fputs("  ", out);
		text_put(out, left_out);
		fputc('\n', out);
	}
	if (info->damaged)
		fputs("  damaged: parts of the experiment could not be read\n", out);
}
