/* Tests of analyzer/views/events/calls.c: the numbers of calls, in two experiments together; and
 * what is said where no call was traced. */
#include "analyzer/views/analysis.h"
#include "analyzer/views/view.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/fdr.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed of an experiment with these elements in its log; the caller frees. */
static char *untraced(const char *elements)
{
	struct analysis analysis;
	struct maker maker;
	char *text;
	size_t size;

	maker_create(&maker);
	maker_log(&maker, elements);
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
	analysis.output.out = open_memstream(&text, &size);
	view_put_untraced(&analysis.dataset, &analysis.output);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	analysis_fini(&analysis);
	maker_destroy(&maker);
	return text;
}

#define TRACING "<setting name=\"functrace\" value=\"on\"/>"

static void expect(const char *elements, const char *first, const char *second)
{
	char *text = untraced(elements);

	if (first) {
		cr_expect_eq(strncmp(text, first, strlen(first)), 0, "%s: %s", elements, text);
		cr_expect_not_null(strstr(text, second), "%s: %s", elements, text);
	} else {
		cr_expect_str_eq(text, "", "%s: %s", elements, text);
	}
	free(text);
}

Test(view_calls, where_nothing_was_traced_the_ways_to_do_it_are_told)
{
	static const char none[] = "# no call was traced: ";

	expect(TRACING, none,
	       "with -pg or -fpatchable-function-entry, record with --functrace=returns=on\n");
	expect(TRACING "<setting name=\"functrace_returns\" value=\"off\"/>", none,
	       "record with --functrace=returns=on\n");
	expect(TRACING "<setting name=\"functrace_returns\" value=\"on\"/>", none,
	       "-fxray-instrument, -pg or -fpatchable-function-entry\n");
}

Test(view_calls, nothing_is_told_where_there_is_another_reason)
{
	expect("", NULL, NULL);
	expect("<setting name=\"functrace\" value=\"off\"/>", NULL, NULL);
	expect(TRACING "<count name=\"calls_erased\" value=\"1\"/>", NULL, NULL);
	expect(TRACING "<count name=\"calls_unhooked\" value=\"1\"/>", NULL, NULL);
}

/* ---- the table */

static void put_functions(struct maker *maker)
{
	static const char map[] =
		"<map version=\"1.0\">\n"
		" <function name=\"outer\" address=\"0x1000\" size=\"4096\" generation=\"0\"/>\n"
		" <function name=\"inner\" address=\"0x2000\" size=\"4096\" generation=\"0\"/>\n"
		" <function name=\"endless\" address=\"0x3000\" size=\"4096\" generation=\"0\"/>\n"
		"</map>\n";
	struct maker_stream table;

	maker_put(maker, FMT_FILE_MAP, map, sizeof(map) - 1);
	maker_stream_init(&table);
	maker_extent(&table, 42, MAKER_START_TICKS, 4096);
	for (uint32_t id = 1; id <= 3; id++)
		maker_function(&table, MAKER_START_TICKS, id, 0x1000 * id);
	maker_stream_put(maker, &table, "functable");
}

/* endless calls outer, which calls inner so often, with 1 us between. */
static void make_calls(struct maker *maker, int with_endless, const uint32_t *inner_ns,
                       size_t count)
{
	struct maker_stream stream;
	uint64_t words[32];
	size_t at = 0;

	maker_create(maker);
	put_functions(maker);
	if (with_endless)
		words[at++] = fdr_function_word(3, FDR_ENTER, 100);
	words[at++] = fdr_function_word(1, FDR_ENTER, 400);
	for (size_t i = 0; i < count; i++) {
		words[at++] = fdr_function_word(2, FDR_ENTER, 1000);
		words[at++] = fdr_function_word(2, FDR_EXIT, inner_ns[i]);
	}
	words[at++] = fdr_function_word(1, FDR_EXIT, 1000);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_words(&stream, words, at);
	maker_stream_put(maker, &stream, "functrace");
}

