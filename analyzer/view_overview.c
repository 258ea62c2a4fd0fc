/* view_overview.c: everything on one page: experiments, totals of each kind of data, what stands
 * out. */
#include "view.h"

#include "data.h"
#include "memory.h"
#include "name.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>

enum { TOP = 3, TOP_THREADS = 8, TOP_PROCESSES = 8 };

/* It came with its founder, which is in the list too. */
static int is_descendant(const struct session_experiment *at)
{
	return at->founder != 0 && at->info->lineage[0] != '\0';
}

static void put_experiment(struct session *session, const struct session_experiment *at)
{
	const struct exp_info *info = at->info;
	FILE *out = session->out;
	char text[64];

	fprintf(out, "%3u  ", at->id);
	text_put(out, info->path);
	fputs("\n     Command   ", out);
	report_put_command(out, info);
	fprintf(out, "\n     Process   %lld, %s\n     Host      ", (long long)info->pid,
		report_status(info, text, sizeof(text)));
	text_put(out, info->host);
	fprintf(out, "\n     Duration  %.3f seconds\n", info->duration_s);
}

/* The functions with the most of a metric. */
static void put_top(struct session *session, unsigned id, unsigned flavor)
{
	const struct tree *tree = session_tree(session, TREE_FUNCTIONS);
	const struct fold_row *rows = session_fold(session, TREE_FUNCTIONS);
	struct metric_list metrics = {.at = {{(uint8_t)id, (uint8_t)flavor, METRIC_SHOW_VALUE}},
				      .count = 1};
	struct metric_sort sort = {.metric = metrics.at[0]};
	struct table table = {.sum = tree->total[TREE_ROOT]};
	char value[METRIC_TEXT_MAX], share[METRIC_TEXT_MAX];

	for (size_t i = 1; i < tree->item_count; i++)
		if (table_is_worth(&rows[i].own, &rows[i].total, &metrics, &sort))
			table_add(&table, &rows[i].own, &rows[i].total, tree, (uint32_t)i,
				  name_function(session, tree->items[i].function));
	table_sort(&table, 0, &sort, &metrics);
	for (size_t i = 0; i < table.count && i < TOP; i++) {
		uint64_t number =
			(flavor == METRIC_INCLUSIVE ? table.rows[i].total : table.rows[i].own)
				->of[id];

		fprintf(session->out, "    %14s  %6s %%  ", metric_format(id, number, value),
			metric_format_percent(number, table.sum.of[id], share));
		text_put(session->out, table.rows[i].name);
		fputc('\n', session->out);
	}
	table_fini(&table);
}

static void put_total(struct session *session, unsigned id, const char *unit)
{
	const struct metric_values *sum = &session_tree(session, TREE_FUNCTIONS)->total[TREE_ROOT];
	char value[METRIC_TEXT_MAX];

	fprintf(session->out, "  %-18s %14s%s", metric_meaning(id),
		metric_format(id, sum->of[id], value), unit);
	if (id == METRIC_USER || id == METRIC_SYSTEM)
		fprintf(session->out, " (%s %%)",
			metric_format_percent(sum->of[id], sum->of[METRIC_TOTALCPU], value));
	fputc('\n', session->out);
}

static void put_clock(struct session *session)
{
	fputs("\nClock profile\n", session->out);
	put_total(session, METRIC_TOTALCPU, " seconds");
	put_total(session, METRIC_USER, " seconds");
	put_total(session, METRIC_SYSTEM, " seconds");
	put_total(session, METRIC_SAMPLES, "");
	if (session_tree(session, TREE_FUNCTIONS)->total[TREE_ROOT].of[METRIC_TOTALCPU] == 0)
		return;
	fputs("  Most exclusive CPU time:\n", session->out);
	put_top(session, METRIC_TOTALCPU, METRIC_EXCLUSIVE);
}

static void put_heap(struct session *session)
{
	const struct metric_values *sum = &session_tree(session, TREE_FUNCTIONS)->total[TREE_ROOT];

	fputs("\nHeap\n", session->out);
	for (unsigned id = METRIC_HEAPALLOCCNT; id <= METRIC_HEAPLEAKBYTES; id++)
		put_total(session, id, "");
	if (sum->of[METRIC_HEAPALLOCBYTES] != 0) {
		fputs("  Most bytes allocated, by the innermost function:\n", session->out);
		put_top(session, METRIC_HEAPALLOCBYTES, METRIC_EXCLUSIVE);
	}
	if (sum->of[METRIC_HEAPLEAKBYTES] != 0) {
		fputs("  Most bytes leaked, by the innermost function:\n", session->out);
		put_top(session, METRIC_HEAPLEAKBYTES, METRIC_EXCLUSIVE);
	}
}

