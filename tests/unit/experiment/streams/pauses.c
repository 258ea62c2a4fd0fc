/* Time that was not recorded: between a pause and the resumption after it, as CPU time and as
 * time. */
#include "experiment/streams/pauses.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS_MAX = 8, S = 1000 };

static struct exp_event events[EVENTS_MAX];
static struct exp_pair numbers[EVENTS_MAX];
static uint64_t ticks[EVENTS_MAX];
static char texts[EVENTS_MAX][24];

/* An experiment of events "p5000", "r7000", "x...": pause and resume with their CPU time, which is
 * their time too. */
static struct experiment experiment_of(const char *const *list)
{
	struct experiment experiment = {.event_ticks = ticks};
	size_t count = 0;

	for (; list[count]; count++) {
		const char *kind = list[count][0] == 'p'   ? "pause"
		                   : list[count][0] == 'r' ? "resume"
		                                           : "mark";

		snprintf(texts[count], sizeof(texts[count]), "%s", list[count] + 1);
		numbers[count] = (struct exp_pair){"cpu_ns", texts[count]};
		events[count] = (struct exp_event){
			.kind = kind, .attributes = &numbers[count], .attribute_count = 1};
		ticks[count] = strtoull(texts[count], NULL, 10);
	}
	experiment.info.events = events;
	experiment.info.event_count = count;
	return experiment;
}

Test(pauses, cpu_time_between_a_pause_and_its_resumption_is_paused)
{
	static const struct {
		const char *const list[EVENTS_MAX];
		uint64_t cpu_ns, paused_ns;
	} rows[] = {
		{{NULL}, 9 * S, 0},
		{{"p1000", "r3000"}, 9 * S, 2 * S},
		{{"p1000", "r3000", "p5000", "r5500"}, 9 * S, 2500},
		{{"p1000"}, 9 * S, 8 * S},
		{{"p1000", "r3000", "p8000"}, 9 * S, 3 * S},
		{{"p1000", "p2000", "r3000", "r4000"}, 9 * S, 2 * S},
		{{"r1000", "p2000", "r3000"}, 9 * S, 1 * S},
		{{"p1000", "x1500", "r3000"}, 9 * S, 2 * S},
		{{"p1000", "r30000"}, 9 * S, 8 * S},
		{{"p20000", "r30000"}, 9 * S, 0},
		{{"p20000"}, 9 * S, 0},
		{{"p3000", "r1000"}, 9 * S, 0},
		{{"pwhen", "p2000", "r3000"}, 9 * S, 1 * S},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct experiment experiment = experiment_of(rows[i].list);

		cr_expect_eq(experiment_paused_ns(&experiment, rows[i].cpu_ns), rows[i].paused_ns,
		             "row %zu: %lu", i, experiment_paused_ns(&experiment, rows[i].cpu_ns));
	}
}

Test(pauses, a_time_is_paused_from_the_pause_to_before_the_resumption)
{
	static const char *const list[] = {"p1000", "r3000", "x3500", "p5000",
	                                   "r6000", "p8000", NULL};
	static const struct {
		uint64_t ticks;
		int is_paused;
	} rows[] = {{0, 0},    {999, 0},  {1000, 1}, {2999, 1}, {3000, 0},          {4999, 0},
	            {5000, 1}, {5999, 1}, {6000, 0}, {8000, 1}, {UINT64_MAX - 1, 1}};
	struct experiment experiment = experiment_of(list);
	struct exp_pauses pauses;

	cr_assert_eq(exp_pauses_read(&experiment, &pauses), 0);
	cr_assert_eq(pauses.count, 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(exp_pauses_has(&pauses, rows[i].ticks), rows[i].is_paused, "%lu",
		             rows[i].ticks);
	exp_pauses_fini(&pauses);
	cr_expect_not(exp_pauses_has(&pauses, 1000));
}

Test(pauses, the_second_of_two_pauses_and_a_resumption_without_one_mean_nothing)
{
	static const char *const list[] = {"r500", "p1000", "p1500", "r3000", "r4000", NULL};
	struct experiment experiment = experiment_of(list);
	struct exp_pauses pauses;

	cr_assert_eq(exp_pauses_read(&experiment, &pauses), 0);
	cr_assert_eq(pauses.count, 1);
	cr_expect_eq(pauses.pauses[0].from, 1000);
	cr_expect_eq(pauses.pauses[0].to, 3000);
	exp_pauses_fini(&pauses);
}

Test(pauses, a_resumption_before_its_pause_ends_it_at_once)
{
	static const char *const list[] = {"p1000", "r900", "p800", "r2000", NULL};
	struct experiment experiment = experiment_of(list);
	struct exp_pauses pauses;

	cr_assert_eq(exp_pauses_read(&experiment, &pauses), 0);
	cr_assert_eq(pauses.count, 2);
	cr_expect_eq(pauses.pauses[0].to, 1000);
	cr_expect_eq(pauses.pauses[1].from, 1000);
	cr_expect_eq(pauses.pauses[1].to, 2000);
	cr_expect(exp_pauses_has(&pauses, 1500));
	cr_expect_not(exp_pauses_has(&pauses, 950));
	exp_pauses_fini(&pauses);
}

Test(pauses, usage_samples_get_the_names_of_their_numbers)
{
	static struct exp_pair attributes[][2] = {{{"number", "7"}, {"name", "seven"}},
	                                          {{"number", "2"}, {"name", "two"}},
	                                          {{"number", "9"}, {"name", "nobody"}},
	                                          {{"number", "x"}, {"name", "none"}}};
	struct exp_usage usage[] = {{.number = 7}, {.number = 1}, {.number = 2}};
	struct experiment experiment = {.info = {.events = events, .event_count = 5}};
	struct exp_load load = {.experiment = &experiment, .usage = usage, .usage_count = 3};

	for (size_t i = 0; i < 4; i++)
		events[i] = (struct exp_event){
			.kind = "sample", .attributes = attributes[i], .attribute_count = 2};
	events[4] = (struct exp_event){
		.kind = "pause",
		.attributes = (struct exp_pair[]){{"number", "1"}, {"name", "no sample"}},
		.attribute_count = 2};
	cr_assert_eq(exp_usage_name(&load), 0);
	cr_expect_str_eq(usage[0].label, "seven");
	cr_expect_null(usage[1].label);
	cr_expect_str_eq(usage[2].label, "two");
	exp_arena_fini(&load.arena);
}
