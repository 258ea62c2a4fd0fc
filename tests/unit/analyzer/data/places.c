/* Tests of where experiments stand: by path, by number, by process and by lineage, while others
 * come and go. */
#include "analyzer/data/places.h"
#include "analyzer/report/quality/absent.h"
#include "analyzer/views/analysis.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* In the order of their lineages, after the founder. */
static const char *const lineages[] = {"_f1", "_f1_f1", "_f1_x1", "_f1_x1_f2",
                                       "_f2", "_f10",   "_c1"};
enum { CHILDREN = sizeof(lineages) / sizeof(lineages[0]) };

static struct maker founder, other, children[CHILDREN];
static struct analysis analysis;
static struct dataset *dataset;

static void open_path(const char *path)
{
	cr_assert_eq(dataset_open(dataset, &analysis.choices, &analysis.output, path), 0);
}

static void set_up(void)
{
	maker_create(&founder);
	maker_create(&other);
	for (size_t i = 0; i < CHILDREN; i++)
		maker_descendant(&founder, lineages[i], NULL, &children[i]);
	analysis_init(&analysis);
	dataset = &analysis.dataset;
	open_path(founder.path);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&other);
	maker_destroy(&founder);
}

TestSuite(places, .init = set_up, .fini = tear_down);

static void expect_below(const char *lineage, size_t first, size_t expected)
{
	size_t count;
	const uint32_t *below = places_below(dataset, 1, lineage, &count);

	cr_assert_eq(count, expected, "%s: %zu", lineage, count);
	for (size_t i = 0; i < count; i++)
		cr_assert_str_eq(dataset->experiments[below[i]].info->lineage, lineages[first + i]);
}

Test(places, by_lineage)
{
	size_t count;

	expect_below("_f1", 0, 4);
	expect_below("_f1_x1", 2, 2);
	expect_below("_f1_x1_f2", 3, 1);
	expect_below("_f10", 5, 1);
	expect_below("_f3", 0, 0);
	expect_below("_f1_f", 0, 0);
	places_below(dataset, 1, "", &count);
	cr_assert_eq(count, CHILDREN + 1);
	places_below(dataset, 2, "", &count);
	cr_assert_eq(count, 0, "2 is no founder");
	cr_assert(places_is_below("_f1_f2", "_f1"));
	cr_assert(places_is_below("_f1", "_f1"));
	cr_assert_not(places_is_below("_f10", "_f1"));
}

Test(places, by_path_and_number)
{
	char path[300];

	for (size_t i = 0; i < dataset->count; i++) {
		snprintf(path, sizeof(path), "%s/./", dataset->experiments[i].info->path);
		cr_assert_eq(dataset_find_path(dataset, path), &dataset->experiments[i]);
		cr_assert_eq(dataset_find(dataset, dataset->experiments[i].id),
		             &dataset->experiments[i]);
	}
	cr_assert_null(dataset_find_path(dataset, other.path));
	cr_assert_null(dataset_find_path(dataset, "/nowhere"));
	cr_assert_null(dataset_find(dataset, 0));
	cr_assert_null(dataset_find(dataset, 99));
}

Test(places, others_come_and_go)
{
	size_t count;

	cr_assert_null(dataset_find_path(dataset, other.path));
	open_path(other.path);
	cr_assert_not_null(dataset_find_path(dataset, other.path));
	places_below(dataset, 1, "", &count);
	cr_assert_eq(count, CHILDREN + 1);
	cr_assert_eq(dataset_drop(dataset, founder.path), CHILDREN + 1);
	cr_assert_null(dataset_find_path(dataset, founder.path));
	cr_assert_eq(dataset_find_path(dataset, other.path), &dataset->experiments[0]);
	cr_assert_eq(dataset_find(dataset, dataset->experiments[0].id), &dataset->experiments[0]);
	cr_assert_null(dataset_find(dataset, 1));
	places_below(dataset, 1, "", &count);
	cr_assert_eq(count, 0);
	open_path(founder.path);
	cr_assert_not_null(dataset_find_path(dataset, children[3].path));
}

Test(places, by_process)
{
	cr_assert_eq(places_process(dataset, 42), &dataset->experiments[0]);
	cr_assert_eq(places_process(dataset, 43), &dataset->experiments[CHILDREN],
	             "the last experiment of the process");
	cr_assert_null(places_process(dataset, 44));
	open_path(other.path);
	cr_assert_eq(places_process(dataset, 42), &dataset->experiments[CHILDREN + 1]);
}
