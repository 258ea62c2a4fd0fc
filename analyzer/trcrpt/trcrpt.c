/* trcrpt.c: the report of user events: which events, and what surrounds them. Events are read,
 * formatted and printed one by one. */
#include "analyzer/trcrpt/report.h"

#include "analyzer/data/filters.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trcrpt/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_duplicate(struct trcrpt_report *report)
{
	const struct template_event *entry = &report->entry, *before = &report->previous.entry;

	if (!report->options->removes_duplicates)
		return 0;
	if (before->size == entry->size && before->tid == entry->tid && before->pid == entry->pid &&
	    before->is_32 == entry->is_32 &&
	    memcmp(report->previous.bytes, report->bytes, entry->size) == 0)
		return 1;
	report->previous.entry = *entry;
	memcpy(report->previous.bytes, report->bytes, entry->size);
	return 0;
}

static int visit(void *context, const struct exp_user_event *event)
{
	struct trcrpt_report *report = context;
	struct trcrpt_event at = {.event = event,
	                          .entry = &report->entry,
	                          .process = report->infos[event->process],
	                          .text = ""};

	if (!trcrpt_select(report->options, event, at.process, report->infos[0]->start_real_ns))
		return 0;
	report->event = event;
	trcrpt_make_entry(report, event);
	if (is_duplicate(report)) {
		report->removed++;
		return 0;
	}
	at.delta_ns = event->time_ns - report->last_ns;
	if (!trcrpt_make_text(report, event, &at))
		return 0;
	trcrpt_put_event(report, &at);
	report->last_ns = event->time_ns;
	report->reported++;
	if (report->histogram)
		report->histogram[event->hook]++;
	return report->is_stopped || ferror(report->out);
}

/* The beginning and the end of the recording are events like those that trcon and trcoff make. */
static void put_bound(struct trcrpt_report *report, unsigned hook, int64_t time_ns)
{
	const struct exp_user_event event = {.hook = (uint16_t)hook,
	                                     .time_ns = time_ns,
	                                     .word_count = 1,
	                                     .tid = (uint32_t)report->infos[0]->pid};

	/* Filters choose among what was recorded. */
	if (!report->is_stopped && !filters_are_set(report->dataset->filters))
		visit(report, &event);
}

static int64_t end_of(const struct trcrpt_report *report)
{
	double end_s = 0;

	for (size_t i = 0; i < report->family.count; i++)
		if (report->infos[i]->duration_s > end_s)
			end_s = report->infos[i]->duration_s;
	return llrint(end_s * 1e9) > report->last_ns ? llrint(end_s * 1e9) : report->last_ns;
}

/* The report of the experiments of one founder. */
static void put_report(struct trcrpt_report *report)
{
	trcrpt_put_begin(report);
	put_bound(report, TRCRPT_HOOK_ON, 0);
	if (!report->is_stopped)
		user_family_walk(&report->family, visit, report);
	if (report->infos[0]->status != EXP_RUNNING)
		put_bound(report, TRCRPT_HOOK_OFF, end_of(report));
	trcrpt_put_end(report);
}

static void run_families(struct trcrpt_report *report)
{
	while (user_family_next(&report->family)) {
		for (size_t i = 0; i < report->family.count; i++)
			report->infos[i] = report->family.members[i]->info;
		report->last_ns = 0;
		report->reported = report->removed = 0;
		report->is_stopped = 0;
		put_report(report);
	}
}

void trcrpt_run(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct trcrpt_options *options)
{
	struct trcrpt_report *report = memory_take(1, sizeof(*report));
	struct template_context context = trcrpt_asked;
	struct template_set *set = trcrpt_templates(output, options);

	*report = (struct trcrpt_report){.dataset = dataset,
	                                 .output = output,
	                                 .options = options,
	                                 .set = set,
	                                 .out = output->out,
	                                 .family.dataset = dataset,
	                                 .family.output = output};
	context.context = report;
	if (set) {
		report->run = template_run_create(set, &context);
		if (!report->run)
			memory_fail();
		report->infos = memory_take(dataset->count, sizeof(*report->infos));
		if (options->histogram)
			report->histogram = memory_take(TRCRPT_HOOKS, sizeof(*report->histogram));
		if (print_is_data(output))
			report->table = trcrpt_table();
		run_families(report);
		if (report->table)
			print_table_end(output, report->table, choices->limit);
	}
	template_run_destroy(report->run);
	template_set_destroy(set);
	free(report->infos);
	free(report->histogram);
	free(report->line.text);
	free(report->undefined.text);
	free(report);
}