static void put_sync(struct session *session)
{
	const struct metric_values *sum = &session_tree(session, TREE_FUNCTIONS)->total[TREE_ROOT];

	fputs("\nSynchronization\n", session->out);
	put_total(session, METRIC_SYNCN, "");
	put_total(session, METRIC_SYNC, " seconds");
	if (sum->of[METRIC_SYNC] == 0)
		return;
	fputs("  Most wait time, by the innermost function:\n", session->out);
	put_top(session, METRIC_SYNC, METRIC_EXCLUSIVE);
}

static void put_io(struct session *session)
{
	static const struct {
		unsigned time;
		const char *title;
	} tops[] = {
		{METRIC_IOREADTIME, "Most read time"},
		{METRIC_IOWRITETIME, "Most write time"},
	};
	const struct metric_values *sum = &session_tree(session, TREE_FUNCTIONS)->total[TREE_ROOT];

	fputs("\nInput and output\n", session->out);
	for (unsigned id = METRIC_IOREADCNT; id <= METRIC_IOERRORTIME; id++)
		put_total(session, id,
			  metric_unit_of(id) == METRIC_UNIT_SECONDS ? " seconds" : "");
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		if (sum->of[tops[i].time] == 0)
			continue;
		fprintf(session->out, "  %s, by the innermost function:\n", tops[i].title);
		put_top(session, tops[i].time, METRIC_EXCLUSIVE);
	}
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
static void put_threads(struct session *session)
{
	const struct exp_thread **threads = NULL;
	const struct session_experiment *at = NULL;
	size_t count = 0, capacity = 0;

	while ((at = session_next(session, at)) != NULL) {
		const struct exp_data_set *data = at->data;

		for (size_t j = 0; j < data->thread_count; j++) {
			threads = memory_grow(threads, count, &capacity, sizeof(*threads));
			threads[count++] = &data->threads[j];
		}
	}
	if (count > 1)
		qsort(threads, count, sizeof(*threads), by_cpu);
	fprintf(session->out, "\nThreads: %zu\n", count);
	for (size_t i = 0; i < count && i < TOP_THREADS; i++) {
		fprintf(session->out, "    %14.3f seconds  %u ", report_seconds(threads[i]->cpu_ns),
			threads[i]->tid);
		text_put(session->out, threads[i]->name);
		fputc('\n', session->out);
	}
	free(threads);
}

static int by_process_cpu(const void *left, const void *right)
{
	const struct session_experiment *a = *(const struct session_experiment *const *)left;
	const struct session_experiment *b = *(const struct session_experiment *const *)right;

	if (report_cpu_ns(a) != report_cpu_ns(b))
		return report_cpu_ns(a) > report_cpu_ns(b) ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The processes with the most CPU time, where there are descendants. */
static void put_processes(struct session *session)
{
	const struct session_experiment **all = NULL;
	const struct session_experiment *at = NULL;
	size_t count = 0, capacity = 0, founders = 0;

	while ((at = session_next(session, at)) != NULL) {
		all = memory_grow(all, count, &capacity, sizeof(*all));
		all[count++] = at;
		founders += !is_descendant(at);
	}
	if (count > founders) {
		qsort(all, count, sizeof(*all), by_process_cpu);
		fprintf(session->out, "\nProcesses: %zu\n", count);
		for (size_t i = 0; i < count && i < TOP_PROCESSES; i++) {
			fprintf(session->out, "    %14.3f seconds  %lld %s%s", report_seconds(report_cpu_ns(all[i])),
				(long long)all[i]->info->pid, all[i]->info->lineage, all[i]->info->lineage[0] ? " " : "");
			report_put_command_cut(session->out, all[i]->info);
			fputc('\n', session->out);
		}
	}
	free(all);
}

void view_overview(struct session *session, const struct command_argument *argument)
{
	const struct session_experiment *at = NULL;

	(void)argument;
	report_put_quality(session);
	if (print_is_data(session)) {
		data_overview(session);
		report_put_next(session, "functions", NULL, "all functions with these metrics");
		return;
	}
	fputs("Experiments\n", session->out);
	while ((at = session_next(session, at)) != NULL)
		if (!is_descendant(at))
			put_experiment(session, at);
	put_processes(session);
	if (session->have & METRIC_DATA_CLOCK)
		put_clock(session);
	if (session->have & METRIC_DATA_HEAP)
		put_heap(session);
	if (session->have & METRIC_DATA_SYNC)
		put_sync(session);
	if (session->have & METRIC_DATA_IO)
		put_io(session);
	put_threads(session);
	fputc('\n', session->out);
	report_put_next(session, "functions", NULL, "all functions with these metrics");
	report_put_next(session, "metric_list", NULL, "what else tables can show");
	fputc('\n', session->out);
}
