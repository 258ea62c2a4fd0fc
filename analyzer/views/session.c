/* session.c: begins and ends a session, and lets its choices follow its data. */
#include "analyzer/views/session.h"

#include "analyzer/model/defaults.h"

void session_init(struct session *session)
{
	*session = (struct session){.output = {.program = "xer_print", .out = stdout}};
	dataset_init(&session->dataset);
	choices_init(&session->choices);
}

void session_fini(struct session *session)
{
	dataset_fini(&session->dataset);
	choices_fini(&session->choices);
	if (session->checks)
		session->forget_checks(session->checks);
}

void session_set_defaults(struct session *session)
{
	struct choices *choices = &session->choices;

	dataset_find_data(&session->dataset, &session->output);
	defaults_metrics(choices->defaults, session->dataset.have, &choices->metrics,
	                 &choices->sort);
}

void session_refresh(struct session *session)
{
	struct choices *choices = &session->choices;
	struct metric_list usual;
	struct metric_sort sort;
	unsigned had = session->dataset.have, have;

	dataset_forget_tables(&session->dataset);
	dataset_find_data(&session->dataset, &session->output);
	have = session->dataset.have;
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
