/* Tests of analyzer/views/events/calls.c: what is said where no call was traced. */
#include "analyzer/views/analysis.h"
#include "analyzer/views/view.h"
#include "tests/unit/experiment/make_experiment.h"

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
