/* usual.c: which columns tables have at the start. A table that is wider than a terminal is not
 * read: where several kinds of data were recorded, each has its leading metrics only. */
#include "analyzer/model/metric.h"

#include <errno.h>
#include <strings.h>

/* Kinds that have no columns at the start, or are no reason to leave those of others out. */
#define ALONGSIDE (EXP_DATA_PROFILE | EXP_DATA_COUNTERS | EXP_DATA_USER)

static int are_several(unsigned kinds)
{
	return (kinds & (kinds - 1)) != 0;
}

static void choose(unsigned have, enum metric_place least, struct metric_list *list)
{
	const unsigned both = METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT;

	*list = (struct metric_list){.count = 0};
	if (have & EXP_DATA_PROFILE || (have & ~(unsigned)EXP_DATA_USER) == 0) {
		metric_list_add(list, METRIC_TOTALCPU, METRIC_EXCLUSIVE, both);
		metric_list_add(list, METRIC_TOTALCPU, METRIC_INCLUSIVE, both);
	}
	for (unsigned id = 0; id < METRIC_VALUES; id++)
		if (metric_data_of(id) != EXP_DATA_PROFILE && metric_data_of(id) & have &&
		    metric_place_of(id) >= least)
			metric_list_add(list, id, METRIC_INCLUSIVE, METRIC_SHOW_VALUE);
}

static enum metric_place least_at_start(unsigned have)
{
	return are_several(have & ~(unsigned)ALONGSIDE) ? METRIC_LEADING : METRIC_USUAL;
}

void metric_defaults(unsigned have, struct metric_list *list, struct metric_sort *sort)
{
	choose(have, least_at_start(have), list);
	*sort = (struct metric_sort){.reverse = 0};
	/* Bytes allocated, not how often. */
	sort->metric = list->at[list->at[0].id == METRIC_HEAPALLOCCNT ? 1 : 0];
	metric_list_add(list, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
}

static int is_same(const struct metric_list *a, const struct metric_list *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->at[i].id != b->at[i].id || a->at[i].flavor != b->at[i].flavor)
			return 0;
	return a->count == b->count;
}

size_t metric_left_out(unsigned have, const struct metric_list *shown)
{
	struct metric_list list, wide;
	struct metric_sort sort;

	metric_defaults(have, &list, &sort);
	choose(have, METRIC_USUAL, &wide);
	return is_same(&list, shown) ? wide.count - (list.count - 1) : 0;
}

int metric_list_named(const char *word, unsigned have, struct metric_list *list)
{
	if (strcasecmp(word, "default") == 0)
		choose(have, least_at_start(have), list);
	else if (strcasecmp(word, "wide") == 0)
		choose(have, METRIC_USUAL, list);
	else
		return -ENOENT;
	return 0;
}

void metric_of_programs(struct metric_list *list, struct metric_sort *sort)
{
	*list = (struct metric_list){.count = 0};
	metric_list_add(list, METRIC_ADDRESS, METRIC_PLAIN, METRIC_SHOW_VALUE);
	metric_list_add(list, METRIC_SIZE, METRIC_PLAIN, METRIC_SHOW_VALUE);
	metric_list_add(list, METRIC_NAME, METRIC_PLAIN, METRIC_SHOW_VALUE);
	*sort = (struct metric_sort){.metric = list->at[2]};
}
