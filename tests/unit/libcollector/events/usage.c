/* Usage samples, compared with the kernel's numbers for this process. */
#include "libcollector/events/usage.h"
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
