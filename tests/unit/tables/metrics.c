/* Tests that each row of analyzer/model/metric.def has what a metric needs. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TABLE "analyzer/model/metric.def"

static const struct {
	const char *id, *keyword, *kind, *place, *from, *heading, *meaning;
} metrics[] = {
#define METRIC(id, keyword, kind, unit, place, from, overview, heading, meaning) \
	{#id, keyword, #kind, #place, #from, heading, meaning},
#define PROPERTY(id, keyword, unit, heading, meaning) \
	{#id, keyword, NULL, NULL, NULL, heading, meaning},
#include "analyzer/model/metric.def"
};
enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

static const struct {
	const char *id, *kind;
} totals[] = {
#define TOTAL(id, kind, role, meaning) {"EXP_" #id, #kind},
#include "format/datakind.def"
};
enum { TOTALS = sizeof(totals) / sizeof(totals[0]) };

Test(metrics, every_metric_has_its_texts)
{
	const char *earlier[METRICS];

	for (size_t i = 0; i < METRICS; i++) {
		row_needs(*metrics[i].keyword != '\0', TABLE, metrics[i].id, "a keyword");
		row_needs(*metrics[i].heading != '\0', TABLE, metrics[i].id, "a heading");
		row_needs(*metrics[i].meaning != '\0', TABLE, metrics[i].id, "a meaning");
		row_needs_own_name(TABLE, metrics[i].keyword, earlier, i);
		earlier[i] = metrics[i].keyword;
	}
}

/* Otherwise a table would have a column for missing data. CPU time is a part of wall-clock time. */
Test(metrics, every_metric_comes_from_totals_of_its_own_kind)
{
	for (size_t i = 0; i < METRICS; i++) {
		int found = metrics[i].from && text_has(metrics[i].from, "EXP_METRICS");

		for (size_t j = 0; j < TOTALS; j++) {
			int is_cpu = strncmp(totals[j].id, "EXP_CPU_", 8) == 0;

			if (!metrics[i].from || !text_has(metrics[i].from, totals[j].id))
				continue;
			found |= strcmp(metrics[i].kind, totals[j].kind) == 0;
			row_needs(strcmp(metrics[i].kind, totals[j].kind) == 0 ||
			                  (is_cpu && strcmp(metrics[i].kind, "WALL") == 0),
			          TABLE, metrics[i].id, "totals of its own kind of data");
		}
		row_needs(found || !metrics[i].from, TABLE, metrics[i].id,
		          "a total that it comes from");
	}
}

/* Counters have the names of their events. */
Test(metrics, every_metric_has_a_manual_entry_and_a_test)
{
	for (size_t i = 0; i < METRICS; i++) {
		if (strncmp(metrics[i].id, "COUNTER", 7) == 0)
			continue;
		row_needs_entry(TABLE, metrics[i].id, metrics[i].keyword, "xer_print.1");
		row_needs_test(TABLE, metrics[i].id, metrics[i].keyword);
	}
}

/* Counters are listed there as a whole. */
Test(metrics, those_to_begin_with_stand_in_the_manual_as_such)
{
	for (size_t i = 0; i < METRICS; i++)
		if (metrics[i].place && strcmp(metrics[i].place, "USUAL") == 0 &&
		    strcmp(metrics[i].kind, "COUNTERS") != 0)
			row_needs_between(TABLE, metrics[i].id, metrics[i].keyword,
			                  "\n.B default\n", "\n.SH", "xer_print.1");
}
