/* Tests of analyzer/data/work.c: how the work that values are told for is written. What it does to
 * values is in tests/e2e/changes.sh. */
#include "analyzer/data/work.h"

#include "analyzer/data/dataset.h"
#include "experiment/experiment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* As it is written again; "" if it is refused. */
static const char *again(const char *text)
{
	static char spelt[METRIC_ERROR_MAX];
	char error[METRIC_ERROR_MAX] = "";
	struct work work;
	int status = work_parse(text, EXP_DATA_HEAP | EXP_DATA_IO, &work, error);

	cr_assert_eq(status, error[0] == '\0' ? 0 : -EINVAL, "%s: %s", text, error);
	return status == 0 ? work_spell(&work, spelt, sizeof(spelt)) : "";
}

Test(work, is_a_metric_or_one_in_a_function_or_numbers)
{
	struct work work;
	char error[METRIC_ERROR_MAX];

	cr_expect_str_eq(again("ioreadcnt"), "ioreadcnt");
	cr_expect_str_eq(again("heapalloccnt(keep)"), "heapalloccnt(keep)");
	cr_expect_str_eq(again("heapalloccnt(a::b(int))"), "heapalloccnt(a::b(int))");
	cr_expect_str_eq(again("1000"), "1000");
	cr_expect_str_eq(again("1000,2.5,1e3"), "1000,2.5,1000");
	cr_assert_eq(work_parse("OFF", 0, &work, error), 0);
	cr_assert_eq(work.kind, WORK_NONE);
	cr_assert_eq(work_parse("ioreadcnt", EXP_DATA_IO, &work, error), 0);
	cr_assert_eq(work.kind, WORK_METRIC);
	cr_assert_eq(work.metric, METRIC_IOREADCNT);
	cr_assert_str_empty(work.function);
}

Test(work, all_else_is_refused)
{
	static const char *const wrong[] = {"",
	                                    "0",
	                                    "-1",
	                                    "1,",
	                                    ",1",
	                                    "1,0",
	                                    "1;2",
	                                    "inf",
	                                    "1x",
	                                    "e.ioreadcnt",
	                                    "nosuch",
	                                    "ioreadcnt:iowritecnt",
	                                    "any",
	                                    "name",
	                                    "size",
	                                    "ioreadcnt(f",
	                                    "sync",
	                                    "(f)",
	                                    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"};
	char name[WORK_FUNCTION_MAX + 16] = "ioreadcnt(";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_str_empty(again(wrong[i]), "%s", wrong[i]);
	memset(name + 10, 'f', WORK_FUNCTION_MAX);
	name[WORK_FUNCTION_MAX + 10] = ')';
	cr_expect_str_empty(again(name), "too long a name");
}

Test(work, numbers_that_do_not_fit_are_cut)
{
	char text[8], error[METRIC_ERROR_MAX];
	struct work work;

	cr_assert_eq(work_parse("1000,2000,3000", 0, &work, error), 0);
	cr_assert_str_eq(work_spell(&work, text, sizeof(text)), "1000,20");
}

/* ---- what is divided by */

static struct dataset_tables tables;
static const struct dataset dataset = {.tables = &tables};

static void take(const char *text)
{
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(work_parse(text, 0, &tables.work, error), 0);
}

Test(work, each_group_has_its_number_and_those_without_one_the_last)
{
	take("1000,250,4000");
	cr_expect_eq(work_done(&dataset, 0, 0), 1000);
	cr_expect_eq(work_done(&dataset, 1, 1), 250);
	cr_expect_eq(work_done(&dataset, 2, 2), 4000);
	cr_expect_eq(work_done(&dataset, 3, 3), 4000);
	cr_expect_eq(work_factor(&dataset, 0), 1, "values of the first group stay");
	cr_expect_eq(work_factor(&dataset, 1), 4);
	cr_expect_eq(work_factor(&dataset, 2), 0.25);
	cr_expect_eq(work_factor(&dataset, 3), 0.25);
}

Test(work, one_number_is_the_work_of_all)
{
	take("1000");
	cr_expect_eq(work_done(&dataset, 0, 0), 1000);
	cr_expect_eq(work_done(&dataset, 1, 1), 1000);
	cr_expect_eq(work_factor(&dataset, 1), 1);
}

Test(work, without_work_values_stay)
{
	take("off");
	cr_expect_eq(work_done(&dataset, 1, 1), 1);
	cr_expect_eq(work_factor(&dataset, 1), 1);
}
