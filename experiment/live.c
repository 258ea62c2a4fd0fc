/* live.c: the table of what each stack holds. */
#include "experiment/live.h"

#include <errno.h>
#include <stdlib.h>

int exp_live_init(struct exp_live *live, size_t nodes)
{
	*live = (struct exp_live){.nodes = nodes};
	live->rows = calloc(nodes + 1, sizeof(*live->rows));
	return live->rows == NULL ? -ENOMEM : 0;
}

void exp_live_fini(struct exp_live *live)
{
	free(live->rows);
	*live = (struct exp_live){0};
}
