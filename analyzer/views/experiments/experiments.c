/* experiments.c: the experiments of the dataset: their list, and the commands that open,
 * close, select and read them again. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/quality/absent.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/quality/unseen.h"
#include "analyzer/report/report.h"
#include "format/lineage.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct dataset_experiment *view_next_experiment(const struct dataset *dataset,
                                                      struct output *output, const char *command,
                                                      const struct command_argument *argument,
                                                      const struct dataset_experiment *at)
{
	if (!argument->text || strcasecmp(argument->text, "all") == 0)
		return dataset_next(dataset, at);
	if (at)
		return NULL;
	at = dataset_find(dataset, argument->number);
	if (!at)
		output_fail(output, EXIT_USAGE, "%s: no experiment %s (exp_list lists them)",
		            command, argument->text);
	return at;
}

/* ---- exp_list ---- */

/* The founder by its path, a descendant that came with it by its lineage, indented. */
static void put_place(struct output *output, const struct dataset_experiment *at)
{
	FILE *out = output->out;

	if (at->founder == 0 || at->info->lineage[0] == '\0') {
		text_put(out, at->info->path);
		return;
	}
	fprintf(out, "%*s", 2 * (int)lineage_depth(at->info->lineage), "");
	if (lineage_parse(at->info->name) != 0 &&
	    lineage_depth(at->info->name) == 0) /* a rank of an MPI job */
		fprintf(out, "M_r%lld ", (long long)at->info->mpi_rank);
	fputs(at->info->lineage, out);
}

const char *view_remedy(const struct dataset_experiment *at, const struct exp_event *event)
{
	const char *outside = report_attribute(event, "outside");

	return outside && strcmp(outside, "1") == 0 &&
	                       strcmp(experiment_setting(at->experiment, "sampler_ns", "0"), "0") ==
	                               0
	               ? "; --sampler samples it from outside"
	               : "";
}

/* The processes that this one made and that were not recorded. */
static void put_absentees(const struct dataset *dataset, struct output *output,
                          const struct dataset_experiment *at, int with_group)
{
	const struct exp_info *info = at->info;
	struct absent absentee;

	for (size_t i = 0; i < info->event_count; i++) {
		if (!absent_find(dataset, at, &info->events[i], &absentee))
			continue;
		fprintf(output->out, "  -  -    %s%9s  %10s  %-20s  %*s", with_group ? "  -  " : "",
		        "-", "-", "not recorded", 2 * (int)lineage_depth(absentee.lineage), "");
		text_put(output->out, absentee.lineage);
		fputs(": ", output->out);
		text_put(output->out, absentee.path);
		fputs(" (", output->out);
		text_put(output->out, absentee.reason);
		fprintf(output->out, "%s)\n", view_remedy(at, &info->events[i]));
	}
}

static void put_experiment(const struct dataset *dataset, struct output *output,
                           const struct dataset_experiment *at, int with_group)
{
	char text[64];
	FILE *out = output->out;

	fprintf(out, "%3u  %-3s  ", at->id, at->is_selected ? "yes" : "no");
	if (with_group)
		fprintf(out, "%3u  ", at->group + 1);
	fprintf(out, "%9lld  %10.3f  %-20s  ", (long long)at->info->pid,
	        report_seconds(report_cpu_ns(at)), report_status(at, text, sizeof(text)));
	put_place(output, at);
	fputs(": ", out);
	report_put_command_cut(out, at->info);
	fputc('\n', out);
	put_absentees(dataset, output, at, with_group);
}

static void add_experiment(struct print_table *table, const struct dataset *dataset,
                           const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	char text[64], *command = report_command(info);

	print_number(table, at->id);
	print_number(table, at->is_selected != 0);
	print_word(table, dataset->groups[at->group].path);
	print_number(table, (uint64_t)info->pid);
	print_number(table, report_cpu_ns(at));
	print_word(table, report_status(at, text, sizeof(text)));
	if (info->exit_code >= 0)
		print_number(table, (uint64_t)info->exit_code);
	else
		print_none(table);
	print_word(table, info->path);
	print_word(table, info->lineage);
	print_word(table, command);
	free(command);
}

/* What was not recorded, for programs. */
static void add_absentees(const struct dataset *dataset, struct output *output)
{
	struct print_table *table = print_table_begin("unrecorded");

	print_column(table, PRINT_ID, "parent", "Experiment of its parent");
	print_column(table, PRINT_WORD, "lineage", "Lineage");
	print_column(table, PRINT_WORD, "path", "Path");
	print_column(table, PRINT_WORD, "reason", "Reason");
	for (size_t i = 0; i < dataset->count; i++) {
		const struct dataset_experiment *at = &dataset->experiments[i];
		struct absent absentee;

		for (size_t j = 0; j < at->info->event_count; j++) {
			if (!absent_find(dataset, at, &at->info->events[j], &absentee))
				continue;
			print_number(table, at->id);
			print_word(table, absentee.lineage);
			print_word(table, absentee.path);
			print_word(table, absentee.reason);
		}
	}
	print_table_end(output, table, 0);
}

