/* settings.c: the commands that choose what tables show and where output goes. */
#include "analyzer/views/view.h"

#include "analyzer/base/outfile.h"
#include "analyzer/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void view_put_setting(struct output *output, const char *what, const char *value)
{
	if (print_is_data(output))
		return;
	fprintf(output->out, "Current %s: ", what);
	text_put(output->out, value);
	fputc('\n', output->out);
}

static void put_sort(const struct choices *choices, struct output *output)
{
	char text[METRIC_ERROR_MAX];

	fprintf(output->out, "Current Sort Metric: %s",
	        metric_describe(&choices->sort.metric, text));
	fprintf(output->out, " ( %s%s )\n", choices->sort.reverse ? "-" : "",
	        metric_spell(&choices->sort.metric, text));
}

static void put_current(const struct choices *choices, struct output *output)
{
	char text[METRIC_ERROR_MAX];

	fputs("Current metrics: ", output->out);
	for (size_t i = 0; i < choices->metrics.count; i++)
		fprintf(output->out, "%s%s", i ? ":" : "",
		        metric_spell(&choices->metrics.at[i], text));
	fputc('\n', output->out);
	put_sort(choices, output);
}

/* No such data, or a word at a column that is no metric. */
static void fail(struct output *output, int status, const char *command, size_t column,
                 const char *error)
{
	if (status == -ENODATA)
		output_fail(output, EXIT_TROUBLE, "%s: %s", command, error);
	else
		output_fail_at(output, command, column, error);
}

void view_metrics(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];
	int status = 0;

	if (argument->text)
		status = metric_list_parse(argument->text, analysis->dataset.have,
		                           &analysis->choices.metrics, error);
	if (status != 0) {
		fail(&analysis->output, status, "metrics",
		     metric_list_fault(argument->text, analysis->dataset.have), error);
		return;
	}
	metric_sort_adjust(&analysis->choices.metrics, &analysis->choices.sort);
	if (!argument->text || (!print_is_data(&analysis->output) && !analysis->output.exports))
		put_current(&analysis->choices, &analysis->output);
}

void view_sort(struct analysis *analysis, const struct command_argument *argument)
{
	char error[METRIC_ERROR_MAX];
	int status = 0;

	if (argument->text)
		status = metric_sort_parse(argument->text, analysis->dataset.have,
		                           &analysis->choices.sort, error);
	if (status != 0)
		fail(&analysis->output, status, "sort", argument->text[0] == '-' ? 2 : 1, error);
	else if (!argument->text ||
	         (!print_is_data(&analysis->output) && !analysis->output.exports))
		put_sort(&analysis->choices, &analysis->output);
}

/* For programs; which of them are columns now, and what rows are sorted by. */
static void list_metrics(const struct dataset *dataset, const struct choices *choices,
                         struct output *output)
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

		if (id < METRIC_VALUES && !(metric_data_of(id) & dataset->have))
			continue;
		for (size_t i = 0; i < choices->metrics.count; i++)
			is_shown |= choices->metrics.at[i].id == id;
		print_word(table, metric_keyword(id));
		print_word(table, metric_describe(&metric, name));
		print_number(table, (uint64_t)is_shown);
		print_number(table, choices->sort.metric.id == id);
	}
	print_table_end(output, table, 0);
}

void view_metric_list(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	static const unsigned flavors[] = {METRIC_EXCLUSIVE, METRIC_INCLUSIVE};
	char name[METRIC_ERROR_MAX], keyword[METRIC_TEXT_MAX];

	(void)argument;
	if (print_is_data(output)) {
		list_metrics(dataset, choices, output);
		return;
	}
	put_current(choices, output);
	fputs("Available metrics:\n", output->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (!(metric_data_of(id) & dataset->have))
			continue;
		for (size_t i = 0; i < 2; i++) {
			const struct metric metric = {.id = (uint8_t)id,
			                              .flavor = (uint8_t)flavors[i],
			                              .show = METRIC_SHOW_VALUE |
			                                      METRIC_SHOW_PERCENT};

			fprintf(output->out, "%28s: %s\n", metric_describe(&metric, name),
			        metric_spell(&metric, keyword));
		}
	}
	for (unsigned id = METRIC_VALUES; id < METRICS; id++)
		fprintf(output->out, "%28s: %s\n", metric_meaning(id), metric_keyword(id));
}

void view_cmetric_list(const struct dataset *dataset, const struct choices *choices,
                       struct output *output, const struct command_argument *argument)
{
	char name[METRIC_ERROR_MAX], keyword[METRIC_TEXT_MAX];
	struct metric_list list;

