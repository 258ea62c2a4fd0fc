/* What the maker of a child notes. */
#include "libcollector/process/child.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void setup(void)
{
	scratch_open();
	col.is_recorded = col.is_followed = 1;
}

TestSuite(child, .init = setup, .fini = scratch_remove);

static int log_has(const char *what)
{
	size_t len;
	char *text = scratch_read("log.xml", &len);
	int found = text && strstr(text, what) != NULL;

	free(text);
	return found;
}

Test(child, a_child_is_noted_with_its_number)
{
	child_log("fork", 4711, 12);
	cr_assert(log_has("kind=\"fork\""));
	cr_assert(log_has(" pid=\"4711\" lineage=\"_f12\""));
}

Test(child, one_that_nobody_follows_is_not_noted)
{
	col.is_followed = 0;
	child_log("fork", 4711, 12);
	cr_assert_not(log_has("4711"));
	col.is_followed = 1;
	atomic_store(&col.switches->recording, 0);
	child_log("fork", 4711, 12);
	cr_assert_not(log_has("4711"), "nor while nothing is recorded");
}

Test(child, one_that_shares_our_memory_is_not_recorded)
{
	child_log_sharer(4712);
	cr_assert(log_has("kind=\"unrecorded\""));
	cr_assert(log_has(" pid=\"4712\""));
	cr_assert(log_has("shares its parent's memory"));
}

Test(child, who_is_quiet_says_so)
{
	cr_assert_not(child_is_quiet());
	child_be_quiet();
	cr_assert(child_is_quiet());
}
