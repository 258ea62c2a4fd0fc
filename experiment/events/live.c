/* live.c: the table of what each stack holds.
 * See doc/decisions/18-heap-peak.md. */
#include "experiment/events/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int exp_live_init(struct exp_live *live, size_t nodes)
{
	*live = (struct exp_live){.nodes = nodes};
	live->rows = calloc(nodes + 1, sizeof(*live->rows));
	return !live->rows ? -ENOMEM : 0;
}

void exp_live_fini(struct exp_live *live)
{
	free(live->rows);
	*live = (struct exp_live){0};
}

int exp_live_grow(struct exp_live *live, size_t nodes)
{
	struct exp_live_row *rows = reallocarray(live->rows, nodes + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	rows[nodes] = rows[live->nodes];
	memset(&rows[live->nodes], 0, (nodes - live->nodes) * sizeof(*rows));
	live->rows = rows;
	live->nodes = nodes;
	return 0;
}