static void check_calls(const struct maker *first, const struct maker *second, const char *lines,
                        const char *from, const char *expected, int is_end)
{
	const size_t size = strlen(expected) + (is_end != 0);
	char all[512];
	struct answer answer;
	const char *at;

	snprintf(all, sizeof(all), "add_exp %s\n%s", second->path, lines);
	answer = answer_of(first->path, all);
	at = strstr(answer.text, from);
	cr_assert_not_null(at, "%s", answer.text);
	cr_expect_eq(strncmp(at, expected, size), 0, "%s: %s", lines, at);
	cr_expect_str_eq(answer.messages, "");
	answer_fini(&answer);
}

#define HEAD(by) \
	"Calls of 3 traced functions, sorted by " by "\n\n" \
	"       Total         Self       Calls         Min        Mean         P50         P90         P99         Max    Std.dev.  Name\n" \
	"        sec.         sec.                   usec.       usec.       usec.       usec.       usec.       usec.       usec. \n"
#define OUTER \
	"    0.000018     0.000006           2       5.000       9.000       5.056      12.928      12.928      13.000       5.657  outer\n"
#define INNER \
	"    0.000012     0.000012           4       1.000       3.000       2.000       5.952       5.952       6.000       2.160  inner\n"
#define ENDLESS \
	"    0.000013     0.000000           1           -           -           -           -           -           -           -  endless\n"

/* inner: 1, 2 and 6 us, and 3 us: 3 us in the mean, with a deviation of sqrt(14 / 3) us. outer: 13
 * and 5 us. A percentile is the middle of a bucket. */
Test(view_calls, calls_of_two_experiments_are_summed_up)
{
	struct maker first, second;

	make_calls(&first, 1, (const uint32_t[]){1000, 2000, 6000}, 3);
	make_calls(&second, 0, (const uint32_t[]){3000}, 1);
	check_calls(&first, &second, "calls", "Calls of 3",
	            HEAD("Total") OUTER ENDLESS INNER
	            "\n# next: csingle outer  (who calls it, and what it calls)\n",
	            0);
	check_calls(&first, &second, "calls self", "Calls of 3", HEAD("Self") INNER OUTER ENDLESS,
	            0);
	check_calls(&first, &second, "calls COUNT", "Calls of 3", HEAD("Calls") INNER OUTER ENDLESS,
	            0);
	check_calls(
		&first, &second, "limit 2\nprintmode csv\ncalls max", "name,",
		"name,total,self,count,min,mean,p50,p90,p99,max,stddev\n"
		"outer,0.000018000,0.000006000,2,0.000005000,0.000009000,0.000005056,0.000012928,0.000012928,0.000013000,0.000005657\n"
		"inner,0.000012000,0.000012000,4,0.000001000,0.000003000,0.000002000,0.000005952,0.000005952,0.000006000,0.000002160\n",
		1);
	check_calls(&first, &second, "printmode csv\ncalls p99", "endless,",
	            "endless,0.000013400,0.000000400,1,,,,,,,\n", 1);
	maker_destroy(&second);
	maker_destroy(&first);
}

/* As little as there can be. */
Test(view_calls, one_function_has_its_callers_and_none_has_no_next_view)
{
	struct maker maker;
	struct answer answer;

	make_calls(&maker, 0, NULL, 0);
	answer = answer_of(maker.path, "calls");
	cr_expect_not_null(strstr(answer.text, "Calls of 1 traced functions"));
	cr_expect_not_null(
		strstr(answer.text,
	               "outer\n\n# next: csingle outer  (who calls it, and what it calls)\n"),
		"%s", answer.text);
	answer_fini(&answer);
	answer = answer_of(maker.path, "filters TSTAMP>1000000000000\ncalls");
	cr_expect_not_null(strstr(answer.text, "Calls of 0 traced functions"), "%s", answer.text);
	cr_expect_null(strstr(answer.text, "# next"));
	answer_fini(&answer);
	maker_destroy(&maker);
}
