/* Names and intervals of counters. */
#include "collect/machine/counters.h"
#include "sampler/ring.h"
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct counters counters;

static int reads(const char *text)
{
	counters = (struct counters){.count = 0};
	return counters_read(&counters, text);
}

Test(counters, names_stand_for_the_kernels_numbers)
{
	cr_assert_eq(reads("page-faults,cs,INSTS,L1-dcache-load-misses"), 0);
	cr_assert_eq(counters.count, 4);
	cr_assert_eq(counters.counter[0].type, PERF_TYPE_SOFTWARE);
	cr_assert_eq(counters.counter[0].config, PERF_COUNT_SW_PAGE_FAULTS);
	cr_assert_str_eq(counters.counter[1].name, "context-switches");
	cr_assert(counters.counter[1].is_kernels);
	cr_assert_str_eq(counters.counter[2].name, "instructions");
	cr_assert_eq(counters.counter[2].type, PERF_TYPE_HARDWARE);
	cr_assert_eq(counters.counter[3].type, PERF_TYPE_HW_CACHE);
	cr_assert_eq(counters.counter[3].config,
	             PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
}

Test(counters, an_interval_stands_behind_its_event)
{
	cr_assert_eq(
		reads("page-faults,lo,minor-faults,hi,major-faults,on,cycles,1234,instructions"),
		0);
	cr_assert_eq(counters.counter[0].period, 100);
	cr_assert_eq(counters.counter[1].period, 1);
	cr_assert_eq(counters.counter[2].period, 1);
	cr_assert_eq(counters.counter[3].period, 1234);
	cr_assert_eq(counters.counter[4].period, 10000019);
}

Test(counters, several_options_add_up)
{
	cr_assert_eq(reads("page-faults"), 0);
	cr_assert_eq(counters_read(&counters, "cycles,5"), 0);
	cr_assert_eq(counters.count, 2);
	cr_assert_eq(counters.counter[1].period, 5);
}

Test(counters, a_set_is_what_tells_most_of_this_machine)
{
	uint64_t usual;

	cr_assert_eq(reads("auto"), 0);
	cr_assert_eq(counters.count, 3);
	cr_expect(strcmp(counters.counter[0].name, "cycles") == 0 ||
	          strcmp(counters.counter[0].name, "page-faults") == 0);
	usual = counters.counter[0].period;
	cr_assert_eq(reads("lo"), 0);
	cr_expect_eq(counters.counter[0].period, 10 * usual);
	cr_assert_eq(reads("hi"), 0);
	cr_expect_eq(counters.counter[0].period, (usual + 9) / 10);
	cr_assert_eq(reads("branches"), 0);
	cr_assert_eq(counters_read(&counters, "on"), 0);
	cr_expect_eq(counters.count, 4);
	cr_expect_str_eq(counters.counter[0].name, "branches");
	cr_expect_neq(reads("auto,5"), 0);
}

Test(counters, nonsense_is_refused)
{
	static const char *const wrong[] = {"",
	                                    "5",
	                                    "page-faults,0",
	                                    "page-faults,5,6",
	                                    "page-faults,5x",
	                                    "page-faults,99999999999999999999",
	                                    "page-faults,",
	                                    ",page-faults",
	                                    "page-faults,faults",
	                                    "cs,page-faults,faults",
	                                    "no such",
	                                    "a\"b",
	                                    "page-faults,on,on"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_assert_eq(reads(wrong[i]), -EINVAL, "%s", wrong[i]);
	cr_assert_eq(reads("unheard-of"), -EINVAL);
	cr_assert_str_eq(counters.unknown, "unheard-of");
	cr_assert_eq(
		reads("page-faults,minor-faults,major-faults,cs,migrations,alignment-faults,emulation-faults,cycles,insts"),
		-E2BIG);
}

Test(counters, settings_say_them_again)
{
	char text[COUNTERS_TEXT];

	reads("page-faults,1,cs");
	counters_text(&counters, text);
	cr_assert_str_eq(text, "page-faults,1 context-switches,10");
	reads("cycles");
	counters.count = 0;
	counters_text(&counters, text);
	cr_assert_str_eq(text, "");
}

/* Whether this machine allows counting it. */
static int is_countable(const struct counter *counter)
{
	struct ring_settings settings = {.period_ns = counter->period,
	                                 .is_counter = 1,
	                                 .type = counter->type,
	                                 .config = counter->config,
	                                 .in_kernel = ring_may_kernel(),
	                                 .inherit = 1};
	int fd = ring_event_open(0, -1, &settings);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && (!counter->is_kernels || settings.in_kernel);
}

Test(counters, what_cannot_be_counted_is_left_out_and_told)
{
	struct counter wanted[4];
	struct capture messages;
	unsigned kept = 0;
	char *said;

	cr_assert_eq(reads("page-faults,cs,minor-faults,cpu-migrations"), 0);
	counters.counter[2].type = 1000; /* no machine has such events */
	memcpy(wanted, counters.counter, sizeof(wanted));
	capture_begin(&messages, stderr);
	counters_try(&counters);
	said = capture_end(&messages);
	for (unsigned i = 0; i < 4; i++) {
		char start[512];

		snprintf(start, sizeof(start),
		         "xcollect: warning: -h %s is not recorded: ", wanted[i].name);
		cr_expect_eq(strstr(said, start) != NULL, !is_countable(&wanted[i]), "%s%s", start,
		             said);
		if (!is_countable(&wanted[i]))
			continue;
		cr_assert_lt(kept, counters.count);
		cr_expect_str_eq(counters.counter[kept].name, wanted[i].name);
		cr_expect_eq(counters.counter[kept].status, 0);
		kept++;
	}
	cr_expect_eq(counters.count, kept);
	cr_expect_not(is_countable(&wanted[2]));
	free(said);
}

Test(counters, the_list_has_first_what_works_here)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *other, *at;

	counters_list(out);
	fclose(out);
	other = strstr(text, "\nNot here:\n");
	at = strstr(text, "\n  page-faults ");
	cr_assert(other && at, "%s", text);
	reads("page-faults");
	counters.counter[0].period = 100;
	cr_expect_eq(at < other, is_countable(&counters.counter[0]));
	cr_expect_null(strstr(at + 1, "\n  page-faults "), "it is there once");
	cr_expect(strstr(text, "\n  cycles ") && strstr(text, "\n  context-switches ") &&
	          strstr(text, "\n  L1-dcache-loads "));
	if (at < other)
		cr_expect(strstr(at, "; also called faults\n") != NULL);
	free(text);
}
