/* selection.c: asks for each event of a load whether it counts, and for which row.
 * See doc/decisions/32-filters.md. */
#include "experiment/streams/selection.h"

#include "experiment/streams/load_context.h"

#include <errno.h>
#include <string.h>

uint32_t exp_load_row_of(struct exp_load *load, const struct exp_fact *fact)
{
	const struct exp_selection *selection = load->selection;
	uint32_t row = !selection ? 0 : selection->row(selection->context, fact);

	if (row == EXP_ROW_NONE)
		return row;
	if (!selection || !selection->is_grouped)
		return exp_load_node_row(load, fact->node);
	if (row >= EXP_ROWS_MAX)
		return EXP_ROW_NONE;
	if (exp_rows_reserve(&load->rows, (size_t)row + 1) != 0) {
		load->rc = -ENOMEM;
		return EXP_ROW_NONE;
	}
	if (row >= load->rows.count)
		load->rows.count = (size_t)row + 1;
	return row;
}

uint32_t exp_load_ask(struct exp_load *load, const struct exp_cursor *cursor, struct exp_fact *fact)
{
	uint64_t word;

	memcpy(&word, cursor->payload - sizeof(word),
	       sizeof(word)); /* the second word of the event's header */
	fact->cpu = (uint16_t)(word >> 40);
	fact->ticks = cursor->tsc;
	fact->tid = cursor->tid;
	fact->buffer_ticks = cursor->buffer_tsc;
	return exp_load_row_of(load, fact);
}

int64_t experiment_time_ns(const struct experiment *experiment, uint64_t ticks)
{
	return exp_whole_signed(exp_clock_seconds(&experiment->clock, ticks) * 1e9);
}

/* Rounding may be off by some ticks. */
uint64_t experiment_time_ticks(const struct experiment *experiment, int64_t ns)
{
	const struct exp_clock *clock = &experiment->clock;
	uint64_t ticks = exp_whole((double)clock->start.ticks + (double)ns * 1e-9 * clock->hz);

	while (ticks > 0 && experiment_time_ns(experiment, ticks - 1) >= ns)
		ticks--;
	while (ticks < UINT64_MAX && experiment_time_ns(experiment, ticks) < ns)
		ticks++;
	return ticks;
}

uint64_t experiment_ticks_ns(const struct experiment *experiment, uint64_t ticks)
{
	return exp_whole((double)ticks * (1e9 / experiment->clock.hz));
}

/* How many threads have a lower id, or this one and have begun by then. */
static size_t count_before(const struct exp_data_set *set, uint32_t tid, double time_s)
{
	size_t low = 0, high = set->thread_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct exp_thread *thread = &set->threads[set->threads_by_tid[middle]];

		if (thread->tid < tid || (thread->tid == tid && thread->time_s <= time_s))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last one of this id that has begun by then, else the first one. */
static uint32_t find_thread(const struct exp_data_set *set, uint32_t tid, double time_s)
{
	size_t at = count_before(set, tid, time_s);

	if (at > 0 && set->threads[set->threads_by_tid[at - 1]].tid == tid)
		return set->threads_by_tid[at - 1];
	return at < set->thread_count && set->threads[set->threads_by_tid[at]].tid == tid
	               ? set->threads_by_tid[at]
	               : EXP_NO_INDEX;
}

uint32_t exp_thread_at(const struct exp_data_set *set, uint32_t tid, double time_s)
{
	uint32_t found = EXP_NO_INDEX;

	if (set->threads_by_tid)
		return find_thread(set, tid, time_s);
	/* Threads stand in order of time. */
	for (size_t i = 0; i < set->thread_count; i++)
		if (set->threads[i].tid == tid &&
		    (found == EXP_NO_INDEX || set->threads[i].time_s <= time_s))
			found = (uint32_t)i;
	return found;
}
