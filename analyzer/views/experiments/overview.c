/* overview.c: everything on one page: experiments, totals of each kind of data, largest values. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text.h"
#include "analyzer/model/datakind.h"
#include "analyzer/model/name.h"
#include "analyzer/model/owncode.h"
#include "analyzer/report/compare/beside.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"
#include "analyzer/table/table.h"
#include "analyzer/views/experiments/threadtime.h"

#include <stdlib.h>

#define SHOWN_S 0.0005 /* less does not show */

enum { TOP = 3, TOP_THREADS = 8, TOP_PROCESSES = 8 };

/* It came with its founder, which is in the list too. */
static int is_descendant(const struct dataset_experiment *at)
{
	return at->founder != 0 && at->info->lineage[0] != '\0';
}

/* From the start of a process to the end of all its descendants: a launcher's own time ends when it
 * executes a program. */
static double run_seconds(const struct dataset *dataset, const struct dataset_experiment *founder)
{
	const struct dataset_experiment *at = NULL;
	double last_s = founder->info->duration_s;

	while ((at = dataset_next(dataset, at))) {
		double end_s = (double)(at->info->start_real_ns - founder->info->start_real_ns) *
		                       1e-9 +
		               at->info->duration_s;

		if (at->founder == founder->id && end_s > last_s)
			last_s = end_s;
	}
	return last_s;
}

static void put_experiment(const struct dataset *dataset, struct output *output,
                           const struct dataset_experiment *at)
{
	const struct exp_info *info = at->info;
	FILE *out = output->out;
	char text[64];
	double whole_s;

	fprintf(out, "%3u  ", at->id);
	text_put(out, info->path);
	fputs("\n     Command   ", out);
	report_put_command(out, info);
	fprintf(out, "\n     Process   %lld, %s\n     Host      ", (long long)info->pid,
	        report_status(at, text, sizeof(text)));
	text_put(out, info->host);
	fprintf(out, "\n     Duration  %.3f seconds", info->duration_s);
	whole_s = run_seconds(dataset, at);
	if (whole_s - info->duration_s >= SHOWN_S)
		fprintf(out, ", with its descendants %.3f seconds", whole_s);
	fputc('\n', out);
}

/* What each function of a part of the tree has of one metric. */
struct sums {
	const struct tree *tree;
	const uint32_t *items; /* that the values of a node go to, see owncode_items */
};

static uint64_t *make_sums(const void *source, unsigned id)
{
	const struct sums *sums = source;

	return owncode_sums(sums->tree, sums->items, id);
}

/* The functions with the most of a metric, <Total> first, and the one column that they have. */
struct top {
	struct table table;
	struct metric_list metrics;
	/* Of a metric by the program's own code, for each group; else NULL: */
	struct columns *own;
	struct sums *sums;
	uint32_t *items;
};

static const struct columns *top_values(const struct top *top, const struct fold *fold,
                                        uint32_t item, size_t group)
{
	if (item == 0)
		return &fold->total;
	return top->own ? &top->own[group] : &fold->own;
}

static void make_own(const struct dataset *dataset, const struct tree *tree,
                     const struct fold *const *folds, struct top *top)
{
	size_t count = dataset_columns(dataset);

	top->items = owncode_items(tree);
	top->sums = memory_take(count, sizeof(*top->sums));
	top->own = memory_take(count, sizeof(*top->own));
	for (size_t i = 0; i < count; i++) {
		top->sums[i] = (struct sums){folds[i]->tree, top->items};
		top->own[i] = (struct columns){
			.count = tree->item_count, .make = make_sums, .source = &top->sums[i]};
	}
}

static void find_top(const struct dataset *dataset, const struct choices *choices, unsigned id,
                     struct top *top)
{
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold **folds = compare_folds(dataset, TREE_FUNCTIONS);
	struct metric_sort sort = {
		.metric = {(uint8_t)id, METRIC_EXCLUSIVE, METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT}};
	const char *title;

	*top = (struct top){.metrics = {.at = {sort.metric}, .count = 1}};
	if (metric_overview_of(id, &title) == METRIC_OWN)
		make_own(dataset, tree, folds, top);
	compare_table(dataset, &top->table, TREE_FUNCTIONS);
	for (uint32_t i = 0; i < tree->item_count; i++) {
		for (size_t j = 0; j < top->table.group_count; j++)
			top->table.next[j] = (struct table_values){
				columns_view(top_values(top, folds[j], i, j), i),
				columns_view(&folds[j]->total, i)};
		if (i == 0 || table_next_is_worth(&top->table, &top->metrics, &sort))
			table_add_next(&top->table, tree, i,
			               name_function(choices, tree->items[i].function));
	}
	free(folds);
	table_sort(&top->table, 1, &sort, &top->metrics);
}

