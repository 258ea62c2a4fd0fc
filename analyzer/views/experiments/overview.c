/* overview.c: everything on one page: experiments, totals of each kind of data, largest values. */
#include "analyzer/views/experiments/overview.h"
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/model/datakind.h"
#include "analyzer/report/compare/beside.h"
#include "analyzer/report/data.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/table/compare.h"
#include "analyzer/views/experiments/threadtime.h"

#include <stdlib.h>

#define SHOWN_S 0.0005 /* less does not show */

enum { TOP_THREADS = 8, TOP_PROCESSES = 8 };

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

static void put_compared(const struct dataset *dataset, const struct choices *choices,
                         struct output *output)
{
	if (print_is_data(output))
		view_add_experiments(dataset, output);
	else
		put_groups(dataset, output);
	compare_beside(dataset, choices, output, data_totals);
	overview_put_top_tables(dataset, choices, output);
}

static void put_data(const struct dataset *dataset, const struct choices *choices,
                     struct output *output)
{
	data_overview(dataset, choices, output);
	overview_put_top_tables(dataset, choices, output);
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
			overview_put_section(dataset, choices, output, datakinds_shown[i]);
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
