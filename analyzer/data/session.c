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
#include "analyzer/model/datakind.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void say(struct session *session, int with_place, const char *format, va_list arguments)
{
	char *text = NULL, cut[512];
	va_list again;

	/* What is to be said may be that there is no memory. */
	va_copy(again, arguments);
	if (vasprintf(&text, format, arguments) < 0) {
		vsnprintf(cut, sizeof(cut), format, again);
		text = NULL;
	}
	va_end(again);
	if (session->out) {
		fflush(session->out);
		pager_settle(session);
	}
	fprintf(stderr, "%s: ", session->program);
	if (with_place && session->place.file) {
		text_put(stderr, session->place.file);
		fprintf(stderr, ":%zu:%zu: ", session->place.line, session->place.column);
	}
	text_put(stderr, text ? text : cut);
	fputc('\n', stderr);
	free(text);
}

void session_say(struct session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, 0, format, arguments);
	va_end(arguments);
}

void session_fail(struct session *session, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(session, 1, format, arguments);
	va_end(arguments);
	if (status > session->status)
		session->status = status;
}

void session_fail_at(struct session *session, const char *command, size_t column, const char *what)
{
	if (!session->place.file) {
		session_fail(session, EXIT_USAGE, "%s: column %zu: %s", command, column, what);
		return;
	}
	session->place.column += column - 1;
	session_fail(session, EXIT_USAGE, "%s: %s", command, what);
}

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

void session_forget_tables(struct session *session)
{
	for (size_t i = 0; i < TREE_MODES; i++) {
		tree_destroy(session->trees[i]);
		session->trees[i] = NULL;
		for (size_t j = 0; session->folds[i] && j <= session->columns; j++)
			free(session->folds[i][j]);
		free(session->folds[i]);
		session->folds[i] = NULL;
	}
	for (size_t i = 0; session->edges && i <= session->columns; i++)
		fold_edges_destroy(session->edges[i]);
	free(session->edges);
	session->edges = NULL;
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

static int is_on(const struct experiment *experiment, const char *setting)
{
	const char *value = experiment_setting(experiment, setting, "0");

	return strcmp(value, "0") != 0 && strcmp(value, "off") != 0 && value[0] != '\0';
}

const char *session_cause(int status)
{
	switch (status) {
	case -ENOMEM:
		return "out of memory";
	case -ESTALE:
		return "the file was cut while it was read";
	default:
		return strerror(-status);
	}
}

void session_load(struct session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		struct session_experiment *at = &session->experiments[i];
		int status;

		if (at->whole)
			continue;
		progress_begin("reading %s (%zu of %zu)", at->info->path, i + 1, session->count);
		status = experiment_load(at->experiment, &at->whole);
		progress_end();
		if (status < 0) {
			session_say(session, "%s: %s", at->info->path, session_cause(status));
			exit(EXIT_TROUBLE);
		}
		if (at->info->damaged && session->status < EXIT_TROUBLE)
			session->status = EXIT_TROUBLE;
		at->data = at->whole;
		filters_change(session->filters);
	}
	filters_apply(session);
}

unsigned session_data_of(const struct session_experiment *at)
{
	unsigned have = at->whole->have;

	for (unsigned kind = 0; kind < FMT_DATAKINDS; kind++)
		if (datakinds[kind].setting && is_on(at->experiment, datakinds[kind].setting))
			have |= 1u << kind;
	return have;
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
