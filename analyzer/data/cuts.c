/* cuts.c: see cuts.h. A number in an expression that asks for a time may be a moment, and one that
 * it is divided by, the length of slices. Where waits are divided without need, the sum of their
 * parts is the same.
 * See doc/decisions/32-filters.md. */
#include "analyzer/data/cuts.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

enum { SLICES = 16 };
#define SECOND_NS INT64_C(1000000000)

/* Moments that are as far apart as that, in ns of the experiment's own time. */
struct slices {
	int64_t length_ns, first_ns;
};

struct cuts {
	const struct experiment *experiment;
	int64_t *moments_ns; /* moments_ns[count], sorted */
	size_t count, capacity;
	struct slices slices[SLICES];
	size_t slice_count;
};

static void add_moment(struct cuts *cuts, int64_t own_ns)
{
	cuts->moments_ns = memory_grow(cuts->moments_ns, cuts->count, &cuts->capacity,
	                               sizeof(*cuts->moments_ns));
	cuts->moments_ns[cuts->count++] = own_ns;
}

static void add_slices(struct cuts *cuts, int64_t length_ns, int64_t first_ns)
{
	if (length_ns > 0 && cuts->slice_count < SLICES)
		cuts->slices[cuts->slice_count++] = (struct slices){length_ns,
		                                                    first_ns % length_ns};
}

/* Where the clocks of expressions begin: that of the founder, of the process, and of 1970. */
struct origins {
	int64_t own_ns[3];
};

static struct origins origins_of(const struct filter_place *place)
{
	int64_t real_ns = place->info->start_real_ns;

	return (struct origins){{place->founder_real_ns - real_ns, 0, -real_ns}};
}

static int asks_for_time(const struct expression *expression)
{
	return expression_has(expression, TOKEN_TSTAMP) ||
	       expression_has(expression, TOKEN_TSTAMP_LO) ||
	       expression_has(expression, TOKEN_ETSTAMP) ||
	       expression_has(expression, TOKEN_ATSTAMP);
}

/* A constant with the step behind it. */
static void add_constant(struct cuts *cuts, const struct expression_step *step,
                         const struct origins *origins)
{
	for (size_t i = 0; i < sizeof(origins->own_ns) / sizeof(origins->own_ns[0]); i++)
		if (step[1].op == OP_DIV || step[1].op == OP_MOD)
			add_slices(cuts, step->value, origins->own_ns[i]);
		else if (!__builtin_add_overflow(step->value, origins->own_ns[i], &(int64_t){0}))
			add_moment(cuts, step->value + origins->own_ns[i]);
}

static void add_expression(struct cuts *cuts, const struct expression *expression,
                           const struct filter_place *place)
{
	const struct origins origins = origins_of(place);

	if (expression_has(expression, TOKEN_SECONDS))
		add_slices(cuts, SECOND_NS, origins.own_ns[0]);
	if (expression_has(expression, TOKEN_SAMPLE))
		for (size_t i = 0; i < place->whole->usage_count; i++)
			add_moment(cuts, (int64_t)(place->whole->usage[i].time_s * 1e9));
	for (size_t i = 0; i + 1 < expression->count && asks_for_time(expression); i++)
		if (expression->steps[i].op == OP_CONST)
			add_constant(cuts, &expression->steps[i], &origins);
}

static int compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

struct cuts *cuts_create(const struct expression *const *expressions, size_t count,
                         const struct filter_place *place)
{
	struct cuts *cuts = memory_take(1, sizeof(*cuts));

	cuts->experiment = place->experiment;
	for (size_t i = 0; i < count; i++)
		if (expressions[i])
			add_expression(cuts, expressions[i], place);
	if (cuts->count > 1)
		qsort(cuts->moments_ns, cuts->count, sizeof(*cuts->moments_ns), compare);
	if (cuts->count > 0 || cuts->slice_count > 0)
		return cuts;
	cuts_destroy(cuts);
	return NULL;
}

void cuts_destroy(struct cuts *cuts)
{
	if (!cuts)
		return;
	free(cuts->moments_ns);
	free(cuts);
}

/* The first moment behind `ns`, INT64_MAX: there is none. */
static int64_t next_moment(const struct cuts *cuts, int64_t ns)
{
	size_t low = 0, high = cuts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cuts->moments_ns[middle] <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cuts->count ? cuts->moments_ns[low] : INT64_MAX;
}

static int64_t next_slice(const struct slices *slices, int64_t ns)
{
	int64_t past = (ns - slices->first_ns) % slices->length_ns;

	return ns + (past < 0 ? -past : slices->length_ns - past);
}

uint64_t cuts_next(const struct cuts *cuts, uint64_t ticks)
{
	int64_t ns = experiment_time_ns(cuts->experiment, ticks), next;

	if (ns > INT64_MAX / 2 || ns < INT64_MIN / 2)
		return UINT64_MAX;
	next = next_moment(cuts, ns);
	for (size_t i = 0; i < cuts->slice_count; i++) {
		int64_t slice = next_slice(&cuts->slices[i], ns);

		next = slice < next ? slice : next;
	}
	return next == INT64_MAX ? UINT64_MAX : experiment_time_ticks(cuts->experiment, next);
}
