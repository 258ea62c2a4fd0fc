/* The kernel's functions in an experiment: lines that are right, and any others. */
#include "experiment/base/addressmap.h"

#include "experiment/base/internal.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct experiment experiment;

static int take(const char *text)
{
	return exp_kernel_take(&experiment, text, strlen(text));
}

static void done(void)
{
	free(experiment.kernel);
	exp_arena_fini(&experiment.arena);
	experiment = (struct experiment){0};
}

TestSuite(kernelmap, .fini = done);

static const char *name_at(uint64_t pc)
{
	const struct exp_kernel_function *found = exp_kernel_at(&experiment, pc);

	return found ? found->name : "";
}

Test(kernelmap, functions_of_several_files_are_one_table)
{
	cr_assert_eq(take("ffffffff81000200 ffffffff81000300 vfs_read\n"
	                  "ffffffffc0000000 ffffffffc0000010 read_it module\n"),
	             0);
	cr_assert_eq(take("ffffffff81000100 ffffffff81000200 ksys_read\n"), 0);
	cr_assert_eq(exp_kernel_finish(&experiment), 0);
	cr_expect_str_eq(name_at(0xffffffff81000100), "ksys_read");
	cr_expect_str_eq(name_at(0xffffffff810001ff), "ksys_read");
	cr_expect_str_eq(name_at(0xffffffff81000200), "vfs_read");
	cr_expect_str_eq(name_at(0xffffffffc0000001), "read_it [module]");
	cr_expect_str_eq(name_at(0xffffffff81000300), "", "behind the last one");
	cr_expect_str_eq(name_at(0xffffffff810000ff), "", "before the first one");
	cr_expect_str_eq(name_at(0), "");
}

Test(kernelmap, a_kernel_without_functions_is_there)
{
	cr_assert(!experiment.kernel);
	cr_assert_eq(take(""), 0);
	cr_assert_eq(exp_kernel_finish(&experiment), 0);
	cr_assert(experiment.kernel != NULL);
	cr_expect_str_eq(name_at(0xffffffff81000000), "");
}

Test(kernelmap, a_line_that_was_cut_is_left_out)
{
	cr_assert_eq(take("ffffffff81000100 ffffffff81000200 whole\nffffffff81000200 ffffffff8100"),
	             0);
	cr_expect_eq(experiment.kernel_count, 1);
}

Test(kernelmap, what_says_no_function_is_left_out)
{
	static const char *const wrong[] = {
		"\n",
		"vfs_read\n",
		"ffffffff81000100\n",
		"ffffffff81000100 ffffffff81000200\n",
		"ffffffff81000100 ffffffff81000200 \n",
		"ffffffff81000100 ffffffff81000200 name \n",
		"ffffffff81000100 ffffffff81000200 name module more\n",
		"ffffffff81000100 ffffffff81000200  module\n",
		" ffffffff81000200 name\n",
		"ffffffff81000200 ffffffff81000100 backwards\n",
		"ffffffff81000200 ffffffff81000200 empty\n",
		"401000 402000 user\n",
		"1ffffffff81000100 ffffffff81000200 long\n",
		"FFFFFFFF81000100 ffffffff81000200 capital\n",
		"-1 ffffffff81000200 sign\n",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_eq(take(wrong[i]), -EBADMSG, "%s", wrong[i]);
	cr_expect_eq(exp_kernel_take(&experiment, "ff00000000000000 ff00000000000001 a\0b\n", 38),
	             -EBADMSG);
	cr_expect_eq(experiment.kernel_count, 0);
	cr_expect_eq(take("x\nffffffff81000100 ffffffff81000200 right\ny\n"), -EBADMSG);
	cr_expect_eq(experiment.kernel_count, 1, "the lines around are no harm");
}

Test(kernelmap, a_name_has_a_limit)
{
	char text[1024];

	snprintf(text, sizeof(text), "ffffffff81000100 ffffffff81000200 %0700d\n", 0);
	cr_expect_eq(take(text), -EBADMSG);
	snprintf(text, sizeof(text), "ffffffff81000100 ffffffff81000200 %0500d\n", 0);
	cr_expect_eq(take(text), 0);
}