/* The list for programs; see view.h. */
void view_add_experiments(const struct dataset *dataset, struct output *output)
{
	static const struct {
		enum print_type type;
		const char *key, *heading;
	} columns[] = {
		{PRINT_ID, "id", "ID"},
		{PRINT_COUNT, "selected", "Selected"},
		{PRINT_WORD, "group", "Group"},
		{PRINT_ID, "pid", "PID"},
		{PRINT_NS, "cpu", "CPU time"},
		{PRINT_WORD, "status", "Status"},
		{PRINT_COUNT, "exit_code", "Exit code"},
		{PRINT_WORD, "path", "Experiment"},
		{PRINT_WORD, "lineage", "Lineage"},
		{PRINT_WORD, "command", "Command"},
	};
	struct print_table *table = print_table_begin("exp_list");

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		print_column(table, columns[i].type, columns[i].key, columns[i].heading);
	for (size_t i = 0; i < dataset->count; i++)
		add_experiment(table, dataset, &dataset->experiments[i]);
	print_table_end(output, table, 0);
	add_absentees(dataset, output);
}

void view_exp_list(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	int with_group = dataset->group_count > 1;

	(void)choices;
	(void)argument;
	if (print_is_data(output)) {
		view_add_experiments(dataset, output);
		return;
	}
	fprintf(output->out, "%3s  %-3s  %s%9s  %10s  %-20s  %s\n", "ID", "Sel",
	        with_group ? "Grp  " : "", "PID", "CPU sec.", "Status",
	        "Experiment or lineage: command");
	for (size_t i = 0; i < dataset->count; i++)
		put_experiment(dataset, output, &dataset->experiments[i], with_group);
	unseen_put_left_out(dataset, output);
	fputc('\n', output->out);
}

/* ---- exp_select ---- */

/* Read "N" or "N-M" at *at, up to a comma or the end. Returns 0 or -1. */
static int read_range(const char **at, unsigned long *first, unsigned long *last)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return -1;
	*first = *last = strtoul(*at, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -1;
		*last = strtoul(end + 1, &end, 10);
	}
	if ((*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0') || *last < *first)
		return -1;
	*at = *end == ',' ? end + 1 : end;
	return 0;
}

/* Mark the experiments of a list like 1,3-5 in marks[analysis->count]. Returns 0, or -1 after a
 * message. */
static int read_list(const struct dataset *dataset, struct output *output, const char *text,
                     unsigned char *marks)
{
	const char *at = text;
	unsigned long first, last;

	while (*at != '\0') {
		const char *start = at;
		size_t found = 0;

		if (read_range(&at, &first, &last) != 0) {
			output_fail(output, EXIT_USAGE,
			            "exp_select: column %zu: '%s' is not a list like 1,3-5, or all",
			            (size_t)(start - text) + 1, start);
			return -1;
		}
		for (size_t i = 0; i < dataset->count; i++)
			if (dataset->experiments[i].id >= first &&
			    dataset->experiments[i].id <= last)
				found += marks[i] = 1;
		if (found == 0) {
			output_fail(
				output, EXIT_USAGE,
				"exp_select: column %zu: no experiment %.*s (exp_list lists them)",
				(size_t)(start - text) + 1, (int)strcspn(start, ","), start);
			return -1;
		}
	}
	return 0;
}

void view_exp_select(struct analysis *analysis, const struct command_argument *argument)
{
	int all = strcasecmp(argument->text, "all") == 0;
	unsigned char *marks = memory_take(analysis->dataset.count, 1);

	if (all || read_list(&analysis->dataset, &analysis->output, argument->text, marks) == 0) {
		for (size_t i = 0; i < analysis->dataset.count; i++)
			analysis->dataset.experiments[i].is_selected = all || marks[i];
		analysis_refresh(analysis);
	}
	free(marks);
}

/* ---- opening and closing ---- */

/* The first experiments bring the defaults of their kinds of data. */
static void take_over(struct analysis *analysis, size_t before)
{
	if (before == 0)
		analysis_set_defaults(analysis);
	else
		analysis_refresh(analysis);
}

void view_open_exp(struct analysis *analysis, const struct command_argument *argument)
{
	size_t before = analysis->dataset.count;

	dataset_open_alone(&analysis->dataset, &analysis->choices, &analysis->output,
	                   argument->text);
	take_over(analysis, before);
}

void view_add_exp(struct analysis *analysis, const struct command_argument *argument)
{
	size_t before = analysis->dataset.count;

	if (dataset_find_path(&analysis->dataset, argument->text))
		output_say(&analysis->output, "add_exp: %s is open already", argument->text);
	else if (dataset_open(&analysis->dataset, &analysis->choices, &analysis->output,
	                      argument->text) == 0)
		take_over(analysis, before);
}

void view_drop_exp(struct analysis *analysis, const struct command_argument *argument)
{
	if (dataset_drop(&analysis->dataset, argument->text) == 0)
		output_fail(&analysis->output, EXIT_USAGE,
		            "drop_exp: %s is not open (exp_list lists what is)", argument->text);
	else
		analysis_refresh(analysis);
}

void view_reload(struct analysis *analysis, const struct command_argument *argument)
{
	(void)argument;
	dataset_reload(&analysis->dataset, &analysis->choices, &analysis->output);
	analysis_refresh(analysis);
}
