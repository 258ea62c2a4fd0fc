/* compare.c: the command that chooses how groups are compared. */
#include "analyzer/views/view.h"

#include <strings.h>

static const char *const modes[] = {
	[TREE_COMPARE_OFF] = "off",
	[TREE_COMPARE_ON] = "on",
	[TREE_COMPARE_DELTA] = "delta",
	[TREE_COMPARE_RATIO] = "ratio",
};
enum { MODES = sizeof(modes) / sizeof(modes[0]) };

void view_per(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX], text[METRIC_ERROR_MAX];
	struct work *work = &analysis->dataset.tables->work, read;

	if (!argument->text) {
		view_put_setting(&analysis->output, "per",
		                 work->kind == WORK_NONE ? "off"
		                                         : work_spell(work, text, sizeof(text)));
		return;
	}
	dataset_find_data(&analysis->dataset, &analysis->output);
	if (work_parse(argument->text, analysis->dataset.have, &read, error) != 0) {
		output_fail(&analysis->output, EXIT_USAGE, "per: %s", error);
		return;
	}
	dataset_forget_tables(&analysis->dataset);
	*work = read;
}

void view_compare(struct analysis *analysis, const struct command_argument *argument)
{
	if (!argument->text) {
		view_put_setting(&analysis->output, "compare",
		                 modes[analysis->dataset.tables->compare]);
		return;
	}
	for (size_t i = 0; i < MODES; i++) {
		if (strcasecmp(argument->text, modes[i]) != 0)
			continue;
		dataset_forget_tables(&analysis->dataset);
		analysis->dataset.tables->compare = (enum tree_compare)i;
		if (analysis->dataset.count > 0 && i != TREE_COMPARE_OFF &&
		    dataset_columns(&analysis->dataset) == 1)
			output_say(
				&analysis->output,
				"compare: there is one group only: nothing to compare it with yet");
		return;
	}
	output_fail(&analysis->output, EXIT_USAGE, "compare: '%s' is not off, on, delta or ratio",
	            argument->text);
}