static void top_fini(const struct dataset *dataset, struct top *top)
{
	for (size_t i = 0; top->own && i < dataset_columns(dataset); i++)
		columns_fini(&top->own[i]);
	table_fini(&top->table);
	free(top->own);
	free(top->sums);
	free(top->items);
}

static const char *title_end(unsigned id)
{
	const char *title;

	return metric_overview_of(id, &title) == METRIC_OWN
	               ? ", by the innermost function of the program"
	               : "";
}

static char *grouped(const FILE *out, unsigned id, char *value)
{
	return metric_unit_of(id) == METRIC_UNIT_SECONDS ? value : terminal_group(out, value);
}

static void put_top(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, unsigned id, const char *title)
{
	char value[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];
	const struct table *table;
	struct top top;

	find_top(dataset, choices, id, &top);
	table = &top.table;
	if (table->count > 1) {
		struct metric_scale scale = table_scale(table, &top.metrics.at[0]);
		int is_told = metric_unit_of(id) == METRIC_UNIT_SECONDS &&
		              scale.unit_ns != METRIC_SECOND_NS;

		fprintf(output->out, "  %s%s%s%s:\n", title, title_end(id), is_told ? ", in " : "",
		        is_told ? metric_scale_unit(&scale) : "");
	}
	for (size_t i = 1; i < table->count && i <= TOP; i++) {
		const struct metric *metric = &top.metrics.at[0];

		fprintf(output->out, "    %14s  %6s %%  ",
		        grouped(output->out, id,
		                table_format(table, &table->rows[i], metric, 0, value)),
		        table_format_percent(table, &table->rows[i], metric, 0, share));
		text_put(output->out, table->rows[i].name);
		fputc('\n', output->out);
	}
	top_fini(dataset, &top);
}

static void put_total(const struct dataset *dataset, struct output *output, unsigned id)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	struct metric_scale scale = metric_scale_of(id, sum->of[id], 0);
	char value[METRIC_TEXT_MAX];

	fprintf(output->out, "  %-20s %12s%s", metric_meaning(id),
	        grouped(output->out, id, metric_format_scaled(id, sum->of[id], &scale, value)),
	        metric_unit_of(id) != METRIC_UNIT_SECONDS ? ""
	        : scale.unit_ns == METRIC_SECOND_NS       ? " seconds"
	                                                  : " microseconds");
	if (id == METRIC_USER || id == METRIC_SYSTEM)
		fprintf(output->out, " (%s %%)",
		        metric_format_percent(sum->of[id], sum->of[METRIC_TOTALCPU], value));
	if (id == METRIC_WAIT)
		fputs(", in <Unknown>: ready to run, which has no stack", output->out);
	fputc('\n', output->out);
}

/* The time of a thread after its last sample is in the total only: no sample shows whether it was
 * user or system time. */
static void put_residual(const struct dataset *dataset, struct output *output)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;
	uint64_t known = sum->of[METRIC_USER] + sum->of[METRIC_SYSTEM],
		 total = sum->of[METRIC_TOTALCPU];
	char value[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];

	if (total > known)
		fprintf(output->out, "  %-20s %12s seconds (%s %%)\n", "User or System Time",
		        metric_format(METRIC_TOTALCPU, total - known, value),
		        metric_format_percent(total - known, total, share));
}

/* Processes that ended before a first sample are all <Unknown>, which is explained by that. */
static void put_unsampled(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment *at = NULL;
	uint64_t cpu_ns = 0;
	size_t count = 0;
	char value[METRIC_TEXT_MAX];

	while ((at = dataset_next(dataset, at)))
		if (at->data->have & EXP_DATA_PROFILE && at->whole->quality.samples == 0 &&
		    report_cpu_ns(at) != 0) {
			cpu_ns += report_cpu_ns(at);
			count++;
		}
	if (count > 0)
		fprintf(output->out,
		        "  %-20s %12s seconds, in <Unknown>: of %zu process%s that ended before %s first sample\n",
		        "Without a Sample", metric_format(METRIC_TOTALCPU, cpu_ns, value), count,
		        count == 1 ? "" : "es", count == 1 ? "its" : "their");
}

