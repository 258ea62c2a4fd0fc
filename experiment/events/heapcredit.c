/* heapcredit.c: credits live blocks to the metrics of the stacks that allocated them. */
#include "experiment/events/heapreader.h"

#include <errno.h>

static int credit_column(struct exp_load *load, const struct exp_live *live,
                         const struct exp_heap_column *column)
{
	const char *at = (const char *)live->rows + column->offset;
	int rc = exp_load_metric(load, column->metric);

	for (size_t node = 0; node <= live->nodes && rc == 0; node++, at += sizeof(*live->rows))
		exp_load_add(load, column->metric,
		             node < live->nodes ? (uint32_t)node : EXP_NODE_NONE,
		             *(const uint64_t *)at);
	return rc;
}

int exp_heap_credit(struct exp_load *load, struct exp_live *live,
                    const struct exp_heap_column *columns, size_t count)
{
	int rc = 0;

	/* The events of the other kind have their rows too. */
	if (load->row_capacity > live->nodes && exp_live_grow(live, load->row_capacity) != 0)
		return -ENOMEM;
	for (size_t i = 0; i <= live->nodes; i++)
		exp_live_keep(live, &live->rows[i]);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = credit_column(load, live, &columns[i]);
	return rc;
}
