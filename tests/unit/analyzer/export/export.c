/* Which metric an export has: that of the order of functions, if it is measured. */
#include "analyzer/command.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct maker maker;
static struct analysis analysis;

static void set_up(void)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	struct maker_stream stream;
	uint32_t id;

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, &id);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_alloc(&stream, MAKER_START_TICKS + 100, 0x5000, 10, id);
	maker_alloc(&stream, MAKER_START_TICKS + 200, 0x6000, 20, id);
	maker_stream_put(&maker, &stream, "heaptrace");
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(export_metric, .init = set_up, .fini = tear_down);

static void has(unsigned sort, const char *value)
{
	char line[] = "export folded -", *text = NULL;
	size_t size;

	analysis.choices.sort.metric.id = sort;
	analysis.output.out = open_memstream(&text, &size);
	command_run_line(&analysis, line);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	cr_expect_eq(analysis.output.status, EXIT_OK);
	cr_expect(strstr(text, value) != NULL, "%u: no '%s' in '%s'", sort, value, text);
	free(text);
}

Test(export_metric, is_the_one_that_is_sorted_by)
{
	has(METRIC_HEAPALLOCBYTES, " 30\n");
	has(METRIC_HEAPALLOCCNT, " 2\n");
}

Test(export_metric, is_one_that_is_measured_where_that_is_not)
{
	unsigned first = 0;

	while (!(metric_data_of(first) & EXP_DATA_HEAP) ||
	       metric_unit_of(first) == METRIC_UNIT_RATIO)
		first++;
	cr_assert(first == METRIC_HEAPALLOCBYTES || first == METRIC_HEAPALLOCCNT);
	has(METRIC_USER, first == METRIC_HEAPALLOCBYTES ? " 30\n" : " 2\n");
	has(METRIC_NAME, first == METRIC_HEAPALLOCBYTES ? " 30\n" : " 2\n");
}
