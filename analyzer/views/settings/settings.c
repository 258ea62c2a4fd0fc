/* settings.c: the commands that choose what tables show and where output goes. */
#include "analyzer/views/view.h"

#include "analyzer/base/output.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void view_put_setting(struct session *session, const char *what, const char *value)
{
	if (print_is_data(session))
		return;
	fprintf(session->out, "Current %s: ", what);
	text_put(session->out, value);
	fputc('\n', session->out);
}

static void put_sort(struct session *session)
{
	char text[METRIC_ERROR_MAX];

	fprintf(session->out, "Current Sort Metric: %s",
	        metric_describe(&session->sort.metric, text));
	fprintf(session->out, " ( %s%s )\n", session->sort.reverse ? "-" : "",
	        metric_spell(&session->sort.metric, text));
}

static void put_current(struct session *session)
{
	char text[METRIC_ERROR_MAX];

	fputs("Current metrics: ", session->out);
	for (size_t i = 0; i < session->metrics.count; i++)
		fprintf(session->out, "%s%s", i ? ":" : "",
		        metric_spell(&session->metrics.at[i], text));
	fputc('\n', session->out);
	put_sort(session);
}

/* No such data, or a word at a column that is no metric. */
static void fail(struct session *session, int status, const char *command, size_t column,
                 const char *error)
{
	if (status == -ENODATA)
		session_fail(session, EXIT_TROUBLE, "%s: %s", command, error);
	else
		session_fail_at(session, command, column, error);
}

void view_metrics(struct session *session, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];
	int status = 0;

	if (argument->text)
		status = metric_list_parse(argument->text, session->have, &session->metrics, error);
	if (status != 0) {
		fail(session, status, "metrics", metric_list_fault(argument->text, session->have),
		     error);
		return;
	}
	metric_sort_adjust(&session->metrics, &session->sort);
	if (!argument->text || (!print_is_data(session) && !session->exports))
		put_current(session);
}

void view_sort(struct session *session, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];
	int status = 0;

	if (argument->text)
		status = metric_sort_parse(argument->text, session->have, &session->sort, error);
	if (status != 0)
		fail(session, status, "sort", argument->text[0] == '-' ? 2 : 1, error);
	else if (!argument->text || (!print_is_data(session) && !session->exports))
		put_sort(session);
}

/* For programs; which of them are columns now, and what rows are sorted by. */
static void list_metrics(struct session *session)
{
	struct print_table *table = print_table_begin("metric_list");
	char name[METRIC_ERROR_MAX];

	print_column(table, PRINT_WORD, "metric", "Metric");
	print_column(table, PRINT_WORD, "meaning", "Meaning");
	print_column(table, PRINT_COUNT, "shown", "Shown");
	print_column(table, PRINT_COUNT, "sorted", "Sorted by");
	for (unsigned id = 0; id < METRICS; id++) {
		const struct metric metric = {.id = (uint8_t)id};
		int is_shown = 0;

		if (id < METRIC_VALUES && !(metric_data_of(id) & session->have))
			continue;
		for (size_t i = 0; i < session->metrics.count; i++)
			is_shown |= session->metrics.at[i].id == id;
		print_word(table, metric_keyword(id));
		print_word(table, metric_describe(&metric, name));
		print_number(table, (uint64_t)is_shown);
		print_number(table, session->sort.metric.id == id);
	}
	print_table_end(session, table, 0);
}

void view_metric_list(struct session *session, const struct command_argument *argument)
{
	static const unsigned flavors[] = {METRIC_EXCLUSIVE, METRIC_INCLUSIVE};
	char name[METRIC_ERROR_MAX], keyword[METRIC_TEXT_MAX];

	(void)argument;
	if (print_is_data(session)) {
		list_metrics(session);
		return;
	}
	put_current(session);
	fputs("Available metrics:\n", session->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (!(metric_data_of(id) & session->have))
			continue;
		for (size_t i = 0; i < 2; i++) {
			const struct metric metric = {.id = (uint8_t)id,
			                              .flavor = (uint8_t)flavors[i],
			                              .show = METRIC_SHOW_VALUE |
			                                      METRIC_SHOW_PERCENT};

			fprintf(session->out, "%28s: %s\n", metric_describe(&metric, name),
			        metric_spell(&metric, keyword));
		}
	}
	for (unsigned id = METRIC_VALUES; id < METRICS; id++)
		fprintf(session->out, "%28s: %s\n", metric_meaning(id), metric_keyword(id));
}

