/* Tests of analyzer/page/values.c and stacks.c: pages of the golden experiments have the figures of
 * the function table. */
#include "analyzer/command.h"
#include "analyzer/model/fold.h"
#include "analyzer/model/name.h"
#include "tests/unit/analyzer/golden.h"
#include "tests/unit/analyzer/readpage.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a metric has in a function itself, and in all that it calls. */
struct figure {
	char *function; /* its name and its load object */
	unsigned metric;
	uint64_t own, total;
};

struct figures {
	struct figure *at;
	size_t count, capacity;
};

/* Takes the name over. */
static void add_figure(struct figures *figures, struct figure figure)
{
	if (figure.own == 0 && figure.total == 0) {
		free(figure.function);
		return;
	}
	if (figures->count == figures->capacity) {
		figures->capacity = 2 * figures->capacity + 256;
		figures->at = realloc(figures->at, figures->capacity * sizeof(*figures->at));
		cr_assert_not_null(figures->at);
	}
	figures->at[figures->count++] = figure;
}

static int compare_figures(const void *a, const void *b)
{
	const struct figure *left = a, *right = b;
	int order = strcmp(left->function, right->function);

	return order ? order : (int)left->metric - (int)right->metric;
}

/* Sort, and add up functions of one name. */
static void settle(struct figures *figures)
{
	size_t count = 0;

	qsort(figures->at, figures->count, sizeof(*figures->at), compare_figures);
	for (size_t i = 0; i < figures->count; i++) {
		if (count > 0 && compare_figures(&figures->at[count - 1], &figures->at[i]) == 0) {
			figures->at[count - 1].own += figures->at[i].own;
			figures->at[count - 1].total += figures->at[i].total;
			free(figures->at[i].function);
		} else {
			figures->at[count++] = figures->at[i];
		}
	}
	figures->count = count;
}

static void forget_figures(struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		free(figures->at[i].function);
	free(figures->at);
}

static char *name_of(const char *function, const char *object)
{
	char *name;

	cr_assert_geq(asprintf(&name, "%s in %s", function, object), 0);
	return name;
}

/* Of the function table of xer_print. */
static void figures_of_table(const struct analysis *analysis, struct figures *out)
{
	const struct dataset *dataset = &analysis->dataset;
	const struct tree *tree = dataset_tree(dataset, TREE_FUNCTIONS);
	const struct fold *fold = dataset_fold(dataset, TREE_FUNCTIONS);

	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		const uint64_t *own = columns_of(&fold->own, id),
			       *total = columns_of(&fold->total, id);

		if (!(metric_data_of(id) & dataset->have) ||
		    metric_unit_of(id) == METRIC_UNIT_RATIO || !total)
			continue;
		for (size_t i = 1; i < tree->item_count; i++) {
			const struct sym_function *function = tree->items[i].function;
			char *name = name_function(&analysis->choices, function);

			add_figure(out,
			           (struct figure){name_of(name, function->object
			                                                 ? function->object->name
			                                                 : ""),
			                           id, own ? own[i] : 0, total[i]});
			free(name);
		}
	}
	settle(out);
}

static size_t function_of(size_t node)
{
	int64_t frame = page_sections[PAGE_NODE_FRAME].numbers[node];

	cr_assert_lt((size_t)frame, page_sections[PAGE_FRAME_FUNCTION].count);
	return (size_t)page_sections[PAGE_FRAME_FUNCTION].numbers[frame];
}

/* Add a value to the function of a node, and to all above it, each once. */
static void add_up(size_t node, uint64_t value, uint64_t *own, uint64_t *total)
{
	size_t functions = page_sections[PAGE_FUNCTION_NAME].count;
	unsigned char *seen = calloc(functions, 1);

	own[function_of(node)] += value;
	for (;; node = (size_t)page_sections[PAGE_NODE_PARENT].numbers[node]) {
		size_t function = function_of(node);

		cr_assert_lt(function, functions);
		if (!seen[function])
			total[function] += value;
		seen[function] = 1;
		if (node == TREE_ROOT)
			break;
		cr_assert_lt((size_t)page_sections[PAGE_NODE_PARENT].numbers[node], node);
	}
	free(seen);
}

