/* analysis.c: begins and ends an analysis, and lets its choices follow its data. */
#include "analyzer/views/analysis.h"

#include "analyzer/model/defaults.h"

void analysis_init(struct analysis *analysis)
{
	*analysis = (struct analysis){.output = {.program = "xer_print", .out = stdout}};
	dataset_init(&analysis->dataset);
	choices_init(&analysis->choices);
}

void analysis_fini(struct analysis *analysis)
{
	dataset_fini(&analysis->dataset);
	choices_fini(&analysis->choices);
	output_forget(&analysis->output);
	if (analysis->checks)
		analysis->forget_checks(analysis->checks);
}

void analysis_set_defaults(struct analysis *analysis)
{
	struct choices *choices = &analysis->choices;

	dataset_find_data(&analysis->dataset, &analysis->output);
	if (dataset_is_programs(&analysis->dataset))
		metric_of_programs(&choices->metrics, &choices->sort);
	else
		defaults_metrics(choices->defaults, analysis->dataset.have, &choices->metrics,
		                 &choices->sort);
}

void analysis_refresh(struct analysis *analysis)
{
	struct choices *choices = &analysis->choices;
	struct metric_list usual;
	struct metric_sort sort;
	unsigned had = analysis->dataset.have, have;

	dataset_forget_tables(&analysis->dataset);
	dataset_find_data(&analysis->dataset, &analysis->output);
	have = analysis->dataset.have;
	if (have == had)
		return;
	defaults_metrics(choices->defaults, had, &usual, &sort);
	if (metric_list_equal(&usual, &choices->metrics) ||
	    metric_list_reduce(have, &choices->metrics) == 0)
		defaults_metrics(choices->defaults, have, &choices->metrics, &choices->sort);
	else if (choices->sort.metric.id < METRIC_VALUES &&
	         !(metric_data_of(choices->sort.metric.id) & have))
		metric_sort_adjust(&choices->metrics, &choices->sort);
}
