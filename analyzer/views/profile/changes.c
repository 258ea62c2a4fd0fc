/* changes.c: which functions, source lines or load objects have certainly changed between groups of
 * runs.
 *
 * For each group after the first, and each metric that is shown, a table; certain changes come
 * first.
 * See doc/decisions/91-uncertainty.md. */
#include "analyzer/views/view.h"

#include "analyzer/base/memory.h"
#include "analyzer/data/sampled.h"
#include "analyzer/model/name.h"
#include "analyzer/print/print.h"
#include "analyzer/report/quality/quality.h"
#include "analyzer/report/quality/repeats.h"
#include "analyzer/statistics/changes.h"
#include "analyzer/statistics/discovery.h"
#include "analyzer/table/compare.h"
#include "analyzer/views/profile/objectrows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runs of one group: columns[count] of the comparison by run. */
struct side {
	size_t first, count;
	double *factors; /* factors[count]: for as much work as a run of the first group did */
	char *label;
};

/* What rows are. */
enum rows { ROWS_FUNCTIONS, ROWS_LINES, ROWS_OBJECTS, ROWS };
static const struct {
	const char *command, *key, *heading;
	enum tree_mode mode;
} kinds[ROWS] = {
	[ROWS_FUNCTIONS] = {"changes", "function", "Function", TREE_FUNCTIONS},
	[ROWS_LINES] = {"linechanges", "line", "Line", TREE_LINES},
	[ROWS_OBJECTS] = {"objectchanges", "object", "Load Object", TREE_FUNCTIONS},
};

/* What differs less between runs is not worth a note. */
#define SPREAD_TOLD 0.01

/* The rows of a metric in changes[]. */
struct part {
	struct metric metric;
	size_t first, count;
	double spread; /* of runs, see changes_spread */
	/* Of what is sampled, how many digits people see; ratios have ratio_digits. */
	int is_sampled;
	struct metric_scale scale;
	unsigned ratio_digits;
};

/* A group against the base. The places of changes[count] are items[count]. */
struct pair {
	const struct dataset *dataset; /* by run */
	enum rows kind;
	const struct tree *tree;
	const struct object_rows *objects; /* of ROWS_OBJECTS, else NULL */
	const struct fold *const *folds;   /* of the runs, by row */
	size_t row_count;                  /* items of the tree, or objects */
	const struct side *from, *to;
	struct change *changes;
	uint32_t *items;
	size_t count, change_capacity, item_capacity;
	struct part parts[METRIC_LIST_MAX];
	size_t part_count, tested;
};

/* ---- values */

static double measured_in(const struct pair *pair, size_t run, uint32_t item,
                          const struct metric *metric)
{
	const struct fold *fold = pair->folds[run];
	int is_own = metric->flavor == METRIC_EXCLUSIVE && item != 0;

	return (double)columns_at(is_own ? &fold->own : &fold->total, item, metric->id);
}

/* For as much work as a run of the first group did. Quotients that are equal stay equal. */
static double value_in(const struct pair *pair, const struct side *side, size_t run, uint32_t item,
                       const struct metric *metric)
{
	double value = measured_in(pair, side->first + run, item, metric);

	return side->factors[run] == 1 ? value : rint(value * side->factors[run] * 1e6) / 1e6;
}

/* The sums of all samples in the runs; those of their squares are added to *squares. */
static struct runs sums_of(const struct pair *pair, const struct side *side, unsigned metric,
                           double *squares)
{
	const struct metric whole = {(uint8_t)metric, METRIC_INCLUSIVE, 0};
	double *sums = memory_take(side->count, sizeof(*sums));
	struct runs runs;

	for (size_t i = 0; i < side->count; i++) {
		size_t run = side->first + i;
		double factor = side->factors[i];
		struct sampled sampled = sampled_in(
			pair->dataset, (unsigned)run, metric,
			(uint64_t)measured_in(pair, run, TREE_ROOT, &whole));

		sums[i] = sampled.sum * factor;
		*squares += sampled.squares * factor * factor;
	}
	runs = runs_of(sums, side->count);
	free(sums);
	return runs;
}

static struct runs values_of(const struct pair *pair, const struct side *side, uint32_t item,
                             const struct metric *metric)
{
	double *values = memory_take(side->count, sizeof(*values));
	struct runs runs;

	for (size_t i = 0; i < side->count; i++)
		values[i] = value_in(pair, side, i, item, metric);
	runs = runs_of(values, side->count);
	free(values);
	return runs;
}

