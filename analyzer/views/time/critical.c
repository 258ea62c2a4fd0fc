/* critical.c: the critical path: what the end of a thread had to wait for, thread by thread, and
 * how its time was spent.
 * See doc/decisions/102-critical-path.md. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/data/filters.h"
#include "analyzer/data/indexobj.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/views/events/waitname.h"
#include "analyzer/views/time/critsum.h"
#include "analyzer/views/time/eventrange.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

enum {
	STAYS = 40, /* of the path that are shown in text */
	STATES = FMT_wall_state_OTHER + 1,
	LEAST = 20000 /* waits shorter than this part of the range are not looked at */
};

/* The path in one thread, from when it comes there: steps[count], the last in time first. */
struct stay {
	const struct crit_step *steps;
	size_t count;
	uint64_t ns[STATES]; /* of USER: running, or ready to */
};

struct view {
	const struct dataset *dataset;
	const struct choices *choices;
	struct output *output;
	struct crit_waits waits;
	struct crit_path path;
};

static void put_thread(const struct view *view, uint32_t number)
{
	const struct crit_thread *thread = &view->waits.threads[number];
	const char *name = thread->at->whole->threads[thread->number].name;
	FILE *out = view->output->out;

	if (view->dataset->count > 1)
		fprintf(out, "%u:", thread->at->id);
	fprintf(out, "%u ", thread->number + 1);
	text_put(out, name[0] == '\0' && thread->at->info->program
	                      ? text_base(thread->at->info->program)
	                      : name);
}

static struct stay next_stay(const struct crit_path *path, size_t first)
{
	struct stay stay = {.steps = &path->steps[first]};

	while (first + stay.count < path->count &&
	       stay.steps[stay.count].thread == stay.steps->thread &&
	       (stay.count == 0 || stay.steps[stay.count].of == stay.steps->of)) {
		const struct crit_step *step = &stay.steps[stay.count++];

		stay.ns[step->wait ? step->wait->state
		                   : FMT_wall_state_USER] += (uint64_t)(step->to_ns -
		                                                        step->from_ns);
	}
	return stay;
}

static int64_t begin_of(const struct stay *stay)
{
	return stay->steps[stay->count - 1].from_ns;
}

/* What the waiting thread waited for, and for how long: "registry_lock for 0.012 s". */
static void put_wait(const struct view *view, const struct crit_wait *wait)
{
	const struct dataset_experiment *at = view->waits.threads[wait->thread].at;
	const struct exp_wait known = {.object = wait->object,
	                               .node = wait->node,
	                               .state = wait->state,
	                               .family = wait->family,
	                               .func = wait->func};
	char *object = wait_object_name(view->dataset, at, &known);
	FILE *out = view->output->out;

	put_thread(view, wait->thread);
	fprintf(out, " waited in %s", wait_func_name(wait->family, wait->func));
	if (object) {
		fputc('(', out);
		text_put(out, object);
		fputc(')', out);
	}
	free(object);
	fprintf(out, " for %.6f\n", report_seconds((uint64_t)(wait->end_ns - wait->begin_ns)));
}

static void put_reason(const struct view *view, const struct crit_step *step)
{
	static const char *const texts[] = {[CRIT_LOCK] = "it had the lock: ",
	                                    [CRIT_WAITER] = "the wait began: ",
	                                    [CRIT_JOIN] = "it ended: ",
	                                    [CRIT_SIGNAL] = "it gave the signal: ",
	                                    [CRIT_BARRIER] = "it came last: ",
	                                    [CRIT_WRITER] = "it wrote: ",
	                                    [CRIT_CHILD] = "it ended: ",
	                                    [CRIT_ENDED] = "it ended then: ",
	                                    [CRIT_STARTED] = "it started the thread above",
	                                    [CRIT_IMAGE] = "it executed the program above"};
	FILE *out = view->output->out;

	if (step->reason == CRIT_BEGIN)
		return;
	fprintf(out, "%34s%s", "", texts[step->reason]);
	if (step->of)
		put_wait(view, step->of);
	else
		fputc('\n', out);
}

static void put_stay(const struct view *view, const struct stay *stay)
{
	FILE *out = view->output->out;
	const char *before = ": ";

	fprintf(out, "%10.6f %10.6f %10.6f  ", (double)begin_of(stay) / 1e9,
	        (double)stay->steps->to_ns / 1e9,
	        (double)(stay->steps->to_ns - begin_of(stay)) / 1e9);
	put_thread(view, stay->steps->thread);
	for (unsigned i = 0; i < STATES; i++) {
		if (stay->ns[i] == 0)
			continue;
		fprintf(out, "%s%s %.6f", before,
		        i == FMT_wall_state_USER ? "running or ready"
		                                 : fmt_enum_name("wall_state", i),
		        report_seconds(stay->ns[i]));
		before = ", ";
	}
	fputc('\n', out);
	put_reason(view, stay->steps);
}

static void put_text(const struct view *view)
{
	size_t most = view->choices->limit != 0 ? view->choices->limit : STAYS, shown = 0, all = 0;
	FILE *out = view->output->out;

	fprintf(out, "%10s %10s %10s  %s\n", "From", "To", "Seconds", "Thread, and what it did");
	for (size_t i = 0; i < view->path.count; all++) {
		struct stay stay = next_stay(&view->path, i);

		i += stay.count;
		if (shown == most)
			continue;
		shown++;
		put_stay(view, &stay);
	}
	if (shown < all)
		print_note(view->output,
		           "%zu more pieces of the path are not shown (limit %zu shows all)",
		           all - shown, all);
	fputc('\n', out);
}