	(void)argument;
	metric_list_attributed(&choices->metrics, &list);
	fputs("Current metrics of callers, callees and the call tree: ", output->out);
	for (size_t i = 0; i < list.count; i++)
		fprintf(output->out, "%s%s", i ? ":" : "", metric_spell(&list.at[i], keyword));
	fputs("\nAvailable metrics:\n", output->out);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const struct metric metric = {
			.id = (uint8_t)id,
			.flavor = METRIC_ATTRIBUTED,
			.show = METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT,
		};

		if (metric_data_of(id) & dataset->have)
			fprintf(output->out, "%28s: %s\n", metric_describe(&metric, name),
			        metric_spell(&metric, keyword));
	}
}

void view_limit(struct analysis *analysis, const struct command_argument *argument)
{
	const char *text = argument->text;
	char *end, number[24];
	unsigned long limit;

	if (!text) {
		snprintf(number, sizeof(number), "%lu", (unsigned long)analysis->choices.limit);
		view_put_setting(&analysis->output, "limit", number);
		return;
	}
	errno = 0;
	limit = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
		output_fail(&analysis->output, EXIT_USAGE, "limit: '%s' is not a number of rows",
		            text);
		return;
	}
	analysis->choices.limit = limit;
}

/* True if text[len] is `word`, without regard to case. */
static int is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

void view_name(struct analysis *analysis, const struct command_argument *argument)
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
		snprintf(now, sizeof(now), "%s:%s", forms[analysis->choices.name_form],
		         analysis->choices.with_soname ? "soname" : "nosoname");
		view_put_setting(&analysis->output, "name", now);
		return;
	}

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!is_word(text, len, forms[i]))
			continue;
		if (*extra != '\0' && strcasecmp(extra, ":soname") != 0 &&
		    strcasecmp(extra, ":nosoname") != 0)
			break;
		analysis->choices.name_form = (enum name_form)i;
		if (*extra != '\0')
			analysis->choices.with_soname = strcasecmp(extra, ":soname") == 0;
		return;
	}
	output_fail(&analysis->output, EXIT_USAGE,
	            "name: '%s' is not long, short or mangled, with :soname or :nosoname", text);
}

void view_viewmode(struct analysis *analysis, const struct command_argument *argument)
{
	static const char *const modes[] = {"user", "expert", "machine"};

	if (!argument->text) {
		view_put_setting(&analysis->output, "viewmode", modes[analysis->dataset.mode]);
		return;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcasecmp(argument->text, modes[i]) == 0) {
			dataset_set_mode(&analysis->dataset, (enum frames_mode)i);
			return;
		}
	output_fail(&analysis->output, EXIT_USAGE, "viewmode: '%s' is not user, expert or machine",
	            argument->text);
}

void view_folded_root(struct analysis *analysis, const struct command_argument *argument)
{
	static const char *const roots[] = {"program", "pid"};

	if (!argument->text) {
		view_put_setting(&analysis->output, "folded-root",
		                 roots[analysis->choices.folded_by_pid]);
		return;
	}
	for (int i = 0; i < 2; i++)
		if (strcasecmp(argument->text, roots[i]) == 0) {
			analysis->choices.folded_by_pid = i;
			return;
		}
	output_fail(&analysis->output, EXIT_USAGE, "folded-root: '%s' is not program or pid",
	            argument->text);
}

void view_printmode(struct analysis *analysis, const struct command_argument *argument)
{
	if (!argument->text && analysis->output.print.mode == PRINT_TEXT)
		view_put_setting(&analysis->output, "printmode", "text");
	if (argument->text && print_set_mode(&analysis->output, argument->text) != 0)
		output_fail(
			&analysis->output, EXIT_USAGE,
			"printmode: '%.40s' is not text, html, markdown, json, csv, tsv or a character that separates columns",
			argument->text);
}

static void set_output(struct output *output, const char *command, const char *path,
                       FILE *(*open)(const char *path))
{
	FILE *out = strcmp(path, "-") == 0 ? stdout : strcmp(path, "--") == 0 ? stderr : open(path);

	if (!out) {
		output_fail(output, EXIT_TROUBLE, "%s: %s: %s", command, path, strerror(errno));
		return;
	}
	print_finish(output);
	output_end_page(output);
	if (outfile_close(output->out, 1) != 0)
		output_fail(output, EXIT_TROUBLE, "cannot write the output");
	output->out = out;
	output_forget(output);
}

void view_outfile(struct analysis *analysis, const struct command_argument *argument)
{
	set_output(&analysis->output, "outfile", argument->text, outfile_open);
}

void view_appendfile(struct analysis *analysis, const struct command_argument *argument)
{
	set_output(&analysis->output, "appendfile", argument->text, outfile_append);
}

void view_version(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)dataset;
	(void)choices;
	(void)argument;
	fputs("xer_print " XER_VERSION "\n", output->out);
}

void view_quit(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	analysis->output.is_quit = 1;
}
