/* Usage samples, compared with the kernel's numbers for this process. */
#include "libcollector/profile/usage.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/source.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct col_thread *thread;
static const struct process_moment start = {
	.ticks = 100, .raw_ns = 200, .real_ns = 300, .mono_ns = 400};
static const struct descriptor_step nothing;

static void setup(void)
{
	scratch_open();
	thread = thread_current();
	usage_open(&start, &nothing);
}

TestSuite(usage, .init = setup, .fini = scratch_remove);

static struct fmt_usage records[8];

static int load(void)
{
	return scratch_records("overview", FMT_KIND_usage, records, sizeof(records[0]), 8);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static void spin(uint64_t ms)
{
	uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		continue;
}

Test(usage, a_sample_has_what_the_process_has_used)
{
	uint64_t before[3], after[3];
	struct rusage first, last;

	spin(30);
	atomic_store(&col.count.sampled_ns, 77);
	getrusage(RUSAGE_SELF, &first);
	before[0] = clock_ns(CLOCK_MONOTONIC_RAW);
	before[1] = clock_ns(CLOCK_REALTIME);
	before[2] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	cr_assert_eq(usage_sample(thread, COL_NORMAL, FMT_sample_reason_PERIODIC), 1);
	after[0] = clock_ns(CLOCK_MONOTONIC_RAW);
	after[1] = clock_ns(CLOCK_REALTIME);
	after[2] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	getrusage(RUSAGE_SELF, &last);
	cr_assert_eq(load(), 1);
	cr_assert_eq(records[0].reason, FMT_sample_reason_PERIODIC);
	cr_assert_eq(records[0].number, 1);
	cr_assert(records[0].raw_ns >= before[0] && records[0].raw_ns <= after[0]);
	cr_assert(records[0].real_ns >= before[1] && records[0].real_ns <= after[1]);
	cr_assert(records[0].cpu_ns + 2000 >= before[2] && records[0].cpu_ns <= after[2],
	          "in microseconds, of two parts");
	cr_assert(records[0].user_ns >= ns_of(first.ru_utime) &&
	          records[0].user_ns <= ns_of(last.ru_utime));
	cr_assert(records[0].system_ns >= ns_of(first.ru_stime) &&
	          records[0].system_ns <= ns_of(last.ru_stime));
	cr_assert(records[0].minflt >= (uint64_t)first.ru_minflt &&
	          records[0].minflt <= (uint64_t)last.ru_minflt);
	cr_assert(records[0].majflt >= (uint64_t)first.ru_majflt &&
	          records[0].majflt <= (uint64_t)last.ru_majflt);
	cr_assert(records[0].nvcsw >= (uint64_t)first.ru_nvcsw &&
	          records[0].nvcsw <= (uint64_t)last.ru_nvcsw);
	cr_assert(records[0].nivcsw >= (uint64_t)first.ru_nivcsw &&
	          records[0].nivcsw <= (uint64_t)last.ru_nivcsw);
	cr_assert(records[0].maxrss_kib >= (uint64_t)first.ru_maxrss &&
	          records[0].maxrss_kib <= (uint64_t)last.ru_maxrss);
	cr_assert_eq(records[0].threads, 1);
	cr_assert_eq(records[0].sampled_ns, 77);
	cr_assert_eq(usage_sample(thread, COL_HANDLER, FMT_sample_reason_END), 2);
	cr_assert_eq(load(), 2);
}

/* What an earlier image used is in that image's records. */
Test(usage, what_was_used_before_is_not_counted_again)
{
	struct descriptor_step step = nothing;
	struct rusage before;

	spin(60);
	usage_tell(&step);
	getrusage(RUSAGE_SELF, &before);
	cr_assert_geq(step.process_ns, 60000000);
	cr_assert_leq(step.user_ns, ns_of(before.ru_utime));
	usage_open(&start, &step);
	cr_assert_lt(usage_cpu_ns(), 30000000);
	usage_sample(thread, COL_NORMAL, FMT_sample_reason_PERIODIC);
	cr_assert_eq(load(), 1);
	cr_assert_lt(records[0].cpu_ns, 30000000);
	cr_assert_lt(records[0].user_ns + records[0].system_ns, 40000000);
	cr_assert_lt(records[0].minflt, 500);
	cr_assert_leq(records[0].minflt, (uint64_t)before.ru_minflt);
	usage_restart(&start);
	cr_assert_geq(usage_cpu_ns(), 60000000);
	cr_assert_eq(usage_sample(thread, COL_NORMAL, FMT_sample_reason_PERIODIC), 1, "again");
	cr_assert_eq(load(), 2);
	cr_assert_geq(records[1].cpu_ns, 60000000);
}

Test(usage, a_descendant_begins_with_nothing)
{
	usage_sample_start(thread, COL_NORMAL);
	cr_assert_eq(load(), 1);
	cr_assert_eq(records[0].reason, FMT_sample_reason_START);
	cr_assert_eq(records[0].number, 1);
	cr_assert_eq(records[0].raw_ns, 200);
	cr_assert_eq(records[0].real_ns, 300);
	cr_assert(records[0].cpu_ns == 0 && records[0].user_ns == 0 && records[0].minflt == 0);
	cr_assert_eq(records[0].threads, 1);
	cr_assert_eq(usage_start()->ticks, 100);
	cr_assert_eq(usage_start()->mono_ns, 400);
}

Test(usage, samples_come_when_their_period_is_over)
{
	col.descriptor.sample_ms = 0;
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 0);
	col.descriptor.sample_ms = 20;
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 0, "the start has its own");
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 0);
	usleep(25000);
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 1);
	cr_assert_eq(load(), 1);
	cr_assert_eq(records[0].reason, FMT_sample_reason_PERIODIC);
	col.descriptor.sample_ms = 1000000;
	usleep(25000);
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 1);
	usleep(25000);
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 0);
	cr_assert_eq(load(), 2);
}

