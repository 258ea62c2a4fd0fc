/* Tests of the views of OpenMP constructs: their order, above all where numbers are equal. */
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FIRST, SECOND, THIRD, FOURTH, NODES };
static const uint64_t pcs[NODES] = {0x1000, 0x2000, 0x3000, 0x4000};
static const int parents[NODES] = {-1, -1, -1, -1};
static uint64_t at;
#define load load_one
#include "tests/unit/experiment/one_stream.h"

static void begin(void)
{
	set_up();
	(void)load_one;
	maker_extent(&stream, 42, t, 1 << 16);
	at = t;
}

TestSuite(view_omp, .init = begin, .fini = tear_down);

static void put(enum fmt_omp_event event, uint32_t region, uint32_t node, uint64_t duration,
                unsigned number)
{
	struct fmt_omp record = {.kind = FMT_KIND_omp,
	                         .event = (uint8_t)event,
	                         .region = region,
	                         .stack = ids[node],
	                         .number = (uint16_t)number};

	fmt_u48_put(&record.duration, duration);
	at += 1000;
	maker_event(&stream, at, &record, sizeof(record));
}

/* A region of two threads, which work so long; it ends 1000 ns after the second one, having taken
 * `time`. */
static void put_region(uint32_t id, uint32_t node, uint64_t time, uint64_t one, uint64_t other)
{
	put(FMT_omp_event_THREAD, id, node, one, 0);
	put(FMT_omp_event_THREAD, id, node, other, 1);
	put(FMT_omp_event_PARALLEL, id, node, time, 2);
}

/* The rows of a view have these beginnings, in this order, and there are no more. */
static void expect(const char *view, const char *const *rows)
{
	char line[64] = "printmode csv\nlimit 0\n";
	const char *text;
	struct answer made;

	maker_stream_put(&maker, &stream, "omptrace");
	strcat(line, view);
	made = answer_of(maker.path, line);
	text = strstr(made.text, "<Unknown>");
	while (text && text > made.text && text[-1] != '\n')
		text--;
	for (size_t i = 0; rows[i]; i++) {
		cr_assert(text && strncmp(text, rows[i], strlen(rows[i])) == 0,
		          "%s is not row %zu of\n%s%s", rows[i], i, made.text, made.messages);
		text = strchr(text, '\n');
		text = text && text[1] != '\0' && text[1] != '#' ? text + 1 : NULL;
	}
	cr_expect_null(text, "more rows: %s", text);
	cr_expect_eq(made.status, 0);
	cr_expect_str_empty(made.messages);
	answer_fini(&made);
}

Test(view_omp, regions_stand_by_what_was_lost_then_by_time_then_by_place)
{
	/* Two parts each: 1000 and 2000 ns until the region's end are waits. */
	put_region(1, FOURTH, 2500, 400, 400);
	put_region(2, SECOND, 2100, 400, 400); /* less time than the next one: behind it */
	put_region(3, THIRD, 2900, 400, 400);
	put_region(4, FIRST, 2000, 400, 900); /* another 500 ns lost: before all */
	put_region(5, FOURTH, 2500, 400, 400);
	expect("ompregions", (const char *[]){"<Unknown>,2,2,0.000005000,0.000002500,",
	                                      "<Unknown>,1,2,0.000002000,0.000002000,",
	                                      "<Unknown>,1,2,0.000002900,0.000002900,",
	                                      "<Unknown>,1,2,0.000002100,0.000002100,", NULL});
}

Test(view_omp, regions_of_equal_numbers_stand_by_place)
{
	put_region(1, SECOND, 2600, 400, 400);
	put_region(2, SECOND, 2400, 400, 400);
	put_region(3, FIRST, 2500, 400, 400);
	put_region(4, FIRST, 2500, 400, 400);
	expect("ompregions", (const char *[]){"<Unknown>,2,2,0.000005000,0.000002500,",
	                                      "<Unknown>,2,2,0.000005000,0.000002600,", NULL});
}

Test(view_omp, constructs_stand_by_time_then_by_count_then_by_kind_and_place)
{
	put(FMT_omp_event_LOCK, 1, FIRST, 200, 0); /* the least time: last */
	put(FMT_omp_event_LOCK, 1, SECOND, 300, 0);
	put(FMT_omp_event_LOCK, 1, SECOND, 500, 0);
	put(FMT_omp_event_CRITICAL, 1, THIRD, 350, 0);
	put(FMT_omp_event_CRITICAL, 1, THIRD, 450, 0);
	put(FMT_omp_event_CRITICAL, 1, FIRST, 360, 0);
	put(FMT_omp_event_CRITICAL, 1, FIRST, 440, 0);
	put(FMT_omp_event_LOCK, 1, FOURTH, 800, 0); /* as long, but fewer */
	put(FMT_omp_event_LOCK, 1, THIRD, 900, 0);
	expect("ompconstructs",
	       (const char *[]){"lock,<Unknown>,1,0.000000900,0.000000900",
	                        "critical section,<Unknown>,2,0.000000800,0.000000440",
	                        "critical section,<Unknown>,2,0.000000800,0.000000450",
	                        "lock,<Unknown>,2,0.000000800,0.000000500",
	                        "lock,<Unknown>,1,0.000000800,0.000000800",
	                        "lock,<Unknown>,1,0.000000200,0.000000200", NULL});
}

static int has_hint(void)
{
	struct answer made;
	int found;

	maker_stream_put(&maker, &stream, "omptrace");
	made = answer_of(maker.path, "ompregions");
	cr_assert(strstr(made.text, "<Unknown>"), "%s%s", made.text, made.messages);
	found = strstr(made.text, "# next: ompconstructs") != NULL;
	answer_fini(&made);
	return found;
}

Test(view_omp, no_hint_leads_to_an_empty_table)
{
	put_region(1, FIRST, 1000, 1000, 1000);
	cr_expect_not(has_hint());
}

Test(view_omp, a_construct_in_a_region_is_worth_a_hint)
{
	put(FMT_omp_event_TASK, 1, SECOND, 500, 0);
	put_region(1, FIRST, 1000, 1000, 1000);
	cr_expect(has_hint());
}
