/* hooks.c: tests of the options about user events: lists, groups, components, modes. */
#include "collect/groups.h"
#include "collect/options/hooks.h"
#include "tests/unit/collect/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[2 * HOOKS_TEXT + 2];

static const char *plan(const struct hooks *hooks)
{
	hooks_text(hooks, text);
	return text;
}

Test(hooks, all_are_recorded_without_a_plan)
{
	struct hooks hooks = {0};

	cr_assert(hooks_take(&hooks, "on") == 0);
	cr_assert_str_eq(plan(&hooks), "");
	cr_assert_eq(hooks_traces(&hooks), 1);
}

Test(hooks, a_list_selects)
{
	struct hooks hooks = {0};

	cr_assert(hooks_take(&hooks, "010,0ABC,020:1,0f0:FFff") == 0);
	cr_assert_str_eq(plan(&hooks), "0+0100,0+0abc,0+0200:0001,0+0f00:ffff");
	cr_assert(hooks_exclude(&hooks, "010:7") == 0);
	cr_assert_str_eq(plan(&hooks), "0+0100,0+0abc,0+0200:0001,0+0f00:ffff,0-0100:0007");
}

Test(hooks, what_is_excluded_comes_behind_all)
{
	struct hooks hooks = {0};

	cr_assert(hooks_exclude(&hooks, "010") == 0);
	cr_assert_str_eq(plan(&hooks), "*,0-0100");
}

Test(hooks, off_leaves_the_components)
{
	struct hooks hooks = {0};

	cr_assert(hooks_take(&hooks, "off") == 0);
	cr_assert_str_eq(plan(&hooks), "");
	cr_assert_eq(hooks_traces(&hooks), 0);
	cr_assert(hooks_component(&hooks, "net:030,031:2:mode=circular:size=2:off") == 0);
	cr_assert(hooks_component(&hooks, "disk:040") == 0);
	cr_assert_str_eq(plan(&hooks), "1+0300,1+0310:0002,2+0400");
	cr_assert_str_eq(hooks.names, "net,disk");
	cr_assert_str_eq(hooks.modes, "1:c:2097152");
	cr_assert_eq(hooks_traces(&hooks), 6);
	cr_assert_eq(hooks.off, 2);
}

Test(hooks, nonsense_is_refused)
{
	static const char *const lists[] = {"",     "01",   "01000",     "xyz",     "010,",
	                                    ",010", "010:", "010:12345", "010;020", "@",
	                                    "000",  "0000", "-010"};
	static const char *const components[] = {"",
	                                         "net",
	                                         "net:",
	                                         ":010",
	                                         "a b:010",
	                                         "net:010:mode=ring",
	                                         "net:010:mode=circular",
	                                         "net:010:size=1",
	                                         "net:010:mode=circular:size=0",
	                                         "net:010:mode=circular:size=x",
	                                         "net:zzz"};
	static const char *const modes[] = {"",           "ring",          "circular",
	                                    "single",     "alternate:1",   "circular:0",
	                                    "circular:x", "circular:0.01", "circular:99999999"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct hooks hooks = {0};

		cr_assert(hooks_take(&hooks, lists[i]) < 0, "'%s'", lists[i]);
		cr_assert(!hooks_is_list(lists[i]), "'%s'", lists[i]);
	}
	for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++) {
		struct hooks hooks = {0};

		cr_assert(hooks_component(&hooks, components[i]) < 0, "'%s'", components[i]);
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct hooks hooks = {0};

		cr_assert(hooks_mode(&hooks, modes[i]) < 0, "'%s'", modes[i]);
	}
}

Test(hooks, a_name_has_up_to_31_characters)
{
	struct hooks hooks = {.is_list = 0};

	cr_expect_eq(hooks_component(&hooks, "a23456789012345678901234567890_2:030"), -EINVAL);
	cr_expect_eq(hooks_component(&hooks, "a23456789012345678901234567890_:030"), 0);
	cr_expect_eq(hooks_component(&hooks, ":030"), -EINVAL);
	cr_expect_eq(hooks_component(&hooks, "b:030"), 0);
}