static uint64_t attribute(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	cr_assert_not_null(at, "%s in %s", name, text);
	return strtoull(at + strlen(name), NULL, 10);
}

Test(usage, a_process_without_a_file_tells_it_in_an_element)
{
	char buffer[1000];
	struct xml_text text = XML_TEXT(buffer);
	uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	usage_put(&text);
	cr_assert_eq(strncmp(buffer, " <usage time=\"", 14), 0);
	cr_assert_str_eq(buffer + text.len - 4, "\"/>\n");
	cr_assert_geq(attribute(buffer, " cpu_ns=\""), before);
	cr_assert_leq(attribute(buffer, " cpu_ns=\""), clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	cr_assert_gt(attribute(buffer, " maxrss_kib=\""), 0);
	cr_assert_gt(attribute(buffer, " minflt=\""), 0);
	cr_assert_leq(attribute(buffer, " user_ns=\"") + attribute(buffer, " system_ns=\""),
	              clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 20000000);
}

/* ---- a process that sleeps */

enum { MANY = 1100 };
static struct fmt_usage many[MANY];

static int load_many(void)
{
	return scratch_records("overview", FMT_KIND_usage, many, sizeof(many[0]), MANY);
}

/* The process began `ago_ms` before now, with samples each ms_period, and has slept since. */
static void sleep_for(uint64_t ago_ms, uint64_t ms_period)
{
	struct process_moment then = process_moment_now();
	uint64_t ago_ns = ago_ms * 1000000;

	then.mono_ns -= ago_ns;
	then.raw_ns -= ago_ns;
	then.real_ns -= ago_ns;
	then.ticks -= 2 * ago_ns;
	col.descriptor.sample_ms = ms_period;
	usage_restart(&then);
}

Test(usage, samples_that_were_due_in_a_sleep_are_taken_at_its_end)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	int count;

	sleep_for(5500, 1000);
	cr_assert_eq(usage_sample(thread, COL_NORMAL, FMT_sample_reason_END), 6);
	count = load_many();
	cr_assert_eq(count, 6);
	for (int i = 0; i < 5; i++) {
		uint64_t due_ns = now_ns - UINT64_C(4500000000) + (uint64_t)i * 1000000000;

		cr_expect_eq(many[i].reason, FMT_sample_reason_PERIODIC);
		cr_expect_eq(many[i].number, (uint32_t)i + 1);
		cr_expect(many[i].raw_ns - due_ns < 400000000, "sample %d", i);
		cr_expect_eq(many[i].raw_ns - many[0].raw_ns, (uint64_t)i * 1000000000);
		cr_expect_eq(many[i].real_ns - many[0].real_ns, (uint64_t)i * 1000000000);
		cr_expect_eq(many[i].cpu_ns, many[0].cpu_ns);
	}
	cr_expect_eq(many[5].reason, FMT_sample_reason_END);
	cr_expect(many[5].cpu_ns >= many[0].cpu_ns && many[5].maxrss_kib >= many[0].maxrss_kib);
	cr_expect_eq(usage_sample(thread, COL_NORMAL, FMT_sample_reason_MANUAL), 7, "once");
}

Test(usage, or_when_the_next_one_is_due)
{
	sleep_for(3500, 1000);
	cr_assert_eq(usage_sample_if_due(thread, COL_NORMAL), 1);
	cr_assert_eq(load_many(), 3);
	cr_expect_eq(many[1].raw_ns - many[0].raw_ns, 1000000000);
	cr_expect(many[2].raw_ns - many[1].raw_ns >= 1500000000 - 100000000, "that of now");
	cr_expect_eq(usage_sample_if_due(thread, COL_NORMAL), 0);
}

Test(usage, a_long_sleep_has_a_limited_number)
{
	int count;

	sleep_for(25050, 10);
	usage_sample(thread, COL_NORMAL, FMT_sample_reason_END);
	count = load_many();
	cr_assert(count > 800 && count <= 1001, "%d", count);
	cr_expect_eq(many[1].raw_ns - many[0].raw_ns, 30000000, "every third");
}

Test(usage, without_a_period_there_are_none)
{
	sleep_for(5000, 0);
	cr_expect_eq(usage_sample(thread, COL_NORMAL, FMT_sample_reason_END), 1);
	cr_expect_not(usage_is_behind());
}

Test(usage, only_samples_more_often_than_usual_are_worth_a_file)
{
	sleep_for(5000, 1000);
	cr_expect_not(usage_is_behind());
	sleep_for(5000, 999);
	cr_expect(usage_is_behind());
	sleep_for(0, 999);
	cr_expect_not(usage_is_behind(), "none was due");
}
