/* eventrange.c: see eventrange.h. */
#include "analyzer/views/time/eventrange.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/filters.h"
#include "analyzer/filter/ranges.h"
#include "analyzer/report/axis.h"

#include <errno.h>
#include <stdlib.h>

static int64_t last_ns(const struct dataset *dataset)
{
	const struct dataset_experiment *at = NULL;
	int64_t last = 1;

	while ((at = dataset_next(dataset, at))) {
		double end_s = at->whole->last_s > at->info->duration_s ? at->whole->last_s
		                                                        : at->info->duration_s;
		int64_t end = axis_time_ns(dataset, at, end_s);

		last = end > last ? end : last;
	}
	return last;
}

/* Narrow the range to another one. */
static int narrow(const char *text, struct event_range *range, struct expression_error *error)
{
	int64_t from, to;

	if (ranges_time_ns(text, &from, &to, error) != 0)
		return -EINVAL;
	range->from_ns = from > range->from_ns ? from : range->from_ns;
	range->to_ns = to < range->to_ns ? to : range->to_ns;
	return 0;
}

/* The expressions of both arguments as one; NULL: there is none. */
static struct expression *compile(const char *time, const char *threads)
{
	struct expression_error error;
	struct expression *wanted;
	char *text;

	if (!time && !threads)
		return NULL;
	text = memory_format("(%s) && (%s)", time ? time : "1", threads ? threads : "1");
	wanted = expression_compile(text, &error);
	free(text);
	return wanted;
}

int event_range_read(const struct dataset *dataset, struct output *output, const char *command,
                     const struct command_argument *argument, struct event_range *out)
{
	const char *filter = filters_shown(dataset->filters, FILTERS_TIME);
	struct expression_error error;
	char *time = NULL, *threads = NULL;
	size_t skipped = 0;

	*out = (struct event_range){.to_ns = last_ns(dataset)};
	if (filter)
		narrow(filter, out, &error);
	if (argument->text && (narrow(argument->text, out, &error) != 0 ||
	                       ranges_time(argument->text, &time, &error) != 0)) {
		output_fail_at(output, command, error.column, error.text);
		return -EINVAL;
	}
	if (argument->second &&
	    ranges_expression(argument->second, "THRID", &threads, &error) != 0) {
		if (output->place.file)
			skipped = (size_t)(argument->second - argument->text);
		output_fail_at(output, command, error.column + skipped, error.text);
		free(time);
		return -EINVAL;
	}
	if (out->from_ns >= out->to_ns) {
		output_fail(output, EXIT_TROUBLE, "%s: nothing was recorded in that range",
		            command);
		free(time);
		free(threads);
		return -EINVAL;
	}
	out->has_threads = argument->second != NULL;
	out->has_list = threads != NULL;
	out->wanted = compile(time, threads);
	free(time);
	free(threads);
	return 0;
}

void event_range_fini(struct event_range *range)
{
	expression_destroy(range->wanted);
	range->wanted = NULL;
}