/* ---- rows */

static void add_row(struct pair *pair, uint32_t item, const struct change *change)
{
	pair->changes = memory_grow(pair->changes, pair->count, &pair->change_capacity,
	                            sizeof(*pair->changes));
	pair->items = memory_grow(pair->items, pair->count, &pair->item_capacity,
	                          sizeof(*pair->items));
	pair->changes[pair->count] = *change;
	pair->items[pair->count++] = item;
}

/* As tables of one run have them; a ratio is known as well as a share. */
static void find_digits(struct part *part, const struct change_sums *sums)
{
	double samples = changes_samples(sums);

	part->is_sampled = samples > 0;
	part->scale = metric_scale_of(part->metric.id,
	                              (uint64_t)fmax(sums->from.mean, sums->to.mean),
	                              changes_sample(sums));
	part->ratio_digits = samples < 1e3 ? 2 : samples < 1e5 ? 3 : 4;
}

/* Compare all rows that have any of a metric in a run. */
static void compare_metric(struct pair *pair, const struct metric *metric)
{
	struct part *part = &pair->parts[pair->part_count++];
	struct change_sums sums = {.squares = 0};
	enum metric_unit unit = metric_unit_of(metric->id);
	size_t runs = pair->from->count + pair->to->count;

	*part = (struct part){.metric = *metric, .first = pair->count};
	sums.from = sums_of(pair, pair->from, metric->id, &sums.squares);
	sums.to = sums_of(pair, pair->to, metric->id, &sums.squares);
	sums.squares /= (double)runs;
	part->spread = changes_spread(&sums);
	find_digits(part, &sums);
	for (uint32_t item = 0; item < pair->row_count; item++) {
		struct change change = {.from = values_of(pair, pair->from, item, metric),
		                        .to = values_of(pair, pair->to, item, metric)};

		change.is_count = sums.squares == 0 &&
		                  (unit == METRIC_UNIT_COUNT || unit == METRIC_UNIT_BYTES);
		if (change.from.mean == 0 && change.to.mean == 0)
			continue;
		change_expect(&change, &sums);
		add_row(pair, item, &change);
	}
	part->count = pair->count - part->first;
	changes_measure(&pair->changes[part->first], part->count);
}

static int is_compared(const struct metric *metric)
{
	return metric->id < METRIC_VALUES && !(metric->show & METRIC_SHOW_HIDDEN) &&
	       metric_unit_of(metric->id) != METRIC_UNIT_RATIO;
}

/* A run that did not record a metric does not have 0 of it. */
static int is_recorded(const struct pair *pair, const struct side *side, unsigned metric)
{
	for (size_t run = side->first; run < side->first + side->count; run++) {
		const struct dataset_experiment *at = NULL;
		unsigned have = 0;

		while ((at = dataset_next(pair->dataset, at)))
			if (at->group == run)
				have |= dataset_data_of(at);
		if (!(have & metric_data_of(metric)))
			return 0;
	}
	return 1;
}

/* ---- tables */

