/* Tests of analyzer/model/metric_list.c: keywords and lists. */
#include "analyzer/model/metric_list.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BOTH = EXP_DATA_PROFILE | EXP_DATA_HEAP };

/* The list, written again with keywords joined by `:`. */
static void check(const char *spec, unsigned have, const char *expected)
{
	struct metric_list list;
	char error[METRIC_ERROR_MAX], keyword[METRIC_TEXT_MAX], text[1024] = "";

	cr_assert_eq(metric_list_parse(spec, have, &list, error), 0, "%s: %s", spec, error);
	for (size_t i = 0; i < list.count; i++) {
		if (i != 0)
			strcat(text, ":");
		strcat(text, metric_spell(&list.at[i], keyword));
	}
	cr_assert_str_eq(text, expected);
}

static void refuse(const char *spec, unsigned have, int status)
{
	struct metric_list list;
	char error[METRIC_ERROR_MAX] = "";

	cr_assert_eq(metric_list_parse(spec, have, &list, error), status, "%s", spec);
	cr_assert_neq(error[0], '\0');
}

Test(metric_list, keywords_have_flavor_visibility_and_name)
{
	check("i.totalcpu", BOTH, "i.totalcpu:name");
	check("e.%totalcpu", BOTH, "e.%totalcpu:name");
	check("i!user:name", BOTH, "i!user:name");
	check("E.USER", BOTH, "e.user:name");
	check("e~user", BOTH, "e.~user:name");
	check("i%~.user", BOTH, "i.%~user:name");
	check("i+heapallocbytes", BOTH, "i.heapallocbytes:name");
}

Test(metric_list, flavors_expand_in_order)
{
	check("ie.user", BOTH, "e.user:i.user:name");
	check("ei%.totalcpu", BOTH, "e.%totalcpu:i.%totalcpu:name");
}

Test(metric_list, bare_names_take_the_usual_flavor)
{
	check("heapleakcnt", BOTH, "i.heapleakcnt:name");
	check("user", BOTH, "e.user:i.user:name");
	check("address:size", BOTH, "address:size:name");
}

Test(metric_list, waits_and_calls_are_inclusive)
{
	check("sync:syncn", EXP_DATA_SYNC, "i.sync:i.syncn:name");
	check("e.%ioreadtime:ioerrorcnt", EXP_DATA_IO, "e.%ioreadtime:i.ioerrorcnt:name");
	check("default", EXP_DATA_PROFILE | EXP_DATA_SYNC,
	      "e.%totalcpu:i.%totalcpu:i.sync:i.syncn:name");
	refuse("sync", EXP_DATA_IO, -ENODATA);
	refuse("ioreadcnt", EXP_DATA_SYNC, -ENODATA);
}

Test(metric_list, any_names_what_has_data)
{
	check("i.any", EXP_DATA_PROFILE, "i.totalcpu:i.user:i.system:i.samples:name");
	check("i.all", EXP_DATA_HEAP,
	      "i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:i.heappeakcnt:i.heappeakbytes:i.heaptempcnt:"
	      "i.heapmapcnt:i.heapmapbytes:i.heapmaplive:i.heapmappeak:name");
}

Test(metric_list, special_ones_are_shown_where_they_are_asked_for)
{
	check("default", EXP_DATA_HEAP,
	      "i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:name");
	check("e.heappeakbytes", EXP_DATA_HEAP, "e.heappeakbytes:name");
}

Test(metric_list, of_several_kinds_each_leads_with_few_columns)
{
	unsigned both = EXP_DATA_PROFILE | EXP_DATA_HEAP | EXP_DATA_SYNC | EXP_DATA_USER;
	struct metric_list list;
	struct metric_sort sort;

	check("default", both,
	      "e.%totalcpu:i.%totalcpu:i.heapallocbytes:i.heapleakbytes:i.sync:name");
	check("wide", both,
	      "e.%totalcpu:i.%totalcpu:i.heapalloccnt:i.heapallocbytes:i.heapleakcnt:i.heapleakbytes:i.sync:i.syncn:name");
	metric_defaults(both, &list, &sort);
	cr_expect_eq(metric_left_out(both, &list), 3);
	list.count--;
	cr_expect_eq(metric_left_out(both, &list), 0, "the user has chosen another list");
	metric_defaults(EXP_DATA_PROFILE | EXP_DATA_SYNC, &list, &sort);
	cr_expect_eq(metric_left_out(EXP_DATA_PROFILE | EXP_DATA_SYNC, &list), 0);
}

Test(metric_list, default_is_the_list_to_begin_with)
{
	check("default", EXP_DATA_PROFILE, "e.%totalcpu:i.%totalcpu:name");
}

Test(metric_list, repeated_metrics_are_one_column)
{
	check("e.user:e%user", BOTH, "e.%user:name");
}

Test(metric_list, others_are_refused)
{
	refuse("", BOTH, -EINVAL);
	refuse("e.nonsense", BOTH, -EINVAL);
	refuse("x.user", BOTH, -EINVAL);
	refuse("e.user::i.user", BOTH, -EINVAL);
	refuse("e.totalcpu", EXP_DATA_HEAP, -ENODATA);
	refuse("i.heapallocbytes", EXP_DATA_PROFILE, -ENODATA);
	refuse("e.hwc", BOTH, -ENODATA);
}

