/* Tests of analyzer/table/listing.c: classes of comments, and which lines are hot. */
#include "analyzer/table/listing.h"
#include "analyzer/model/comment.h"

#include "analyzer/base/memory.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static unsigned parse(const char *spec, int disasm, unsigned before)
{
	unsigned set = before, threshold = 75;
	const char *absent, *bad;
	size_t len;

	cr_assert_eq(comment_parse(spec, disasm, &set, &threshold, &absent, &bad, &len), 0, "%s",
	             spec);
	return set;
}

Test(listing, classes_by_words_and_their_beginnings)
{
	cr_assert_eq(parse("inline", 0, 0), COMMENT_SET(INLINE));
	cr_assert_eq(parse("INL:ver", 0, 0), COMMENT_SET(INLINE) | COMMENT_SET(VERSION));
	cr_assert_eq(parse("basic:cf", 0, 0), COMMENT_BASIC | COMMENT_SET(FLAGS));
	cr_assert_eq(parse("all", 0, 0), (1u << COMMENT_CLASSES) - 1);
	cr_assert_eq(parse("all:none", 0, COMMENT_BASIC), 0);
	cr_assert_eq(parse("inline:nosrc:hex", 1, COMMENT_SOURCE),
	             COMMENT_SET(INLINE) | COMMENT_HEX);
	cr_assert_eq(parse("none:hex:src", 1, 0), COMMENT_HEX | COMMENT_SOURCE);
	cr_assert_eq(parse("nohex", 1, COMMENT_HEX | COMMENT_SOURCE), COMMENT_SOURCE);
	cr_assert_eq(parse("nosrc", 1, COMMENT_HEX | COMMENT_SOURCE), COMMENT_HEX);
	cr_assert_eq(parse("", 1, COMMENT_HEX | COMMENT_BASIC), COMMENT_HEX);
	cr_assert_eq(parse("nos", 1, COMMENT_HEX | COMMENT_SOURCE), COMMENT_HEX);
	cr_assert_eq(parse("version", 1, COMMENT_SOURCE | COMMENT_BASIC),
	             COMMENT_SOURCE | COMMENT_SET(VERSION),
	             "what is not named goes, source lines stay");
}

Test(listing, thresholds_and_absent_classes)
{
	unsigned set = 0, threshold = 75;
	const char *absent, *bad;
	size_t len;

	cr_assert_eq(comment_parse("loop:t=5:inline", 0, &set, &threshold, &absent, &bad, &len), 0);
	cr_assert_eq(threshold, 5);
	cr_assert_str_eq(absent, "loop");
	cr_assert_eq(comment_parse("inline", 0, &set, &threshold, &absent, &bad, &len), 0);
	cr_assert_null(absent);
	cr_assert_eq(comment_parse("t=0", 0, &set, &threshold, &absent, &bad, &len), 0);
	cr_assert_eq(threshold, 0);
	cr_assert_eq(comment_parse("T=100", 0, &set, &threshold, &absent, &bad, &len), 0);
	cr_assert_eq(threshold, 100);
}

Test(listing, wrong_words_are_named)
{
	static const char *const wrong[] = {"inline:nonsense", "t=101",  "t=", "t=x", "hex", "src",
	                                    ":inline",         "inlines"};
	const char *absent, *bad;
	size_t len;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		unsigned set = COMMENT_BASIC, threshold = 75;

		cr_assert_eq(comment_parse(wrong[i], 0, &set, &threshold, &absent, &bad, &len),
		             -EINVAL, "%s", wrong[i]);
		cr_assert_eq(set, COMMENT_BASIC, "%s changes nothing", wrong[i]);
		if (i == 0)
			cr_assert(strncmp(bad, "nonsense", len) == 0 && len == 8);
	}
}

Test(listing, hot_is_a_share_of_the_greatest)
{
	static const struct metric_values values[] = {
		{.of = {[METRIC_TOTALCPU] = 100}},
		{.of = {[METRIC_TOTALCPU] = 75}},
		{.of = {[METRIC_TOTALCPU] = 74}},
		{.of = {[METRIC_TOTALCPU] = 0}},
	};
	struct metric_list metrics;
	char error[METRIC_ERROR_MAX];
	struct table table = {.is_listing = 1};

	cr_assert_eq(metric_list_parse("e.totalcpu", EXP_DATA_PROFILE, &metrics, error), 0);
	for (size_t i = 0; i < 4; i++) {
		struct table_row *row = listing_add(&table, "line", memory_format("%zu", i));

		row->own = row->total = metric_view_of(&values[i]);
		row->has_values = 1;
	}
	listing_add(&table, "comment", memory_format("no values"));
	listing_mark_hot(&table, &metrics, 75);
	for (size_t i = 0; i < 5; i++)
		cr_assert_eq(table.rows[i].is_hot, i < 2, "row %zu", i);
	listing_mark_hot(&table, &metrics, 0);
	cr_assert_eq(table.rows[2].is_hot, 1);
	cr_assert_eq(table.rows[3].is_hot, 0, "nothing is never hot");
	table_fini(&table);
}

/* A metric that is only sorted by is in the list, but not shown. Nor is a name a value. */
Test(listing, what_is_not_shown_makes_nothing_hot)
{
	static const struct metric_values values[] = {
		{.of = {[METRIC_TOTALCPU] = 100}},
		{.of = {[METRIC_TOTALCPU] = 1, [METRIC_HEAPALLOCBYTES] = 100}},
	};
	struct metric_list metrics;
	char error[METRIC_ERROR_MAX];
	struct table table = {.is_listing = 1};

	cr_assert_eq(metric_list_parse("e.totalcpu:e!heapallocbytes:name",
	                               EXP_DATA_PROFILE | EXP_DATA_HEAP, &metrics, error),
	             0, "%s", error);
	cr_assert_eq(metrics.count, 3);
	cr_assert(metrics.at[1].show & METRIC_SHOW_HIDDEN);
	for (size_t i = 0; i < 2; i++) {
		struct table_row *row = listing_add(&table, "line", memory_format("%zu", i));

		row->own = row->total = metric_view_of(&values[i]);
		row->has_values = 1;
	}
	listing_mark_hot(&table, &metrics, 75);
	cr_expect_eq(table.rows[0].is_hot, 1);
	cr_expect_eq(table.rows[1].is_hot, 0);
	metrics.at[1].show &= ~(unsigned)METRIC_SHOW_HIDDEN;
	listing_mark_hot(&table, &metrics, 75);
	cr_expect_eq(table.rows[1].is_hot, 1, "now it is shown");
	table_fini(&table);
}
