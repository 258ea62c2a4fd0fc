/* What has equal names is one row; the columns are the user's metrics, each once. */
#include "analyzer/report/compare/named.h"

#include "analyzer/base/memory.h"
#include "analyzer/command.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

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
	uint32_t ids[1];

	maker_create(&maker);
	maker_nodes(&maker, 1, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
	maker_sync(&stream, MAKER_START_TICKS + 100, FMT_sync_func_MUTEX_LOCK, 0x5000, 50, 0,
	           ids[0]);
	maker_stream_put(&maker, &stream, "synctrace");
	analysis_init(&analysis);
	cr_assert_eq(
		dataset_open(&analysis.dataset, &analysis.choices, &analysis.output, maker.path),
		0);
	analysis_set_defaults(&analysis);
	dataset_load(&analysis.dataset, &analysis.output);
}

static void tear_down(void)
{
	analysis_fini(&analysis);
	maker_destroy(&maker);
}

TestSuite(compare_named, .init = set_up, .fini = tear_down);

static void add(struct compare_named *named, const char *name, uint64_t seconds, uint64_t count)
{
	const struct metric_values values = {
		.of = {[METRIC_SYNC] = seconds * 1000000000, [METRIC_SYNCN] = count}};

	compare_named_add(named, 0, memory_text(name, strlen(name)), 0, &values);
}

/* The table of two things, the rows without most of their blanks. */
static char *table(const char *metrics)
{
	struct compare_named *named = compare_named_create();
	char error[METRIC_ERROR_MAX], *text = NULL, *to;
	size_t size;

	cr_assert_eq(
		metric_list_parse(metrics, analysis.dataset.have, &analysis.choices.metrics, error),
		0, "%s", error);
	add(named, "one", 2, 11);
	add(named, "two", 3, 12);
	add(named, "one", 5, 14);
	analysis.output.out = open_memstream(&text, &size);
	compare_named_put_kind(&analysis.dataset, &analysis.choices, &analysis.output, named,
	                       EXP_DATA_SYNC, "Things", "things", NULL);
	fclose(analysis.output.out);
	analysis.output.out = stdout;
	to = text;
	for (const char *from = text; *from != '\0'; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

static void expect(const char *metrics, const char *const rows[3])
{
	char *text = table(metrics);

	for (int i = 0; i < 3; i++)
		cr_expect(strstr(text, rows[i]) != NULL, "%s: no '%s' in\n%s", metrics, rows[i],
		          text);
	free(text);
}

Test(compare_named, values_of_one_name_are_added)
{
	static const char *const rows[] = {"10.000 37 <Total>\n", "7.000 25 one\n",
	                                   "3.000 12 two\n"};

	expect("e.sync:e.syncn:name", rows);
}

/* Things have no callers: of both flavors there is one column. */
Test(compare_named, a_metric_of_two_flavors_comes_once)
{
	static const char *const rows[] = {"37 10.000 <Total>\n", "25 7.000 one\n",
	                                   "12 3.000 two\n"};

	expect("i.syncn:e.syncn:e.sync:i.sync:name", rows);
}