Test(metric_list, errors_name_the_column_and_the_nearest_word)
{
	struct metric_list list;
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_list_parse("e.user:i.%heapalocbytes", BOTH, &list, error), -EINVAL);
	cr_assert_str_eq(error,
	                 "'i.%heapalocbytes' is not a metric (did you mean 'i.%heapallocbytes'?)");
	cr_assert_eq(metric_list_fault("e.user:i.%heapalocbytes", BOTH), 8);
	cr_assert_eq(metric_list_parse("usr", BOTH, &list, error), -EINVAL);
	cr_assert_str_eq(error, "'usr' is not a metric (did you mean 'user'?)");
	cr_assert_eq(metric_list_fault("usr", BOTH), 1);
	/* A name that is right is not suggested for itself, nor with a flavor that there is not. */
	cr_assert_eq(metric_list_parse("d.user", BOTH, &list, error), -EINVAL);
	cr_assert_str_eq(
		error,
		"'d.user' is not a metric: what stands before its name is e, i or a (did you mean 'e.user'?)");
	cr_assert_eq(metric_list_parse("e.user:qqqqqqqqqq:name", BOTH, &list, error), -EINVAL);
	cr_assert_str_eq(error, "'qqqqqqqqqq' is not a metric (metric_list lists them)");
	cr_assert_eq(metric_list_fault("e.user:qqqqqqqqqq:name", BOTH), 8);
	cr_assert_eq(metric_list_parse("e.user::name", BOTH, &list, error), -EINVAL);
	cr_assert_eq(metric_list_fault("e.user::name", BOTH), 8);
}

Test(metric_list, sort_takes_one_keyword_and_a_sign)
{
	struct metric_sort sort;
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_sort_parse("-i.user", BOTH, &sort, error), 0);
	cr_assert_eq(sort.metric.id, METRIC_USER);
	cr_assert_eq(sort.metric.flavor, METRIC_INCLUSIVE);
	cr_assert(sort.reverse);
	cr_assert_eq(metric_sort_parse("name", BOTH, &sort, error), 0);
	cr_assert_eq(sort.metric.id, METRIC_NAME);
	cr_assert_eq(metric_sort_parse("bogus", BOTH, &sort, error), -EINVAL);
}

Test(metric_list, sort_follows_the_list)
{
	struct metric_list list;
	struct metric_sort sort;
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_sort_parse("-i.user", BOTH, &sort, error), 0);
	cr_assert_eq(metric_list_parse("e.user:i%user", BOTH, &list, error), 0);
	metric_sort_adjust(&list, &sort);
	cr_assert_eq(sort.metric.flavor, METRIC_INCLUSIVE);
	cr_assert(sort.reverse);
	cr_assert_eq(metric_list_parse("size:i.heapleakcnt", BOTH, &list, error), 0);
	metric_sort_adjust(&list, &sort);
	cr_assert_eq(sort.metric.id, METRIC_HEAPLEAKCNT);
	cr_assert(!sort.reverse);
	cr_assert_eq(metric_sort_parse("size", BOTH, &sort, error), 0);
	metric_sort_adjust(&list, &sort);
	cr_assert_eq(sort.metric.id, METRIC_SIZE, "a column");
	cr_assert_eq(metric_list_parse("e.user", BOTH, &list, error), 0);
	metric_sort_adjust(&list, &sort);
	cr_assert_eq(sort.metric.id, METRIC_USER, "no column any more");
}

Test(metric_list, attributed_list_has_each_metric_once)
{
	struct metric_list list, out;
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_list_parse("e.totalcpu:i%totalcpu:i!user", BOTH, &list, error), 0);
	metric_list_attributed(&list, &out);
	cr_assert_eq(out.count, 2);
	cr_assert_eq(out.at[0].flavor, METRIC_ATTRIBUTED);
	cr_assert_eq(out.at[0].show, METRIC_SHOW_VALUE | METRIC_SHOW_PERCENT);
	cr_assert_eq(out.at[1].id, METRIC_NAME);
}

/* Do two lists have the same columns? */
static int are_equal(const char *left, const char *right)
{
	struct metric_list lists[2];
	char error[METRIC_ERROR_MAX];

	cr_assert_eq(metric_list_parse(left, BOTH, &lists[0], error), 0, "%s: %s", left, error);
	cr_assert_eq(metric_list_parse(right, BOTH, &lists[1], error), 0, "%s: %s", right, error);
	return metric_list_equal(&lists[0], &lists[1]);
}

Test(metric_list, lists_are_equal_by_metric_flavor_and_what_is_shown)
{
	cr_expect_eq(are_equal("e.user:i.system:name", "e.user:i.system:name"), 1);
	cr_expect_eq(are_equal("e.user:i.system:name", "e.user:i.user:name"), 0);
	cr_expect_eq(are_equal("e.user:i.system:name", "i.user:i.system:name"), 0);
	cr_expect_eq(are_equal("e.user:i.system:name", "e%user:i.system:name"), 0);
	cr_expect_eq(are_equal("e.user:i.system:name", "i.system:e.user:name"), 0);
}
