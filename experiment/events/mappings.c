/* mappings.c: the tree of mapped ranges. Ranges that overlap compare as equal, so a search for any
 * range finds one that it has bytes in common with. Only disjoint ranges are in the tree, where
 * this is an order. */
#include "experiment/events/mappings.h"

#include "experiment/streams/selection.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

struct range {
	uint64_t start, end;
	uint32_t row;
};

static int compare(const void *a, const void *b)
{
	const struct range *x = a;
	const struct range *y = b;

	if (x->end <= y->start)
		return -1;
	return x->start >= y->end;
}

int exp_mappings_init(struct exp_mappings *mappings, size_t count)
{
	mappings->root = NULL;
	return exp_live_init(&mappings->live, count);
}

void exp_mappings_fini(struct exp_mappings *mappings)
{
	tdestroy(mappings->root, free);
	mappings->root = NULL;
	exp_live_fini(&mappings->live);
}

/* Put a range that overlaps none into the tree. Returns as exp_mappings_add. */
static int insert(struct exp_mappings *mappings, uint64_t start, uint64_t end, uint32_t row)
{
	struct range *range = malloc(sizeof(*range));

	if (!range)
		return -ENOMEM;
	*range = (struct range){start, end, row};
	if (!tsearch(range, &mappings->root, compare)) {
		free(range);
		return -ENOMEM;
	}
	return row == EXP_ROW_NONE ? 0 : exp_live_add(&mappings->live, row, end - start);
}

int exp_mappings_remove(struct exp_mappings *mappings, uint64_t start, uint64_t end,
                        uint64_t *bytes)
{
	const struct range wanted = {.start = start, .end = end};
	struct range *const *found;
	int rc = 0;

	*bytes = 0;
	mappings->removed = 0;
	while (rc >= 0 && (found = tfind(&wanted, &mappings->root, compare)) != NULL) {
		struct range *range = *found;
		struct range whole = *range;
		uint64_t from = whole.start > start ? whole.start : start;
		uint64_t to = whole.end < end ? whole.end : end;

		tdelete(range, &mappings->root, compare);
		free(range);
		if (whole.row != EXP_ROW_NONE) {
			exp_live_remove(&mappings->live, whole.row, whole.end - whole.start);
			mappings->removed += to - from;
		}
		*bytes += to - from;
		if (whole.start < from)
			rc = insert(mappings, whole.start, from, whole.row);
		if (rc >= 0 && to < whole.end)
			rc = insert(mappings, to, whole.end, whole.row);
	}
	return rc < 0 ? rc : 0;
}

int exp_mappings_add(struct exp_mappings *mappings, uint64_t start, uint64_t end, uint32_t row)
{
	struct exp_live_row *live;
	uint64_t replaced;
	int rc = exp_mappings_remove(mappings, start, end, &replaced);

	if (rc < 0)
		return rc;
	if (row != EXP_ROW_NONE) {
		live = exp_live_row(&mappings->live, row);
		live->allocs++;
		live->alloc_bytes += end - start;
	}
	return insert(mappings, start, end, row);
}