/* For programs: each step. */
static void put_steps(const struct view *view)
{
	static const char *const reasons[] = {
		[CRIT_BEGIN] = "begin",    [CRIT_LOCK] = "lock",       [CRIT_JOIN] = "join",
		[CRIT_SIGNAL] = "signal",  [CRIT_BARRIER] = "barrier", [CRIT_WRITER] = "written",
		[CRIT_CHILD] = "child",    [CRIT_ENDED] = "ended",     [CRIT_STARTED] = "started",
		[CRIT_IMAGE] = "executed", [CRIT_WAITER] = "waited"};
	struct print_table *table = print_table_begin("critical");

	print_column(table, PRINT_SECONDS, "from", "From");
	print_column(table, PRINT_SECONDS, "to", "To");
	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_ID, "thread", "Thread");
	print_column(table, PRINT_WORD, "name", "Name");
	print_column(table, PRINT_WORD, "state", "State");
	print_column(table, PRINT_WORD, "reason", "Why It Is There");
	for (size_t i = 0; i < view->path.count; i++) {
		const struct crit_step *step = &view->path.steps[i];
		const struct crit_thread *thread = &view->waits.threads[step->thread];

		print_real(table, (double)step->from_ns / 1e9);
		print_real(table, (double)step->to_ns / 1e9);
		print_number(table, thread->at->id);
		print_number(table, thread->number + 1);
		print_word(table, thread->at->whole->threads[thread->number].name);
		print_word(table,
		           step->wait ? fmt_enum_name("wall_state", step->wait->state) : "running");
		print_word(table, reasons[step->reason]);
	}
	print_table_end(view->output, table, 0);
}

static void put_sum(const struct view *view)
{
	struct print_table *table = print_table_begin("critical_functions");
	struct crit_sum sum;
	uint64_t all = 0;

	if (crit_sum_make(view->dataset, view->choices, &view->waits, &view->path, &sum) != 0)
		memory_fail();
	for (size_t i = 0; i < sum.count; i++)
		all += sum.rows[i].ns;
	print_describe(table, "Its time by function", 0);
	print_column(table, PRINT_NS, "time", "Time");
	print_column(table, PRINT_PERCENT, "share", "Share");
	print_column(table, PRINT_WORD, "state", "State");
	print_column(table, PRINT_WORD, "function", "Function");
	for (size_t i = 0; i < sum.count; i++) {
		print_number(table, sum.rows[i].ns);
		print_real(table, 100.0 * (double)sum.rows[i].ns / (double)(all ? all : 1));
		print_word(table, sum.rows[i].state);
		print_word(table, sum.rows[i].name);
	}
	print_table_end(view->output, table, view->choices->limit);
	crit_sum_fini(&sum);
}

/* The first of the threads that were asked for; without a list, of all. */
static uint32_t first_thread(const struct view *view, const struct event_range *range)
{
	char error[200];
	struct index_rows rows;
	int64_t key = INT64_MAX;

	/* A process may have become another program: it ends with that. */
	if (!range->has_list)
		return view->waits.thread_count == 0
		               ? CRIT_NONE
		               : crit_process_at(&view->waits, view->waits.threads[0].at->info->pid,
		                                 range->to_ns);
	rows = index_gather(view->dataset, view->output,
	                    index_find(view->dataset->indexes, 0, "threads", error, sizeof(error)),
	                    range->wanted);
	for (size_t i = 0; i < rows.count; i++)
		if (!rows.rows[i].is_missing && (rows.rows[i].key & UINT32_MAX) != 0 &&
		    rows.rows[i].key < key)
			key = rows.rows[i].key;
	index_rows_fini(&rows);
	for (size_t i = 0; i < view->waits.thread_count; i++)
		if (((int64_t)view->waits.threads[i].at->id << 32 |
		     (view->waits.threads[i].number + 1)) == key)
			return (uint32_t)i;
	return CRIT_NONE;
}

static void put_path(struct view *view, const struct event_range *range, uint32_t thread)
{
	FILE *out = view->output->out;

	crit_path_find(&view->waits, thread, range->from_ns, range->to_ns, &view->path);
	if (!print_is_data(view->output)) {
		fputs("Critical path to the end of thread ", out);
		put_thread(view, thread);
		fprintf(out, ", from %.3f to %.3f seconds, the end first\n\n",
		        (double)range->from_ns / 1e9, (double)range->to_ns / 1e9);
		put_text(view);
	} else {
		put_steps(view);
	}
	put_sum(view);
	fputc('\n', out);
	crit_path_fini(&view->path);
}

void view_critical(const struct dataset *dataset, const struct choices *choices,
                   struct output *output, const struct command_argument *argument)
{
	struct view view = {.dataset = dataset, .choices = choices, .output = output};
	struct event_range range;
	int64_t least_ns;
	uint32_t thread;

	if (event_range_read(dataset, output, "critical", argument, &range) != 0)
		return;
	least_ns = (range.to_ns - range.from_ns) / LEAST;
	quality_put(dataset, output);
	if (crit_waits_read(dataset, least_ns > 1000 ? least_ns : 1000, &view.waits) != 0)
		memory_fail();
	thread = first_thread(&view, &range);
	if (thread == CRIT_NONE)
		output_fail(output, EXIT_TROUBLE, "critical: no such thread in that range");
	else
		put_path(&view, &range, thread);
	crit_waits_fini(&view.waits);
	event_range_fini(&range);
}