/* Pass each metric of a kind of data that has functions in the overview to `put`. */
static void for_each_top(const struct dataset *dataset, const struct choices *choices,
                         struct output *output, unsigned kind,
                         void (*put)(const struct dataset *dataset, const struct choices *choices,
                                     struct output *output, unsigned id, const char *title))
{
	const char *title;

	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) == 1u << kind &&
		    metric_overview_of(id, &title) >= METRIC_FUNCTIONS)
			put(dataset, choices, output, id, title);
}

/* Of the states of threads, those are shown that were there. */
static int is_absent_state(const struct dataset *dataset, unsigned id)
{
	return metric_data_of(id) == EXP_DATA_WALL &&
	       dataset_tree(dataset, TREE_FUNCTIONS)->sum.of[id] == 0;
}

/* The overview of one kind of data: totals, then functions. */
static void put_section(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, unsigned kind)
{
	const char *title;

	fprintf(output->out, "\n%s\n", datakinds[kind].title);
	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		if (metric_data_of(id) == 1u << kind &&
		    metric_overview_of(id, &title) != METRIC_NO && !is_absent_state(dataset, id))
			put_total(dataset, output, id);
		if (id == METRIC_SYSTEM && kind == FMT_DATAKIND_PROFILE)
			put_residual(dataset, output);
	}
	if (kind == FMT_DATAKIND_PROFILE)
		put_unsampled(dataset, output);
	for_each_top(dataset, choices, output, kind, put_top);
}

