/* live.c: the table of what each stack holds.
 * See doc/decisions/18-heap-peak.md. */
#include "experiment/events/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int exp_live_init(struct exp_live *live, size_t count)
{
	*live = (struct exp_live){.row_count = count};
	live->rows = calloc(count + 1, sizeof(*live->rows));
	return !live->rows ? -ENOMEM : 0;
}

void exp_live_fini(struct exp_live *live)
{
	free(live->rows);
	*live = (struct exp_live){0};
}

/* Memory of calloc that is not touched costs nothing. */
int exp_live_grow(struct exp_live *live, size_t count)
{
	struct exp_live_row *rows;

	if (count <= live->row_count)
		return 0;
	rows = calloc(count + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memcpy(rows, live->rows, live->row_count * sizeof(*rows));
	rows[count] = live->rows[live->row_count];
	free(live->rows);
	live->rows = rows;
	live->row_count = count;
	return 0;
}