/* What is certain comes first, then what is large. */
static int by_certainty(const void *left, const void *right)
{
	const struct change *a = *(const struct change *const *)left,
			    *b = *(const struct change *const *)right;
	int certain_a = a->verdict >= CHANGE_MORE, certain_b = b->verdict >= CHANGE_MORE;
	double size_a = fabs(a->difference.value), size_b = fabs(b->difference.value);

	if (certain_a != certain_b)
		return certain_b - certain_a;
	if (size_a != size_b)
		return size_a > size_b ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void put_value(struct print_table *table, const struct metric *metric, double value)
{
	if (!isfinite(value))
		print_none(table);
	else if (metric_unit_of(metric->id) == METRIC_UNIT_SECONDS)
		print_real(table, value / 1e9);
	else
		print_real(table, value);
}

/* For programs, a column names the metric; for people, it is in the title. */
static void put_value_column(struct print_table *table, const struct part *part,
                             enum print_type type, const char *key, const char *heading)
{
	print_column(table, type, key, heading);
	if (!part->is_sampled)
		return;
	if (type == PRINT_RATIO)
		print_column_digits(table, part->ratio_digits);
	else if (type == PRINT_SECONDS)
		print_column_digits(table, part->scale.digits);
}

static void put_columns(const struct output *output, struct print_table *table,
                        const struct pair *pair, const struct part *part)
{
	const struct metric *metric = &part->metric;
	enum print_type type = metric_unit_of(metric->id) == METRIC_UNIT_SECONDS ? PRINT_SECONDS
	                       : metric_unit_of(metric->id) == METRIC_UNIT_BYTES
	                               ? PRINT_BYTES_CHANGE
	                               : PRINT_COUNT_CHANGE;

	if (print_is_data(output))
		print_column(table, PRINT_WORD, "metric", "Metric");
	print_column(table, PRINT_WORD, "change", "Change");
	put_value_column(table, part, type, "before", pair->from->label);
	put_value_column(table, part, type, "after", pair->to->label);
	put_value_column(table, part, PRINT_RATIO, "ratio", "Ratio");
	put_value_column(table, part, type, "difference", "Difference");
	put_value_column(table, part, type, "low", "from");
	put_value_column(table, part, type, "high", "to");
	print_column(table, PRINT_WORD, kinds[pair->kind].key, kinds[pair->kind].heading);
}

static void put_row(const struct choices *choices, const struct output *output,
                    struct print_table *table, const struct pair *pair, const struct metric *metric,
                    const struct change *change)
{
	struct interval interval = runs_interval(&change->difference);
	uint32_t item = pair->items[change - pair->changes];
	const char *object = pair->objects ? pair->objects->names[item] : NULL;
	char *name = object ? memory_text(object, strlen(object))
	                    : name_item(choices, pair->tree->mode, &pair->tree->items[item]),
	     text[METRIC_TEXT_MAX];

	if (print_is_data(output))
		print_word(table, metric_spell(metric, text));
	print_word(table, change_text(change->verdict));
	put_value(table, metric, change->from.mean);
	put_value(table, metric, change->to.mean);
	if (change->from.mean > 0)
		print_real(table, change->to.mean / change->from.mean);
	else
		print_none(table);
	put_value(table, metric, change->difference.value);
	put_value(table, metric, interval.low);
	put_value(table, metric, interval.high);
	print_word(table, name);
	free(name);
}

static void put_part(const struct choices *choices, struct output *output, const struct pair *pair,
                     const struct part *part)
{
	const struct change **order = memory_take(part->count, sizeof(*order));
	struct print_table *table = print_table_begin(kinds[pair->kind].command);
	char text[METRIC_ERROR_MAX], *title;

	for (size_t i = 0; i < part->count; i++)
		order[i] = &pair->changes[part->first + i];
	if (part->count > 1)
		qsort(order, part->count, sizeof(*order), by_certainty);
	title = memory_format("%s, mean of a run%s", metric_describe(&part->metric, text),
	                      pair->dataset->tables->work.kind != WORK_NONE
	                              ? " for as much work as one of the first group"
	                              : "");
	print_describe(table, title, 0);
	put_columns(output, table, pair, part);
	for (size_t i = 0; i < part->count; i++)
		put_row(choices, output, table, pair, &part->metric, order[i]);
	if (!print_is_data(output))
		fprintf(output->out, "\n%s\n\n", title);
	print_table_end(output, table, choices->limit);
	free(title);
	free(order);
}

/* What a run takes differs with the speed of the machine, which is the same for all of its rows. */
static void put_spread(struct output *output, const struct pair *pair)
{
	const struct part *most = NULL;

	for (size_t i = 0; i < pair->part_count; i++)
		if (pair->parts[i].spread >= (most ? most->spread : SPREAD_TOLD))
			most = &pair->parts[i];
	if (most && pair->dataset->tables->work.kind == WORK_NONE)
		print_note(
			output,
			"runs of one group differ by %.1f %% in %s; -per %s compares their parts",
			100 * most->spread, metric_keyword(most->metric.id),
			metric_keyword(most->metric.id));
}

static void put_notes(struct output *output, const struct pair *pair)
{
	size_t least = pair->from->count < pair->to->count ? pair->from->count : pair->to->count;

	print_note(output, "%s: %zu run%s, %s: %zu run%s", pair->from->label, pair->from->count,
	           pair->from->count == 1 ? "" : "s", pair->to->label, pair->to->count,
	           pair->to->count == 1 ? "" : "s");
	print_note(output,
	           "%zu rows were tested; on average at most %g %% of the changes are false",
	           pair->tested, 100 * DISCOVERY_RATE);
	if (least < 2)
		print_note(
			output,
			"one run does not tell how runs differ: xcollect --repeat records several");
	put_spread(output, pair);
}

/* ---- the view */

static void compare_sides(const struct dataset *dataset, const struct choices *choices,
                          struct output *output, enum rows kind, const struct side *from,
                          const struct side *to)
{
	enum tree_mode mode = kinds[kind].mode;
	struct object_rows *objects = kind == ROWS_OBJECTS ? object_rows_create(dataset) : NULL;
	const struct fold **folds = objects ? NULL : compare_folds(dataset, mode);
	struct pair pair = {.dataset = dataset,
	                    .kind = kind,
	                    .tree = dataset_tree(dataset, mode),
	                    .objects = objects,
	                    .from = from,
	                    .to = to};

	pair.folds = objects ? (const struct fold *const *)objects->folds : folds;
	pair.row_count = objects ? objects->count : pair.tree->item_count;

	for (size_t i = 0; i < choices->metrics.count; i++)
		if (is_compared(&choices->metrics.at[i]) &&
		    is_recorded(&pair, from, choices->metrics.at[i].id) &&
		    is_recorded(&pair, to, choices->metrics.at[i].id))
			compare_metric(&pair, &choices->metrics.at[i]);
	pair.tested = changes_decide(pair.changes, pair.count);
	put_notes(output, &pair);
	for (size_t i = 0; i < pair.part_count; i++)
		put_part(choices, output, &pair, &pair.parts[i]);
	free(pair.changes);
	free(pair.items);
	free(folds);
	object_rows_destroy(objects);
}

/* Which runs belong to which group. Returns sides[*count]. */
static struct side *find_sides(const struct repeats *repeats, size_t *count)
{
	struct side *sides = memory_take(repeats->count, sizeof(*sides));

	*count = 0;
	for (size_t i = 0; i < repeats->count; i++) {
		if (i == 0 || repeats->groups[i] != repeats->groups[i - 1])
			sides[(*count)++] = (struct side){.first = i};
		sides[*count - 1].count++;
	}
	return sides;
}

/* A run that has none of what work is counted by stays as it is, which is said. */
static void find_factors(const struct dataset *dataset, struct output *output, struct side *sides,
                         size_t count)
{
	double first = 0;

	for (size_t i = 0; i < count; i++) {
		sides[i].factors = memory_take(sides[i].count, sizeof(*sides[i].factors));
		for (size_t run = 0; run < sides[i].count; run++) {
			double done = work_done(dataset, sides[i].first + run, i);

			if (i == 0)
				first += done / (double)sides[0].count;
			sides[i].factors[run] = done;
		}
	}
	for (size_t i = 0; i < count; i++)
		for (size_t run = 0; run < sides[i].count; run++) {
			double done = sides[i].factors[run];
			int is_known = done > 0 && first > 0;

			if (!is_known)
				print_note(output, "per: run %zu of %s did no work that is counted",
				           run + 1, sides[i].label);
			sides[i].factors[run] = is_known ? first / done : 1;
		}
}

static void put_changes(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, enum rows kind)
{
	struct repeats repeats;
	struct side *sides;
	size_t count;

	quality_put(dataset, output);
	repeats_begin(&repeats, dataset, REPEATS_OF_GROUPS);
	sides = find_sides(&repeats, &count);
	for (size_t i = 0; i < count; i++)
		sides[i].label = compare_label(dataset, i);
	if (count < 2)
		output_fail(output, EXIT_USAGE,
		            "%s: there is one group only: nothing to compare it with",
		            kinds[kind].command);
	else
		find_factors(&repeats.dataset, output, sides, count);
	for (size_t i = 1; i < count; i++)
		compare_sides(&repeats.dataset, choices, output, kind, &sides[0], &sides[i]);
	for (size_t i = 0; i < count; i++) {
		free(sides[i].factors);
		free(sides[i].label);
	}
	free(sides);
	repeats_end(&repeats);
}

void view_changes(const struct dataset *dataset, const struct choices *choices,
                  struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_changes(dataset, choices, output, ROWS_FUNCTIONS);
}

void view_linechanges(const struct dataset *dataset, const struct choices *choices,
                      struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_changes(dataset, choices, output, ROWS_LINES);
}

void view_objectchanges(const struct dataset *dataset, const struct choices *choices,
                        struct output *output, const struct command_argument *argument)
{
	(void)argument;
	put_changes(dataset, choices, output, ROWS_OBJECTS);
}
