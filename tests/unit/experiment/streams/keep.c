/* What is kept, while others drop some of it. */
#include "experiment/streams/keep.h"
#include "format/keep.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

static struct maker maker;
static struct experiment *experiment;
static struct fmt_keep head;

/* The process has ended; the file is that of a tree. */
static void set_up(void)
{
	maker_create(&maker);
	maker_log(&maker, "<setting name=\"keep_bytes\" value=\"1048576\"/>"
	                  "<event kind=\"exit\" time=\"3000000000\" code=\"0\" cpu_ns=\"777\"/>");
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(keep, .init = set_up, .fini = tear_down);

static void put_head(void)
{
	maker_put(&maker, FMT_FILE_ACCOUNT, &head, sizeof(head));
}

static void open_it(void)
{
	struct exp_cause cause;

	put_head();
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment->info.status, EXP_ENDED);
}

Test(keep, what_others_drop_of_an_ended_process_is_noticed)
{
	head.from = 1000;
	open_it();
	cr_assert_eq(experiment->kept_from, 1000);
	cr_assert_not(exp_keep_has_moved(experiment, 9000));
	head.from = 3000;
	put_head();
	cr_assert(exp_keep_has_moved(experiment, 9000));
	cr_assert_eq(experiment->kept_from, 5000, "as much again");
	cr_assert_not(exp_keep_has_moved(experiment, 9000));
}

Test(keep, the_next_try_begins_before_the_last_event)
{
	head.from = 1000;
	open_it();
	head.from = 8000;
	put_head();
	cr_assert(exp_keep_has_moved(experiment, 9000));
	cr_assert_eq(experiment->kept_from, 8500);
	head.from = 9500;
	put_head();
	cr_assert(exp_keep_has_moved(experiment, 9000));
	cr_assert_eq(experiment->kept_from, 9500);
}

Test(keep, the_first_that_is_dropped_is_no_measure)
{
	open_it();
	cr_assert_eq(experiment->kept_from, 0);
	head.from = 2000;
	put_head();
	cr_assert(exp_keep_has_moved(experiment, 9000));
	cr_assert_eq(experiment->kept_from, 2000);
}

Test(keep, extents_that_are_used_again_are_noticed_too)
{
	head.from = 1000;
	open_it();
	cr_assert_not(exp_keep_is_moving(experiment));
	head.next = 1;
	put_head();
	cr_assert_not(exp_keep_has_moved(experiment, 9000));
	cr_assert(exp_keep_is_moving(experiment));
}

Test(keep, before_anything_is_dropped_nothing_moves)
{
	open_it();
	head.next = 1;
	put_head();
	cr_assert_not(exp_keep_is_moving(experiment));
}
