/* live.c: the table of what each stack holds.
 * See doc/decisions/18-heap-peak.md. */
#include "experiment/events/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = sizeof(struct exp_live_row) };
_Static_assert(LINE == 64, "a row is a cache line");

/* Have zeroed rows that begin with a cache line, as calloc's do not. But it is calloc's memory, of
 * which that which is not touched costs nothing. Returns 0 or -ENOMEM. */
static int take_rows(struct exp_live *live, size_t count)
{
	void *memory = calloc(count + 2, LINE);

	if (!memory)
		return -ENOMEM;
	live->memory = memory;
	live->rows = (struct exp_live_row *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
	live->row_count = count;
	return 0;
}

int exp_live_init(struct exp_live *live, size_t count)
{
	*live = (struct exp_live){0};
	return take_rows(live, count);
}

void exp_live_fini(struct exp_live *live)
{
	free(live->memory);
	*live = (struct exp_live){0};
}

int exp_live_grow(struct exp_live *live, size_t count)
{
	const struct exp_live old = *live;

	if (count <= old.row_count)
		return 0;
	if (take_rows(live, count) != 0)
		return -ENOMEM;
	memcpy(live->rows, old.rows, old.row_count * sizeof(*old.rows));
	live->rows[count] = old.rows[old.row_count];
	free(old.memory);
	return 0;
}