void view_cmetric_list(struct session *session, const struct command_argument *argument)
{
	char name[METRIC_ERROR_MAX], keyword[METRIC_TEXT_MAX];
	struct metric_list list;

	(void)argument;
	metric_list_attributed(&session->metrics, &list);
	fputs("Current metrics of callers, callees and the call tree: ", session->out);
	for (size_t i = 0; i < list.count; i++)
		fprintf(session->out, "%s%s", i ? ":" : "", metric_spell(&list.at[i], keyword));
	fputs("\nAvailable metrics:\n", session->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const struct metric metric = {
			.id = (uint8_t)id,
			.flavor = METRIC_ATTRIBUTED,
			.show = METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT,
		};

		if (metric_data_of(id) & session->have)
			fprintf(session->out, "%28s: %s\n", metric_describe(&metric, name),
			        metric_spell(&metric, keyword));
	}
}

void view_limit(struct session *session, const struct command_argument *argument)
{
	const char *text = argument->text;
	char *end, number[24];
	unsigned long limit;

	if (!text) {
		snprintf(number, sizeof(number), "%lu", (unsigned long)session->limit);
		view_put_setting(session, "limit", number);
		return;
	}
	errno = 0;
	limit = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
		session_fail(session, EXIT_USAGE, "limit: '%s' is not a number of rows", text);
		return;
	}
	session->limit = limit;
}

/* True if text[len] is `word`, without regard to case. */
static int is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

void view_name(struct session *session, const struct command_argument *argument)
{
	static const char *const forms[] = {
		[NAME_LONG] = "long",
		[NAME_SHORT] = "short",
		[NAME_MANGLED] = "mangled",
	};
	const char *text = argument->text;
	size_t len = text ? strcspn(text, ":") : 0;
	const char *extra = text ? text + len : "";
	char now[32];

	if (!text) {
		snprintf(now, sizeof(now), "%s:%s", forms[session->name_form],
		         session->with_soname ? "soname" : "nosoname");
		view_put_setting(session, "name", now);
		return;
	}

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!is_word(text, len, forms[i]))
			continue;
		if (*extra != '\0' && strcasecmp(extra, ":soname") != 0 &&
		    strcasecmp(extra, ":nosoname") != 0)
			break;
		session->name_form = (enum name_form)i;
		if (*extra != '\0')
			session->with_soname = strcasecmp(extra, ":soname") == 0;
		return;
	}
	session_fail(session, EXIT_USAGE,
	             "name: '%s' is not long, short or mangled, with :soname or :nosoname", text);
}

void view_viewmode(struct session *session, const struct command_argument *argument)
{
	static const char *const modes[] = {"user", "expert", "machine"};

	if (!argument->text) {
		view_put_setting(session, "viewmode", modes[session->mode]);
		return;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcasecmp(argument->text, modes[i]) == 0) {
			session_set_mode(session, (enum frames_mode)i);
			return;
		}
	session_fail(session, EXIT_USAGE, "viewmode: '%s' is not user, expert or machine",
	             argument->text);
}

void view_printmode(struct session *session, const struct command_argument *argument)
{
	if (!argument->text && session->print.mode == PRINT_TEXT)
		view_put_setting(session, "printmode", "text");
	if (argument->text && print_set_mode(session, argument->text) != 0)
		session_fail(
			session, EXIT_USAGE,
			"printmode: '%.40s' is not text, html, json, csv, tsv or a character that separates columns",
			argument->text);
}

static void set_output(struct session *session, const char *command, const char *path,
                       FILE *(*open)(const char *path))
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : strcmp(path, "--") == 0 ? stderr : open(path);

	if (!out) {
		session_fail(session, EXIT_TROUBLE, "%s: %s: %s", command, path, strerror(errno));
		return;
	}
	print_finish(session);
	session_end_page(session);
	if (output_close(session->out, 1) != 0)
		session_fail(session, EXIT_TROUBLE, "cannot write the output");
	session->out = out;
}

void view_outfile(struct session *session, const struct command_argument *argument)
{
	set_output(session, "outfile", argument->text, output_open);
}

void view_appendfile(struct session *session, const struct command_argument *argument)
{
	set_output(session, "appendfile", argument->text, output_append);
}

void view_version(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	fputs("xer_print " XER_VERSION "\n", session->out);
}

void view_quit(struct session *session, const struct command_argument *argument)
{
	(void)argument;
	session->is_quit = 1;
}
