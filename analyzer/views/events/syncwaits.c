/* syncwaits.c: the longest waits, one by one. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/locks.h"
#include "analyzer/views/events/waitname.h"
#include "analyzer/views/events/waitowner.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_FRAMES = 6 };

struct wait {
	const struct dataset_experiment *at;
	const struct exp_sync_wait *wait;
};

/* Of a process that may hang, or was killed for that, first those that have not ended. */
static int is_stuck(const struct wait *wait)
{
	enum exp_status status = wait->at->info->status;

	return wait->wait->error == EXP_SYNC_OPEN && status != EXP_ENDED && status != EXP_EXECED &&
	       status != EXP_DETACHED;
}

/* A thread that waits for the end of another one waits for what that does, and has the longest
 * waits of most programs: these are last. */
static int by_length(const void *left, const void *right)
{
	const struct wait *one = left, *other = right;
	const struct exp_sync_wait *a = one->wait, *b = other->wait;

	if (is_stuck(one) != is_stuck(other))
		return is_stuck(one) ? -1 : 1;
	if (wait_func_joins(a->func) != wait_func_joins(b->func))
		return wait_func_joins(a->func) ? 1 : -1;
	if (a->wait_ns != b->wait_ns)
		return a->wait_ns > b->wait_ns ? -1 : 1;
	return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static void put_object(const struct dataset *dataset, struct output *output,
                       const struct wait *wait)
{
	struct lock lock = {.at = wait->at};
	char *name, *mutex;

	if (wait->wait->object >= wait->at->data->sync.object_count)
		return;
	lock.object = &wait->at->data->sync.objects[wait->wait->object];
	name = lock_name(dataset, &lock);
	mutex = lock_mutex_name(dataset, wait->at, wait->wait->mutex, wait->wait->node);
	fputc('(', output->out);
	text_put(output->out, name);
	if (mutex) {
		fputs(", ", output->out);
		text_put(output->out, mutex);
	}
	fputc(')', output->out);
	free(mutex);
	free(name);
}

/* The same wait in wall-clock data, NULL: it is not among those. Its length is known in steps of 16
 * ticks there. */
static const struct exp_wait *find_wall(const struct wait *wait)
{
	const struct exp_wall *wall = &wait->at->whole->wall;
	const double near_s = 1e-7;

	for (size_t i = 0; i < wall->longest_count; i++) {
		const struct exp_wait *other = &wall->longest[i];
		double apart_s = other->time_s - wait->wait->time_s;

		if (other->tid == wait->wait->tid && other->family == FMT_wait_family_SYNC &&
		    other->func == wait->wait->func && apart_s < near_s && apart_s > -near_s)
			return other;
	}
	return NULL;
}

static void put_wait(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct writers *writers, const struct wait *wait,
                     size_t number)
{
	const char *func = fmt_enum_name("sync_func", wait->wait->func);
	const struct exp_wait *wall;
	FILE *out = output->out;

	fprintf(out, "\nWait #%zu, %.6f (secs.), from %.6f to %.6f, ", number,
	        report_seconds(wait->wait->wait_ns),
	        wait->wait->time_s - report_seconds(wait->wait->wait_ns), wait->wait->time_s);
	if (dataset->count > 1)
		fprintf(out, "experiment %u, ", wait->at->id);
	wait_put_thread(out, wait->at->data, wait->wait->tid, wait->wait->time_s);
	fprintf(out, "\n  %s", func ? func : "unknown function");
	put_object(dataset, output, wait);
	if (wait->wait->error == EXP_SYNC_OPEN)
		fputs(", has not ended", out);
	else if (wait->wait->error != 0)
		fprintf(out, ", not granted: %s", strerror((int)wait->wait->error));
	fputc('\n', out);
	stacks_put_node(dataset, choices, output, wait->at, wait->wait->node, WAIT_FRAMES, "    ");
	wall = find_wall(wait);
	if (wall)
		wait_put_owner(dataset, choices, output, writers, wait->at, wall);
}

/* For programs. */
static void put_waits(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct wait *waits, size_t count)
{
	struct print_table *table = print_table_begin("syncwaits");

	print_column(table, PRINT_ID, "experiment", "Experiment");
	print_column(table, PRINT_ID, "tid", "Thread");
	print_column(table, PRINT_WORD, "thread", "Name");
	print_column(table, PRINT_NS, "wait", "Wait Time");
	print_column(table, PRINT_SECONDS, "end", "Until");
	print_column(table, PRINT_WORD, "function", "Function");
	print_column(table, PRINT_WORD, "object", "Object");
	print_column(table, PRINT_WORD, "mutex", "Mutex");
	print_column(table, PRINT_WORD, "error", "Error");
	print_column(table, PRINT_WORD, "where", "Where");
	for (size_t i = 0; i < count; i++) {
		const struct exp_sync_wait *wait = waits[i].wait;
		struct lock lock = {.at = waits[i].at};
		char *where = stacks_name_node(dataset, choices, waits[i].at, wait->node),
		     *object = NULL;
		char *mutex = lock_mutex_name(dataset, waits[i].at, wait->mutex, wait->node);

		if (wait->object < waits[i].at->data->sync.object_count) {
			lock.object = &waits[i].at->data->sync.objects[wait->object];
			object = lock_name(dataset, &lock);
		}
		print_number(table, waits[i].at->id);
		print_number(table, wait->tid);
		print_word(table, wait_thread_name(waits[i].at->data, wait->tid, wait->time_s));
		print_number(table, wait->wait_ns);
		print_real(table, wait->time_s);
		print_word(table, fmt_enum_name("sync_func", wait->func));
		print_word(table, object);
		print_word(table, mutex);
		print_word(table, wait->error != 0 ? strerrorname_np((int)wait->error) : NULL);
		print_word(table, where);
		free(object);
		free(mutex);
		free(where);
	}
	print_table_end(output, table, 0);
}

void view_syncwaits(const struct dataset *dataset, const struct choices *choices,
                    struct output *output, const struct command_argument *argument)
{
	struct writers *writers;
	struct wait *waits = NULL;
	const struct dataset_experiment *at = NULL;
	size_t count = 0, capacity = 0;

	(void)argument;
	while ((at = dataset_next(dataset, at))) {
		for (size_t j = 0; j < at->data->sync.longest_count; j++) {
			waits = memory_grow(waits, count, &capacity, sizeof(*waits));
			waits[count++] = (struct wait){at, &at->data->sync.longest[j]};
		}
	}
	if (count > 1)
		qsort(waits, count, sizeof(*waits), by_length);
	writers = writers_create(dataset);
	quality_put(dataset, output);
	fputs("# The longest waits, those for the end of a thread last; times are from the start of "
	      "their experiment, in seconds\n",
	      output->out);
	lock_put_threshold(dataset, choices, output);
	if (print_is_data(output))
		put_waits(dataset, choices, output, waits,
		          choices->limit != 0 && choices->limit < count ? choices->limit : count);
	for (size_t i = 0;
	     i < count && !print_is_data(output) && (choices->limit == 0 || i < choices->limit);
	     i++)
		put_wait(dataset, choices, output, writers, &waits[i], i + 1);
	fputc('\n', output->out);
	if (count != 0) {
		report_put_next(dataset, choices, output, "sync", NULL, "all waits, by call stack");
		fputc('\n', output->out);
	}
	writers_destroy(writers);
	free(waits);
}
