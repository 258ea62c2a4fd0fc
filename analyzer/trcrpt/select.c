/* select.c: the options of a report that leave events out: hooks, times, processes, threads,
 * CPUs. */
#include "analyzer/trcrpt/select.h"

#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

static int has_hook(const struct trcrpt_hooks *list, const struct exp_user_event *event)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->hooks[i].hook == event->hook &&
		    (list->hooks[i].subhook == TRCRPT_ANY_SUBHOOK ||
		     list->hooks[i].subhook == event->subhook))
			return 1;
	return 0;
}

static int has_number(const struct trcrpt_words *list, int64_t number)
{
	for (size_t i = 0; i < list->count; i++) {
		char *end;

		if (strtoll(list->words[i], &end, 10) == number && *end == '\0' &&
		    end != list->words[i])
			return 1;
	}
	return 0;
}

/* A program is named by its path or the last part of it. */
static int has_program(const struct trcrpt_words *list, const char *program)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->words[i], program) == 0 ||
		    strcmp(list->words[i], text_base(program)) == 0)
			return 1;
	return 0;
}

static int is_in_time(const struct trcrpt_options *options, int64_t time_ns, int64_t start_real_ns)
{
	double time_s = (double)time_ns * 1e-9;

	if (time_s < options->start_s || time_s > options->end_s)
		return 0;
	if (options->from_ns == INT64_MIN && options->to_ns == INT64_MAX)
		return 1;
	return start_real_ns + time_ns >= options->from_ns &&
	       start_real_ns + time_ns <= options->to_ns;
}

int trcrpt_select(const struct trcrpt_options *options, const struct exp_user_event *event,
                  const struct exp_info *process, int64_t start_real_ns)
{
	if (options->only.count && !has_hook(&options->only, event))
		return 0;
	if (options->except.count && has_hook(&options->except, event))
		return 0;
	if (!is_in_time(options, event->time_ns, start_real_ns))
		return 0;
	if (options->threads.count && !has_number(&options->threads, event->tid))
		return 0;
	if (options->cpus.count && !has_number(&options->cpus, event->cpu))
		return 0;
	if (options->processes.count && !has_number(&options->processes, process->pid) &&
	    !has_program(&options->processes, process->program))
		return 0;
	return options->programs.count == 0 || has_program(&options->programs, process->program);
}
