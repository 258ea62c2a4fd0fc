/* By which signal a process was killed is in the log of who waited for it. */
#include "analyzer/data/killed.h"

#include <criterion/criterion.h>

enum { SECOND_NS = 1000000000 };

static const struct exp_pair segv[] = {{"pid", "12"}, {"signal", "11"}, {"core", "1"}};
static const struct exp_pair term[] = {{"pid", "12"}, {"signal", "15"}};
static const struct exp_pair other[] = {{"pid", "13"}, {"signal", "9"}};
static const struct exp_event events[] = {
	{"killed", 9, term, 2},
	{"fork", 1, segv, 3},
	{"killed", 3, segv, 3},
	{"killed", 4, other, 2},
};

static struct exp_info process(int64_t pid, int64_t start_s, enum exp_status status)
{
	return (struct exp_info){
		.pid = pid, .start_real_ns = start_s * SECOND_NS, .status = status};
}

/* A parent, whose events are above, and children. */
Test(killed, the_signal_is_that_of_the_end_after_its_start)
{
	struct exp_info parent = process(1, 100, EXP_ENDED), first = process(12, 102, EXP_DIED),
			second = process(12, 104, EXP_DIED), ended = process(13, 101, EXP_ENDED),
			unknown = process(14, 101, EXP_DIED), later = process(12, 110, EXP_DIED);
	struct dataset_experiment experiments[] = {{.info = &later, .killed_by = 7},
	                                           {.info = &parent},
	                                           {.info = &first},
	                                           {.info = &second},
	                                           {.info = &ended},
	                                           {.info = &unknown}};
	struct dataset dataset = {.experiments = experiments, .count = 6};

	parent.events = events;
	parent.event_count = sizeof(events) / sizeof(events[0]);
	killed_find(&dataset, 1);
	cr_expect_eq(experiments[0].killed_by, 7, "it is before the first one");
	cr_expect_eq(experiments[1].killed_by, 0);
	cr_expect_eq(experiments[2].killed_by, 11);
	cr_expect_eq(experiments[2].has_core, 1);
	cr_expect_eq(experiments[3].killed_by, 15, "its number was used again");
	cr_expect_eq(experiments[3].has_core, 0);
	cr_expect_eq(experiments[4].killed_by, 0, "it has said how it ended");
	cr_expect_eq(experiments[5].killed_by, 0);
	killed_find(&dataset, 0);
	cr_expect_eq(experiments[0].killed_by, 0, "its parent waited for another one before");
}

Test(killed, nothing_is_known_of_nothing)
{
	struct dataset none = {.count = 0};

	killed_find(&none, 0);
}
