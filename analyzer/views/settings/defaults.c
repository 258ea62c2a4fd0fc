/* defaults.c: the commands of rc files, and those that say what cannot be shown. */
#include "analyzer/views/view.h"

#include "analyzer/model/defaults.h"

void view_dmetrics(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_metrics(analysis->choices.defaults, argument->text, error) != 0)
		output_fail_at(&analysis->output, "dmetrics",
		               metric_list_fault(argument->text, ~0u), error);
}

void view_dsort(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_sort(analysis->choices.defaults, argument->text, error) != 0)
		output_fail_at(&analysis->output, "dsort", argument->text[0] == '-' ? 2 : 1, error);
}

void view_en_desc(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];

	if (defaults_set_descendants(analysis->choices.defaults, argument->text, error) != 0)
		output_fail(&analysis->output, EXIT_USAGE, "en_desc: %s", error);
}

void view_ignored(struct analysis *analysis, const struct command_argument *argument)
{
	(void)analysis;
	(void)argument;
}

void view_ifreq(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	(void)dataset;
	(void)choices;
	(void)argument;
	output_fail(
		output, EXIT_TROUBLE,
		"ifreq: there are no instruction counts: xcollect counts neither instructions nor basic blocks");
}
