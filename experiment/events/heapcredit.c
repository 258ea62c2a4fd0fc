/* heapcredit.c: credits live blocks to the metrics of the stacks that allocated them. */
#include "experiment/events/heapreader.h"

#include <errno.h>

static int credit_column(struct exp_load *load, const struct exp_live *live,
                         const struct exp_heap_column *column)
{
	const char *at = (const char *)live->rows + column->offset;
	int rc = exp_load_need(load, column->metric);

	/* Values that stay 0 are not touched: most stacks map nothing. */
	for (size_t row = 0; row <= live->row_count && rc == 0; row++, at += sizeof(*live->rows))
		if (*(const uint64_t *)at != 0)
			exp_load_add(load, column->metric,
			             row < live->row_count ? (uint32_t)row : EXP_NODE_NONE,
			             exp_heap_blocks(*(const uint64_t *)at, column->units));
	return rc;
}

int exp_heap_credit(struct exp_load *load, struct exp_live *live,
                    const struct exp_heap_column *columns, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i <= live->row_count; i++)
		if (live->rows[i].allocs != 0)
			exp_live_keep(live, &live->rows[i]);
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = credit_column(load, live, &columns[i]);
	return rc;
}
