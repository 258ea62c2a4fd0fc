/* select.c: loads a part of an experiment's events. */
#include "experiment/open/load.h"
#include "experiment/streams/selection.h"

#include <stddef.h>

int experiment_select(struct experiment *experiment, const struct exp_selection *selection,
                      const struct exp_data_set **out)
{
	const struct exp_reporter reporter = experiment->reporter;
	struct exp_load *load;
	int rc;

	experiment->reporter.warn = NULL;
	rc = exp_load_make(experiment, selection, &load);
	experiment->reporter = reporter;
	if (rc == 0)
		*out = &load->set;
	return rc;
}

void exp_data_set_destroy(const struct exp_data_set *set)
{
	if (set)
		exp_load_destroy(
			(struct exp_load *)((const char *)set - offsetof(struct exp_load, set)));
}