Test(hooks, recording_starts_on_or_off)
{
	struct hooks hooks = {.is_list = 0};

	cr_expect_eq(hooks_start(&hooks, "off"), 0);
	cr_expect_eq(hooks.off & 1, 1);
	cr_expect_eq(hooks_start(&hooks, "on"), 0);
	cr_expect_eq(hooks.off & 1, 0);
	cr_expect_eq(hooks_start(&hooks, "maybe"), -EINVAL);
	cr_expect_eq(hooks_start(&hooks, ""), -EINVAL);
}

Test(hooks, there_are_seven_components_of_different_names)
{
	struct hooks hooks = {0};
	char value[16];

	for (int i = 1; i <= 7; i++) {
		snprintf(value, sizeof(value), "c%d:%03x", i, i);
		cr_assert(hooks_component(&hooks, value) == 0);
	}
	cr_assert_eq(hooks_component(&hooks, "c8:008"), -E2BIG);
	hooks.count = 1;
	cr_assert_eq(hooks_component(&hooks, "c1:009"), -EEXIST);
}

Test(hooks, signals_by_name_and_number)
{
	struct hooks hooks = {0};

	cr_assert(hooks_signal(&hooks, "SIGUSR2") == 0 && hooks.signal == SIGUSR2);
	cr_assert(hooks_signal(&hooks, "USR1") == 0 && hooks.signal == SIGUSR1);
	cr_assert(hooks_signal(&hooks, "40") == 0 && hooks.signal == 40);
	cr_assert(hooks_signal(&hooks, "9") < 0 && hooks_signal(&hooks, "SEGV") < 0 &&
	          hooks_signal(&hooks, "99") < 0);
	cr_assert(hooks_signal(&hooks, "61") < 0, "the recorder's own");
}

/* If a list has only the name of a group, it is that group's list. */
Test(hooks, groups_are_defined_used_and_deleted, .init = scratch_enter, .fini = scratch_leave)
{
	struct hooks hooks = {0};
	struct cause cause;
	char cwd[256];

	cr_assert(getcwd(cwd, sizeof(cwd)) != NULL);
	setenv("XDG_CONFIG_HOME", cwd, 1);
	cr_assert_eq(hooks_take(&hooks, "@io"), -ENOENT);
	cr_assert(groups_define("io:010,020:3:reads and writes", &cause) == 0, "%s", cause.text);
	cr_assert(groups_define("all:@io,030", &cause) == 0);
	cr_assert(groups_define("loop:@loop", &cause) == 0);
	cr_assert(hooks_take(&hooks, "@all") == 0);
	cr_assert_str_eq(plan(&hooks), "0+0100,0+0200:0003,0+0300");
	cr_assert_eq(hooks_take(&hooks, "@loop"), -ELOOP);
	cr_assert(groups_define("io:040", &cause) == 0);
	cr_assert(hooks_take(&hooks, "@io") == 0);
	cr_assert_str_eq(plan(&hooks), "0+0400");
	cr_assert(groups_delete("io", &cause) == 0);
	cr_assert(groups_delete("io", &cause) != 0);
	cr_assert_eq(hooks_take(&hooks, "@io"), -ENOENT);
	cr_assert(groups_define("a b:010", &cause) != 0 && groups_define("x", &cause) != 0 &&
	          groups_define("x:zz", &cause) != 0);
}

/* Entries take 7 characters with their comma, those with a sub-id 12. */
Test(hooks, a_list_may_be_as_long_as_the_text_for_the_recorder)
{
	enum { LONG = 1, SHORT = (HOOKS_TEXT + 1 - 12 * LONG) / 7 };
	static char list[8 * HOOKS_TEXT];
	struct hooks hooks = {0};
	char *at = list;

	cr_assert_eq(7 * SHORT + 12 * LONG - 1, HOOKS_TEXT);
	for (int i = 0; i < LONG; i++)
		at += sprintf(at, "010:%d,", i);
	for (int i = 0; i < SHORT - 1; i++)
		at += sprintf(at, "020,");
	at[-1] = '\0';
	cr_expect_eq(hooks_take(&hooks, list), 0);
	sprintf(at - 1, ",020");
	hooks = (struct hooks){0};
	cr_expect_eq(hooks_take(&hooks, list), -E2BIG);
	cr_expect_eq(hooks.components[0], '\0', "nothing is written behind it");
}
