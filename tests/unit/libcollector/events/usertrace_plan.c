/* Plans of user events: which traces hooks go to, and how traces keep them. */
#include "libcollector/events/usertrace_plan.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/write/stream.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(usertrace_plan, .init = scratch_open, .fini = scratch_remove);

static void plan(const char *hooks)
{
	strcpy(col.descriptor.user_hooks, hooks);
	plan_open();
}

/* For a hook id and a sub-id. */
static int route(unsigned hook, unsigned subhook)
{
	return plan_route(hook << 16 | subhook);
}

Test(usertrace_plan, without_a_plan_all_goes_to_the_system_trace)
{
	plan("");
	cr_assert_null(plan_routes);
	cr_assert_eq(route(0, 0), PLAN_SYSTEM);
	cr_assert_eq(route(0xffff, 0xffff), PLAN_SYSTEM);
}

Test(usertrace_plan, hooks_that_nobody_names_go_nowhere)
{
	plan("1+00ff");
	cr_assert_eq(route(0xff, 0), 1);
	cr_assert_eq(route(0xff, 0xffff), 1);
	cr_assert_eq(route(0xfe, 0), PLAN_NOWHERE);
	cr_assert_eq(route(0x100, 0), PLAN_NOWHERE);
	cr_assert_eq(route(0, 0), PLAN_NOWHERE);
	cr_assert_eq(route(0xffff, 0), PLAN_NOWHERE);
}

Test(usertrace_plan, later_entries_change_what_earlier_ones_said)
{
	plan("0+0001,*,7+aBcD,2+0001,3-0001:0005,4+0002:0006,5+0002,6+ffff,6-fffe");
	cr_assert_eq(route(0xabcd, 1), 7);
	cr_assert_eq(route(1, 4), 2);
	cr_assert_eq(route(1, 5), PLAN_NOWHERE);
	cr_assert_eq(route(2, 6), 5, "the whole hook");
	cr_assert_eq(route(2, 7), 5);
	cr_assert_eq(route(0xffff, 0), 6);
	cr_assert_eq(route(0xfffe, 0), PLAN_NOWHERE);
	cr_assert_eq(route(3, 0), 0);
	cr_assert_eq(route(0, 0), 0);
}

Test(usertrace_plan, the_last_rule_of_a_sub_id_holds)
{
	plan("1+0001:0005,2+0001:0005,3+0001:0006,4+0002:0005,5-0002:ffff,*,6+0003:0005");
	cr_assert_eq(route(1, 5), PLAN_SYSTEM, "all hooks go there now");
	cr_assert_eq(route(3, 5), 6);
	cr_assert_eq(route(3, 6), PLAN_SYSTEM);
	plan_forget();
	cr_assert_eq(route(3, 5), PLAN_SYSTEM, "there is no plan");
	plan("1+0001:0005,2+0001:0005,3+0001:0006,4+0002:0005,5-0002:ffff");
	cr_assert_eq(route(1, 5), 2);
	cr_assert_eq(route(1, 6), 3);
	cr_assert_eq(route(1, 7), PLAN_NOWHERE);
	cr_assert_eq(route(2, 5), 4);
	cr_assert_eq(route(2, 0xffff), PLAN_NOWHERE);
}

/* There is room for 1024. */
Test(usertrace_plan, more_rules_than_have_room_are_left_out)
{
	char *at = col.descriptor.user_hooks;
	size_t room = sizeof(col.descriptor.user_hooks);
	int count = 0;

	while ((size_t)(at - col.descriptor.user_hooks) + 16 < room && count < 1030)
		at += sprintf(at, "1+0001:%x,", count++);
	plan_open();
	for (int i = 0; i < count; i++)
		cr_assert_eq(route(1, (unsigned)i), i < 1024 ? 1 : PLAN_NOWHERE, "%d", i);
}

Test(usertrace_plan, components_are_known_by_their_names)
{
	strcpy(col.descriptor.user_names, "net,disk,,a");
	cr_assert_eq(plan_component("net"), 1);
	cr_assert_eq(plan_component("disk"), 2);
	cr_assert_eq(plan_component("a"), 4);
	cr_assert_eq(plan_component("ne"), PLAN_NOWHERE);
	cr_assert_eq(plan_component("nets"), PLAN_NOWHERE);
	cr_assert_eq(plan_component("b"), PLAN_NOWHERE);
	strcpy(col.descriptor.user_names, "1,2,3,4,5,6,7,8");
	cr_assert_eq(plan_component("7"), 7);
	cr_assert_eq(plan_component("8"), PLAN_NOWHERE, "there are seven");
	strcpy(col.descriptor.user_names, "");
	cr_assert_eq(plan_component("net"), PLAN_NOWHERE);
}

/* The size of the file after a trace has had many events. */
static size_t fill(enum fmt_stream stream, const char *name)
{
	struct col_slot slot = {.at = NULL};
	struct fmt_clock record = {.kind = FMT_KIND_clock};
	size_t len = 0;

	for (int i = 0; i < 30000; i++) {
		col_slot_write(&slot, stream, 1, &record, sizeof(record), 1);
		if (slot.part)
			slot.part->events++;
	}
	free(scratch_read(name, &len));
	return len;
}

Test(usertrace_plan, traces_are_kept_to_their_sizes)
{
	strcpy(col.descriptor.user_modes, "0:c:65536,1:l:131072,2:p,3:c:4096,4");
	plan("");
	cr_assert_eq(fill(FMT_STREAM_USERTRACE, "usertrace"), 4096 + 65536, "a ring");
	cr_assert_leq(fill(FMT_STREAM_USERTRACE1, "usertrace1"), 131072, "it ends");
	cr_assert_gt(fill(FMT_STREAM_USERTRACE2, "usertrace2"), 1000000);
	cr_assert_eq(scratch_count("log.xml", "a trace of user events cannot be kept to its size"),
	             1, "the third is too small for a ring");
}
