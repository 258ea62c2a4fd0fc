/* session.c: reads the data of the experiments, builds each table when it is first asked for, and
 * says what is wrong. */
#include "analyzer/data/session.h"

#include "analyzer/data/defaults.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/table/listing.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void session_init(struct session *session)
{
	*session = (struct session){.program = "xer_print",
	                            .out = stdout,
	                            .symbols = symbols_create(),
	                            .shown = shown_create(),
	                            .filters = filters_create(),
	                            .indexes = index_types_create(),
	                            .defaults = defaults_create(),
	                            .focus = SESSION_ALL};
	listing_set_defaults(&session->listing);
	for (size_t i = 0; i < FRAMES_KINDS; i++)
		session->stand_in[i] = (struct sym_function){.name = frames_names[i],
		                                             .mangled = frames_names[i]};
	if (!session->symbols)
		memory_fail();
}

void session_set_mode(struct session *session, enum frames_mode mode)
{
	if (session->mode == mode)
		return;
	session_forget_tables(session);
	filters_change(session->filters); /* STACK means other frames now */
	session->mode = mode;
}

void session_fini(struct session *session)
{
	session_forget_tables(session);
	shown_destroy(session->shown);
	symbols_destroy(session->symbols);
	filters_destroy(session->filters, session);
	index_types_destroy(session->indexes);
	defaults_destroy(session->defaults);
	for (size_t i = session->count; i-- > 0;)
		experiment_close(session->experiments[i].experiment);
	free(session->experiments);
	for (size_t i = 0; i < session->group_count; i++)
		free(session->groups[i].path);
	free(session->groups);
	for (size_t i = 0; i < session->base_count; i++)
		free(session->base_paths[i]);
	free(session->base_paths);
	free(session->junit_path);
	check_results_fini(&session->results);
	if (session->base)
		session_fini(session->base);
	free(session->base);
}

static void find_data(struct session *session)
{
	const struct session_experiment *at = NULL;

	session_load(session);
	session->have = 0;
	while ((at = session_next(session, at)))
		session->have |= session_data_of(at);
}

void session_set_defaults(struct session *session)
{
	find_data(session);
	defaults_metrics(session->defaults, session->have, &session->metrics, &session->sort);
}

void session_refresh(struct session *session)
{
	struct metric_list usual;
	struct metric_sort sort;
	unsigned had = session->have;

	session_forget_tables(session);
	find_data(session);
	if (session->have == had)
		return;
	defaults_metrics(session->defaults, had, &usual, &sort);
	if (metric_list_equal(&usual, &session->metrics) ||
	    metric_list_reduce(session->have, &session->metrics) == 0)
		defaults_metrics(session->defaults, session->have, &session->metrics,
		                 &session->sort);
	else if (session->sort.metric.id < METRIC_VALUES &&
	         !(metric_data_of(session->sort.metric.id) & session->have))
		metric_sort_adjust(&session->metrics, &session->sort);
}
