/* selection.c: asks for each event of a load whether it counts, and for which row, and makes space
 * for new rows.
 * See doc/decisions/32-filters.md. */
#include "experiment/streams/selection.h"

#include "experiment/streams/load_context.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64 };

/* Make room for `rows` rows in all values that there are. Returns 0 or -ENOMEM. */
static int grow_rows(struct exp_load *load, size_t rows)
{
	size_t capacity = load->row_capacity < FIRST_ROWS ? FIRST_ROWS : load->row_capacity;

	while (capacity < rows)
		capacity *= 2;
	for (size_t i = 0; i < EXP_METRICS; i++) {
		uint64_t *grown;

		if (!load->value[i])
			continue;
		grown = reallocarray(load->value[i], capacity + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + load->row_count, 0,
		       (capacity + 1 - load->row_count) * sizeof(*grown));
		load->value[i] = grown;
	}
	load->row_capacity = capacity;
	return 0;
}

uint32_t exp_load_row_of(struct exp_load *load, const struct exp_fact *fact)
{
	uint32_t row = load->selection->row(load->selection->context, fact);

	if (row == EXP_ROW_NONE)
		return row;
	if (!load->selection->is_grouped)
		return fact->node;
	if (row >= EXP_ROWS_MAX)
		return EXP_ROW_NONE;
	if (row >= load->row_capacity && grow_rows(load, (size_t)row + 1) != 0) {
		load->rc = -ENOMEM;
		return EXP_ROW_NONE;
	}
	if (row >= load->row_count)
		load->row_count = (size_t)row + 1;
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

uint64_t experiment_ticks_ns(const struct experiment *experiment, uint64_t ticks)
{
	return exp_whole((double)ticks * (1e9 / experiment->clock.hz));
}

uint32_t exp_thread_at(const struct exp_data_set *set, uint32_t tid, double time_s)
{
	uint32_t found = EXP_NO_INDEX;

	/* Threads stand in order of time. */
	for (size_t i = 0; i < set->thread_count; i++)
		if (set->threads[i].tid == tid &&
		    (found == EXP_NO_INDEX || set->threads[i].time_s <= time_s))
			found = (uint32_t)i;
	return found;
}