static void add_total(unsigned from, uint64_t *own, uint64_t *total)
{
	for (size_t i = 0; i < page_totals[from].rows.count; i++) {
		size_t row = (size_t)page_totals[from].rows.numbers[i], stack;

		cr_assert_lt(row, page_sections[PAGE_ROW_STACK].count);
		stack = (size_t)page_sections[PAGE_ROW_STACK].numbers[row];
		cr_assert_lt(stack, page_sections[PAGE_STACK_NODE].count);
		add_up((size_t)page_sections[PAGE_STACK_NODE].numbers[stack],
		       (uint64_t)page_totals[from].values.numbers[i], own, total);
	}
}

/* Of the page. The function of node 0 is <Total>. */
static void figures_of_page(const struct dataset *dataset, struct figures *out)
{
	size_t functions = page_sections[PAGE_FUNCTION_NAME].count;

	for (unsigned id = 0; id < METRIC_VALUES; id++) {
		uint64_t *own, *total;

		if (!(metric_data_of(id) & dataset->have) ||
		    metric_unit_of(id) == METRIC_UNIT_RATIO)
			continue;
		own = calloc(functions, sizeof(*own));
		total = calloc(functions, sizeof(*total));
		for (const uint8_t *from = metric_from[id]; *from != EXP_METRICS; from++)
			add_total(*from, own, total);
		for (size_t i = 0; i < functions; i++)
			if (i != function_of(TREE_ROOT))
				add_figure(
					out,
					(struct figure){
						name_of(page_strings
				                                [page_sections[PAGE_FUNCTION_NAME]
				                                         .numbers[i]],
				                        page_strings
				                                [page_sections[PAGE_FUNCTION_OBJECT]
				                                         .numbers[i]]),
						id, own[i], total[i]});
		free(own);
		free(total);
	}
	settle(out);
}

static void compare_all(const struct figures *expected, const struct figures *made)
{
	cr_expect_eq(made->count, expected->count, "%zu, %zu", made->count, expected->count);
	for (size_t i = 0; i < made->count && i < expected->count; i++) {
		const struct figure *is = &made->at[i], *should = &expected->at[i];

		cr_assert_eq(compare_figures(is, should), 0, "%s, metric %u: %s, metric %u",
		             is->function, is->metric, should->function, should->metric);
		cr_expect(is->own == should->own && is->total == should->total,
		          "%s, metric %u: %lu of %lu, %lu of %lu", is->function, is->metric,
		          is->own, should->own, is->total, should->total);
	}
}

struct kept {
	char name[16];
};

ParameterizedTestParameters(page, has_the_figures_of_the_tables)
{
	static struct kept all[] = {{"calls"},   {"children"}, {"control"}, {"dwz"},
	                            {"heap"},    {"java"},     {"jit"},     {"killed"},
	                            {"mpi"},     {"omp"},      {"profile"}, {"rank"},
	                            {"sampler"}, {"user"},     {"waits"},   {"wall"}};

	return cr_make_param_array(struct kept, all, sizeof(all) / sizeof(all[0]));
}

ParameterizedTest(struct kept *kept, page, has_the_figures_of_the_tables)
{
	char directory[GOLDEN_PATH], path[32];
	struct figures expected = {.count = 0}, made = {.count = 0};
	struct analysis analysis;

	snprintf(path, sizeof(path), "%s.er", kept->name);
	golden_enter(kept->name, directory);
	page_read(path, "");
	analysis_init(&analysis);
	cr_assert_eq(dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, path), 0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
	figures_of_table(&analysis, &expected);
	figures_of_page(&analysis.dataset, &made);
	compare_all(&expected, &made);
	cr_expect_gt(expected.count, 0, "%s", kept->name);
	forget_figures(&expected);
	forget_figures(&made);
	analysis_fini(&analysis);
	page_forget();
	golden_leave(directory);
}