static int by_cpu(const void *left, const void *right)
{
	const struct exp_thread *a = *(const struct exp_thread *const *)left;
	const struct exp_thread *b = *(const struct exp_thread *const *)right;

	if (a->cpu_ns != b->cpu_ns)
		return a->cpu_ns > b->cpu_ns ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The threads with the most CPU time, of all experiments together. */
static void put_threads(const struct dataset *dataset, struct output *output)
{
	const struct exp_thread **threads = NULL;
	const struct dataset_experiment *at = NULL;
	size_t count = 0, capacity = 0;
	int is_one_each = 1;

	while ((at = dataset_next(dataset, at))) {
		const struct exp_data_set *data = at->data;

		is_one_each &= data->thread_count == 1;

		for (size_t j = 0; j < data->thread_count; j++) {
			threads = memory_grow(threads, count, &capacity, sizeof(*threads));
			threads[count++] = &data->threads[j];
		}
	}
	if (count > 1)
		qsort(threads, count, sizeof(*threads), by_cpu);
	/* Then the list of processes is that of the threads, too. */
	is_one_each &= count > 1;
	fprintf(output->out, "\nThreads: %zu%s\n", count,
	        is_one_each ? ", one in each process" : "");
	for (size_t i = 0; i < count && i < TOP_THREADS && !is_one_each; i++) {
		if (dataset->have & EXP_DATA_PROFILE)
			fprintf(output->out, "    %14.3f seconds",
			        report_seconds(threads[i]->cpu_ns));
		else
			fputs("  ", output->out);
		fprintf(output->out, "  %u ", threads[i]->tid);
		text_put(output->out, threads[i]->name);
		fputc('\n', output->out);
	}
	free(threads);
}

static int by_process_cpu(const void *left, const void *right)
{
	const struct dataset_experiment *a = *(const struct dataset_experiment *const *)left;
	const struct dataset_experiment *b = *(const struct dataset_experiment *const *)right;

	if (report_cpu_ns(a) != report_cpu_ns(b))
		return report_cpu_ns(a) > report_cpu_ns(b) ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The processes with the most CPU time, where there are descendants. */
static void put_processes(const struct dataset *dataset, struct output *output)
{
	const struct dataset_experiment **all = NULL;
	const struct dataset_experiment *at = NULL;
	size_t count = 0, capacity = 0, founders = 0;

	while ((at = dataset_next(dataset, at))) {
		all = memory_grow(all, count, &capacity, sizeof(*all));
		all[count++] = at;
		founders += !is_descendant(at);
	}
	if (count > founders) {
		qsort(all, count, sizeof(*all), by_process_cpu);
		fprintf(output->out, "\nProcesses: %zu\n", count);
		for (size_t i = 0; i < count && i < TOP_PROCESSES; i++) {
			fprintf(output->out, "    %14.3f seconds  %lld %s%s",
			        report_seconds(report_cpu_ns(all[i])), (long long)all[i]->info->pid,
			        all[i]->info->lineage, all[i]->info->lineage[0] ? " " : "");
			report_put_command_cut(output->out, all[i]->info);
			fputc('\n', output->out);
		}
	}
	free(all);
}

/* The experiments of each group, below its label. */
static void put_groups(const struct dataset *dataset, struct output *output)
{
	for (size_t i = 0; i < dataset_columns(dataset); i++) {
		const struct dataset part = compare_part(dataset, i);
		const struct dataset_experiment *at = NULL;
		char *label = compare_label(dataset, i);

		fprintf(output->out, "%s:\n", label);
		free(label);
		while ((at = dataset_next(&part, at)))
			if (!is_descendant(at))
				put_experiment(&part, output, at);
	}
	fputc('\n', output->out);
}

static void put_top_table(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, unsigned id, const char *title)
{
	char *name = memory_format("top.%s", metric_keyword(id));
	struct top top;

	find_top(dataset, choices, id, &top);
	if (!print_is_data(output))
		fprintf(output->out, "%s%s\n\n", title, title_end(id));
	table_put(dataset, output, &top.table, &top.metrics, TOP + 1, name);
	fputc('\n', output->out);
	free(name);
	top_fini(dataset, &top);
}

/* The largest values of each kind of data as tables; in a comparison those of the first group, or
 * the greatest differences to it. */
static void put_tops(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	for (size_t i = 0; i < FMT_DATAKINDS; i++)
		if (dataset->have & 1u << datakinds_shown[i])
			for_each_top(dataset, choices, output, datakinds_shown[i], put_top_table);
}

static void put_compared(const struct dataset *dataset, const struct choices *choices,
                         struct output *output)
{
	if (print_is_data(output))
		view_add_experiments(dataset, output);
	else
		put_groups(dataset, output);
	compare_beside(dataset, choices, output, data_totals);
	put_tops(dataset, choices, output);
}

static void put_data(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	data_overview(dataset, choices, output);
	put_tops(dataset, choices, output);
}

static void put_text(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	const struct dataset_experiment *at = NULL;

	thread_time_put(dataset, choices, output);
	fputs("Experiments\n", output->out);
	while ((at = dataset_next(dataset, at)))
		if (!is_descendant(at))
			put_experiment(dataset, output, at);
	put_processes(dataset, output);
	for (size_t i = 0; i < FMT_DATAKINDS; i++)
		if (dataset->have & 1u << datakinds_shown[i])
			put_section(dataset, choices, output, datakinds_shown[i]);
	put_threads(dataset, output);
	fputc('\n', output->out);
}

/* The view that leads on from a total, if that is not 0. */
static const struct {
	unsigned metric;
	const char *command, *why;
} following[] = {
	{METRIC_BLOCKED, "waits", "the longest waits, and who held what was waited for"},
	{METRIC_HEAPLEAKBYTES, "leaks", "the stacks that allocated what was not freed"},
	{METRIC_HEAPALLOCBYTES, "allocs", "the stacks that allocate most"},
	{METRIC_SYNCOBJECT, "locks", "what was waited for"},
	{METRIC_IOREADTIME, "ioactivity", "the files that were read and written"},
	{METRIC_OMPWAIT, "ompregions", "parallel regions, and what threads did in them"},
	{METRIC_MPITIME, "mpifunctions", "calls of MPI"},
	{METRIC_FCALLS, "calls", "the traced functions"},
};

static void put_following(const struct dataset *dataset, const struct choices *choices,
                          struct output *output)
{
	const struct metric_values *sum = &dataset_tree(dataset, TREE_FUNCTIONS)->sum;

	report_put_next(dataset, choices, output, "functions", NULL,
	                "all functions with these metrics");
	for (size_t i = 0; i < sizeof(following) / sizeof(following[0]); i++)
		if (sum->of[following[i].metric] != 0)
			report_put_next(dataset, choices, output, following[i].command, NULL,
			                following[i].why);
	if (dataset_selected(dataset) > TOP_PROCESSES)
		report_put_next(dataset, choices, output, "programs", NULL,
		                "the processes by program");
	report_put_next(dataset, choices, output, "metric_list", NULL, "what else tables can show");
	fputc('\n', output->out);
}

void view_overview(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	if (argument->number != 0 && dataset->count > 1) {
		output_fail(
			output, EXIT_USAGE,
			"overview: it is of all that are selected (exp_select %s, before, selects one)",
			argument->text);
		return;
	}
	quality_put(dataset, output);
	if (dataset_columns(dataset) > 1)
		put_compared(dataset, choices, output);
	else if (print_is_data(output))
		put_data(dataset, choices, output);
	else
		put_text(dataset, choices, output);
	put_following(dataset, choices, output);
}
