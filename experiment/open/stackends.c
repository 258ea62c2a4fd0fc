/* stackends.c: which stacks are not whole, and the code at which they end. See stackends.h. */
#include "experiment/open/stackends.h"

#include "experiment/base/totals.h"
#include "experiment/fxt/samples.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* Walks that are ended for their length have at least so many frames (libcollector's
	 * walk.c): */
	LONG_FRAMES = 2047,
	KERNEL_FRAMES = 63 /* or, where the kernel or a helper walked, exactly so many. */
};

/* A node as part of a stack. */
struct part {
	uint32_t outermost; /* the frame at the outer end of its stack */
	uint32_t depth;     /* its own distance from there, which is 1 */
	uint32_t deepest; /* of an outermost frame: the greatest depth with events of cut stacks */
	uint64_t events;  /* the number of these */
};

static uint64_t count_events(const struct exp_load *load, size_t row)
{
	const struct exp_rows *rows = &load->rows;
	uint64_t events = exp_samples_counted(load, row) + (!rows->others ? 0 : rows->others[row]);

	for (size_t i = 0; i < exp_event_total_count; i++)
		if (rows->value[exp_event_totals[i]])
			events += rows->value[exp_event_totals[i]][row];
	return events;
}

static int is_cut(const struct exp_load *load, size_t row)
{
	return (load->nodes.marks[load->rows.node[row]] &
	        (EXP_STACK_TRUNCATED | EXP_STACK_FAILED)) != 0;
}

static void count_stacks(struct exp_load *load)
{
	struct exp_quality *quality = &load->set.quality;

	for (size_t i = 0; i < load->rows.count; i++) {
		uint64_t events = count_events(load, i);
		unsigned marks = load->nodes.marks[load->rows.node[i]];

		if (events == 0)
			continue;
		quality->stacks++;
		quality->stack_events += events;
		quality->truncated += (marks & EXP_STACK_TRUNCATED) != 0;
		quality->guessed += (marks & EXP_STACK_GUESSED) != 0;
		quality->failed += (marks & EXP_STACK_FAILED) != 0;
		if (is_cut(load, i))
			quality->truncated_events += events;
	}
}

/* Callers come before their callees. */
static void find_parts(const struct exp_node_table *nodes, struct part *parts)
{
	for (uint32_t i = 0; i < nodes->count; i++) {
		uint32_t parent = nodes->parent[i];
		uint32_t outermost = parent == EXP_NODE_NONE ? i : parts[parent].outermost;

		if (nodes->pc[outermost] < FMT_PC_MARKS)
			outermost = i;
		parts[i].outermost = outermost;
		parts[i].depth = outermost == i ? 1 : parts[parent].depth + 1;
	}
}

static void count_ends(const struct exp_load *load, struct part *parts)
{
	for (size_t i = 0; i < load->rows.count; i++) {
		const struct part *part = &parts[load->rows.node[i]];
		struct part *end = &parts[part->outermost];
		uint64_t events = is_cut(load, i) ? count_events(load, i) : 0;

		if (events == 0)
			continue;
		end->events += events;
		if (part->depth > end->deepest)
			end->deepest = part->depth;
	}
}

static int tell(struct exp_load *load, const struct part *parts)
{
	struct exp_stack_end *stack_ends;
	size_t count = 0;

	for (size_t i = 0; i < load->nodes.count; i++)
		count += parts[i].events != 0;
	stack_ends = calloc(count + 1, sizeof(*stack_ends));
	if (!stack_ends)
		return -ENOMEM;
	load->set.stack_ends = load->stack_ends = stack_ends;
	load->set.stack_end_count = count;
	for (uint32_t i = 0; i < load->nodes.count; i++)
		if (parts[i].events != 0)
			*stack_ends++ = (struct exp_stack_end){
				.node = i,
				.is_deep = parts[i].deepest >= LONG_FRAMES ||
			                   parts[i].deepest == KERNEL_FRAMES,
				.events = parts[i].events};
	return 0;
}

int exp_stacks_count(struct exp_load *load)
{
	struct part *parts;
	int rc;

	count_stacks(load);
	if (load->selection || load->set.quality.truncated_events == 0)
		return 0;
	parts = calloc(load->nodes.count, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	find_parts(&load->nodes, parts);
	count_ends(load, parts);
	rc = tell(load, parts);
	free(parts);
	return rc;
}
