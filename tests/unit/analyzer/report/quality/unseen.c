/* Tests of the warning that a process grew by more than heap events account for. */
#include "analyzer/report/quality/unseen.h"

#include "experiment/base/internal.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct experiment experiment; /* without settings */

enum { MIB = 1 << 20, KIB_OF_MIB = 1024 };

/* What is said where a process has grown from one size to another, and its blocks and mappings had
 * so much at their peaks, all in MiB; "" if nothing is. */
static const char *said(uint64_t first, uint64_t last, uint64_t blocks, uint64_t maps)
{
	static char text[256];
	const struct exp_usage usage[] = {{.maxrss_kib = first * KIB_OF_MIB},
	                                  {.maxrss_kib = 7777 * KIB_OF_MIB},
	                                  {.maxrss_kib = last * KIB_OF_MIB}};
	const struct exp_data_set set = {
		.have = EXP_DATA_HEAP,
		.usage = usage,
		.usage_count = 3,
		.heap = {.peak_bytes = blocks * MIB, .maps = {.peak_bytes = maps * MIB}}};
	const struct dataset_experiment at = {
		.experiment = (struct experiment *)&experiment, .whole = &set, .data = &set};

	text[0] = '\0';
	cr_expect_eq(unseen_growth(&at, text, sizeof(text)), text[0] != '\0');
	return text;
}

static void warns(uint64_t first, uint64_t last, uint64_t blocks, uint64_t maps,
                  const char *expected)
{
	cr_expect_eq(strncmp(said(first, last, blocks, maps), expected, strlen(expected)), 0, "%s",
	             said(first, last, blocks, maps));
}

/* By 64 MiB, and by four times as much as the heap had. */
Test(unseen, growth_is_worth_a_warning_from_a_size_and_a_share_on)
{
	warns(10, 74, 0, 0, "the process grew by 64 MiB, heap events account for 0 MiB: ");
	cr_expect_str_empty(said(10, 73, 0, 0));
	warns(10, 410, 100, 0, "the process grew by 400 MiB, heap events account for 100 MiB: ");
	warns(10, 410, 1, 100, "the process grew by 400 MiB, heap events account for 100 MiB: ");
	cr_expect_str_empty(said(10, 409, 100, 0));
	cr_expect_str_empty(said(10, 409, 0, 100));
	warns(10, 95, 21, 0, "the process grew by 85 MiB, heap events account for 21 MiB: ");
	cr_expect_str_empty(said(10, 94, 21, 0), "63 more than the heap");
}

Test(unseen, a_process_that_did_not_grow_has_none)
{
	cr_expect_str_empty(said(100, 100, 0, 0));
	cr_expect_str_empty(said(1000, 10, 0, 0));
	cr_expect_str_empty(said(0, 1000, 0, 0), "what it began with is unknown");
}

Test(unseen, without_samples_or_heap_events_nothing_is_known)
{
	const struct exp_usage usage[] = {{.maxrss_kib = 1024}, {.maxrss_kib = 1 << 20}};
	struct exp_data_set set = {.have = EXP_DATA_HEAP, .usage = usage, .usage_count = 2};
	const struct dataset_experiment at = {
		.experiment = (struct experiment *)&experiment, .whole = &set, .data = &set};
	char text[256];

	cr_expect(unseen_growth(&at, text, sizeof(text)));
	set.usage_count = 1;
	cr_expect_not(unseen_growth(&at, text, sizeof(text)));
	set.usage_count = 2;
	set.have = EXP_DATA_IO;
	cr_expect_not(unseen_growth(&at, text, sizeof(text)));
}
