/* waits.c: the longest waits of all kinds, one by one. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/quality.h"
#include "analyzer/report/report.h"
#include "analyzer/report/stacks.h"
#include "analyzer/views/events/waitname.h"
#include "analyzer/views/events/waitowner.h"
#include "format/record.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_FRAMES = 6 };

struct listed {
	const struct dataset_experiment *at;
	const struct exp_wait *wait;
};

/* Those that have not ended first. */
static int by_length(const void *left, const void *right)
{
	const struct exp_wait *a = ((const struct listed *)left)->wait;
	const struct exp_wait *b = ((const struct listed *)right)->wait;

	if ((a->error == EXP_SYNC_OPEN) != (b->error == EXP_SYNC_OPEN))
		return a->error == EXP_SYNC_OPEN ? -1 : 1;
	if (a->wait_ns != b->wait_ns)
		return a->wait_ns > b->wait_ns ? -1 : 1;
	return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static const char *state_of(const struct exp_wait *wait)
{
	const char *state = fmt_enum_name("wall_state", wait->state);

	return state ? state : "other";
}

static void put_wait(const struct dataset *dataset, const struct choices *choices,
                     struct output *output, const struct listed *listed, size_t number)
{
	const struct exp_wait *wait = listed->wait;
	FILE *out = output->out;

	fprintf(out, "\nWait #%zu, %s, %.6f (secs.), from %.6f to %.6f, ", number, state_of(wait),
	        report_seconds(wait->wait_ns), wait->time_s - report_seconds(wait->span_ns),
	        wait->time_s);
	if (dataset->count > 1)
		fprintf(out, "experiment %u, ", listed->at->id);
	wait_put_thread(out, listed->at->data, wait->tid, wait->time_s);
	fputc('\n', out);
	wait_put_call(dataset, out, listed->at, wait);
	stacks_put_node(dataset, choices, output, listed->at, wait->node, WAIT_FRAMES, "    ");
	wait_put_owner(dataset, choices, output, listed->at, wait);
}

static void put_owner(const struct dataset *dataset, const struct choices *choices,
                      struct print_table *table, const struct listed *listed)
{
	const struct exp_wait *wait = listed->wait;
	struct wait_meanwhile meanwhile = wait_meanwhile(listed->at, wait);
	char *where = NULL, *site = wait_name_site(dataset, choices, listed->at, wait);

	print_number(table, wait->owner);
	print_word(table, wait_thread_name(listed->at->whole, wait->owner, wait->time_s));
	print_word(table, site);
	print_number(table, meanwhile.ns);
	if (meanwhile.wait)
		where = stacks_name_node(dataset, choices, listed->at, meanwhile.wait->node);
	print_word(table, meanwhile.wait
	                          ? wait_func_name(meanwhile.wait->family, meanwhile.wait->func)
	                          : NULL);
	print_word(table, where);
	free(where);
	free(site);
}

/* For programs. */
static void put_table(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct listed *waits, size_t count)
{
	struct print_table *table = print_table_begin("waits");

	print_column(table, PRINT_COUNT, "experiment", "Experiment");
	print_column(table, PRINT_COUNT, "tid", "Thread");
	print_column(table, PRINT_WORD, "thread", "Name");
	print_column(table, PRINT_WORD, "state", "State");
	print_column(table, PRINT_NS, "wait", "Wait Time");
	print_column(table, PRINT_NS, "span", "From Begin to End");
	print_column(table, PRINT_SECONDS, "end", "Until");
	print_column(table, PRINT_WORD, "function", "Function");
	print_column(table, PRINT_WORD, "object", "Object");
	print_column(table, PRINT_WORD, "error", "Error");
	print_column(table, PRINT_WORD, "where", "Where");
	print_column(table, PRINT_COUNT, "owner", "Owner of the Lock, or Signaller");
	print_column(table, PRINT_WORD, "owner_thread", "Its Name");
	print_column(table, PRINT_WORD, "owner_site", "Locked or Signalled At");
	print_column(table, PRINT_NS, "owner_wait", "It Waited Meanwhile");
	print_column(table, PRINT_WORD, "owner_function", "In");
	print_column(table, PRINT_WORD, "owner_where", "Of It, Where");
	for (size_t i = 0; i < count; i++) {
		const struct exp_wait *wait = waits[i].wait;
		char *where = stacks_name_node(dataset, choices, waits[i].at, wait->node);
		char *object = wait_object_name(dataset, waits[i].at, wait);

		print_number(table, waits[i].at->id);
		print_number(table, wait->tid);
		print_word(table, wait_thread_name(waits[i].at->data, wait->tid, wait->time_s));
		print_word(table, state_of(wait));
		print_number(table, wait->wait_ns);
		print_number(table, wait->span_ns);
		print_real(table, wait->time_s);
		print_word(table, wait_func_name(wait->family, wait->func));
		print_word(table, object);
		print_word(table, wait->error != 0 ? strerrorname_np((int)wait->error) : NULL);
		print_word(table, where);
		put_owner(dataset, choices, table, &waits[i]);
		free(object);
		free(where);
	}
	print_table_end(output, table, 0);
}

/* Those of all experiments. The caller frees. */
static struct listed *list(const struct dataset *dataset, size_t *count)
{
	const struct dataset_experiment *at = NULL;
	struct listed *waits = NULL;
	size_t capacity = 0;

	*count = 0;
	while ((at = dataset_next(dataset, at)))
		for (size_t i = 0; i < at->data->wall.longest_count; i++) {
			waits = memory_grow(waits, *count, &capacity, sizeof(*waits));
			waits[(*count)++] = (struct listed){at, &at->data->wall.longest[i]};
		}
	if (*count > 1)
		qsort(waits, *count, sizeof(*waits), by_length);
	return waits;
}

void view_waits(const struct dataset *dataset, const struct choices *choices, struct output *output,
                const struct command_argument *argument)
{
	size_t count, shown;
	struct listed *waits = list(dataset, &count);

	(void)argument;
	shown = choices->limit != 0 && choices->limit < count ? choices->limit : count;
	quality_put(dataset, output);
	fputs("# The longest waits; times are from the start of their experiment, in seconds\n",
	      output->out);
	if (print_is_data(output))
		put_table(dataset, choices, output, waits, shown);
	for (size_t i = 0; i < shown && !print_is_data(output); i++)
		put_wait(dataset, choices, output, &waits[i], i + 1);
	fputc('\n', output->out);
	free(waits);
}
