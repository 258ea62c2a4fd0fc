/* Tests of waits of wall-clock time as events. */
#include "analyzer/report/wallwait.h"

#include "format/record.h"

#include <criterion/criterion.h>

static struct exp_fact fact_of(unsigned family, unsigned func)
{
	return (struct exp_fact){.data = EXP_DATA_WALL,
	                         .type = func | family << 8,
	                         .state = FMT_wall_state_LOCK,
	                         .waits = 1};
}

Test(wallwait, names)
{
	struct exp_fact fact = fact_of(FMT_wait_family_SYNC, FMT_sync_func_MUTEX_LOCK);

	cr_expect_str_eq(wall_wait_name(&fact), "pthread_mutex_lock");
	fact = fact_of(FMT_wait_family_CALL, FMT_wait_func_USLEEP);
	cr_expect_str_eq(wall_wait_name(&fact), "usleep");
	fact = fact_of(77, 1);
	cr_expect_str_eq(wall_wait_name(&fact), "unknown function");
}

Test(wallwait, one_wait_is_an_event_unless_other_data_tells_of_it)
{
	struct exp_data_set set = {.have = EXP_DATA_WALL};
	struct exp_fact lock = fact_of(FMT_wait_family_SYNC, FMT_sync_func_MUTEX_LOCK),
			call = fact_of(FMT_wait_family_CALL, FMT_wait_func_USLEEP),
			input = fact_of(FMT_wait_family_IO, FMT_io_func_READ);

	cr_expect(wall_wait_is_event(&set, &lock));
	cr_expect(wall_wait_is_event(&set, &input));
	cr_expect(wall_wait_is_io(&input) && !wall_wait_is_io(&lock));
	set.have |= EXP_DATA_SYNC | EXP_DATA_IO;
	cr_expect(!wall_wait_is_event(&set, &lock));
	cr_expect(!wall_wait_is_event(&set, &input));
	cr_expect(wall_wait_is_event(&set, &call));
}

Test(wallwait, time_between_waits_and_sums_of_short_ones_are_none)
{
	struct exp_data_set set = {.have = EXP_DATA_WALL};
	struct exp_fact fact = fact_of(FMT_wait_family_CALL, FMT_wait_func_USLEEP);

	fact.waits = 0;
	cr_expect(!wall_wait_is_event(&set, &fact));
	fact.waits = 2;
	cr_expect(!wall_wait_is_event(&set, &fact));
}
