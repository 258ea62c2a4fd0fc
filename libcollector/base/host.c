/* host.c: requests of lower rooms to the recording as a whole. See host.h. */
#include "libcollector/base/host.h"

static void do_nothing(void)
{
}

static int make_nothing(void)
{
	return 0;
}

static void greet_nobody(const struct col_slot *slot)
{
	(void)slot;
}

static void stop_nothing(const char *why)
{
	(void)why;
}

static const struct col_host nobody = {
	.settle = do_nothing,
	.make_map = make_nothing,
	.greet = greet_nobody,
	.check_time = do_nothing,
	.stop_events = stop_nothing,
	.restart_events = do_nothing,
	.account = do_nothing,
	.terminate = do_nothing,
};
const struct col_host *col_host = &nobody;

void col_stop_events(const char *why)
{
	col_host->stop_events(why);
}
