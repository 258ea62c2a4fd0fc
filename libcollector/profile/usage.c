/* usage.c: write usage records. See usage.h. */
#include "libcollector/profile/usage.h"

#include "libcollector/base/source.h"
#include "libcollector/write/log.h"

enum {
	REST_SHARE = 200, /* of the time, that periodic samples may take */
	USUAL_MS = 1000,  /* the period if -S does not say another one */
	MISSED_MAX = 1000 /* samples of one sleep: a longer one has fewer than were due */
};

static atomic_uint number;
static atomic_uint_fast64_t next_ns; /* CLOCK_MONOTONIC of the next periodic sample */

/* For so many ticks after that event time no periodic sample is due: to read it costs no system
 * call. It may go back, when a virtual machine is restored: that is long after. */
static atomic_uint_fast64_t looked, look_after;

/* What the process had used when this image began and an earlier one had recorded it. */
static struct {
	uint64_t cpu_ns, user_ns;
	struct rusage usage;
} base;

/* The start of a descendant, whose first record may be written much later. */
static struct process_moment began;
static uint64_t began_waited_ns;
static uint64_t began_kib; /* its peak resident set: a child has the memory of its parent */

static uint64_t to_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* System times are rounded, and a call for them can fail. */
static uint64_t less(uint64_t ns, uint64_t before_ns)
{
	return ns > before_ns ? ns - before_ns : 0;
}

/* CPU time of the children that the process has waited for, and of theirs. */
static uint64_t waited_ns(void)
{
	struct rusage usage;

	memset(&usage, 0, sizeof(usage));
	SYS2(SYS_getrusage, RUSAGE_CHILDREN, &usage);
	return to_ns(usage.ru_utime) + to_ns(usage.ru_stime);
}

uint64_t usage_children_ns(void)
{
	return less(waited_ns(), began_waited_ns);
}

static uint64_t period_ns(void)
{
	return col.descriptor.sample_ms * 1000000u;
}

static void begin_at(const struct process_moment *start)
{
	struct rusage usage = {.ru_maxrss = 0};

	began = *start;
	atomic_store(&look_after, 0);
	atomic_store(&next_ns, period_ns() == 0 ? 0 : start->mono_ns + period_ns());
	SYS2(SYS_getrusage, RUSAGE_SELF, &usage);
	began_kib = (uint64_t)usage.ru_maxrss;
	began_waited_ns = waited_ns();
}

/* Times count from the end of the image before, since executing this one is part of it; the rest
 * counts from here. */
void usage_open(const struct process_moment *start, const struct descriptor_step *step)
{
	begin_at(start);
	base.cpu_ns = step->process_ns;
	base.user_ns = step->user_ns;
	if (base.cpu_ns)
		SYS2(SYS_getrusage, RUSAGE_SELF, &base.usage);
}

void usage_tell(struct descriptor_step *step)
{
	struct rusage usage;

	memset(&usage, 0, sizeof(usage));
	SYS2(SYS_getrusage, RUSAGE_SELF, &usage);
	step->user_ns = to_ns(usage.ru_utime);
	step->process_ns = sys_process_cpu_ns();
}

void usage_restart(const struct process_moment *start)
{
	memset(&base, 0, sizeof(base));
	begin_at(start);
	atomic_store(&number, 0);
}

const struct process_moment *usage_start(void)
{
	return &began;
}

uint64_t usage_cpu_ns(void)
{
	return sys_process_cpu_ns() - base.cpu_ns;
}

static void read_usage(struct rusage *usage)
{
	const struct rusage *before = &base.usage;

	memset(usage, 0, sizeof(*usage));
	SYS2(SYS_getrusage, RUSAGE_SELF, usage);
	usage->ru_minflt -= before->ru_minflt;
	usage->ru_majflt -= before->ru_majflt;
	usage->ru_inblock -= before->ru_inblock;
	usage->ru_oublock -= before->ru_oublock;
	usage->ru_nvcsw -= before->ru_nvcsw;
	usage->ru_nivcsw -= before->ru_nivcsw;
	usage->ru_nswap -= before->ru_nswap;
}

/* The kernel adds up the threads of the process for each question after its CPU time, which takes
 * milliseconds if there are ten thousand. Between start and end, one question is enough: user and
 * system time together are the CPU time, in microseconds. */
static uint64_t cpu_time_of(const struct rusage *usage, enum fmt_sample_reason reason)
{
	if (reason != FMT_sample_reason_PERIODIC)
		return usage_cpu_ns();
	return less(to_ns(usage->ru_utime) + to_ns(usage->ru_stime), base.cpu_ns);
}

static void fill(struct fmt_usage *record, enum fmt_sample_reason reason)
{
	struct rusage usage;

	read_usage(&usage);
	*record = (struct fmt_usage){
		.kind = FMT_KIND_usage,
		.reason = (uint8_t)reason,
		.number = atomic_fetch_add(&number, 1) + 1,
		.real_ns = sys_clock_ns(CLOCK_REALTIME),
		.user_ns = less(to_ns(usage.ru_utime), base.user_ns),
		.system_ns = less(to_ns(usage.ru_stime), less(base.cpu_ns, base.user_ns)),
		.cpu_ns = cpu_time_of(&usage, reason),
		.maxrss_kib = (uint64_t)usage.ru_maxrss,
		.minflt = (uint64_t)usage.ru_minflt,
		.majflt = (uint64_t)usage.ru_majflt,
		.inblock = (uint64_t)usage.ru_inblock,
		.oublock = (uint64_t)usage.ru_oublock,
		.nvcsw = (uint64_t)usage.ru_nvcsw,
		.nivcsw = (uint64_t)usage.ru_nivcsw,
		.nswap = (uint64_t)usage.ru_nswap,
		.threads = atomic_load(&col.count.threads),
		.sampled_ns = atomic_load(&col.count.sampled_ns),
	};
}

static void write_record(struct col_thread *thread, enum col_context context,
                         const struct fmt_usage *record, uint64_t ticks)
{
	col_slot_write(&thread->slot[context][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW,
	               atomic_load(&thread->tid), record, sizeof(*record), ticks);
}

void usage_sample_start(struct col_thread *thread, enum col_context context)
{
	struct fmt_usage record = {
		.kind = FMT_KIND_usage,
		.reason = FMT_sample_reason_START,
		.number = atomic_fetch_add(&number, 1) + 1,
		.raw_ns = began.raw_ns,
		.real_ns = began.real_ns,
		.maxrss_kib = began_kib,
		.threads = 1,
	};

	write_record(thread, context, &record, began.ticks);
}

/* Ticks of the time `ago_ns` before these, by the two clocks since the start: 31 bits of them, so
 * that products fit. */
static uint64_t ticks_before(uint64_t ticks, uint64_t raw_ns, uint64_t ago_ns)
{
	uint64_t passed = ticks - began.ticks, passed_ns = raw_ns - began.raw_ns;

	while ((passed | passed_ns) >> 31) {
		passed >>= 1;
		passed_ns >>= 1;
	}
	if (passed_ns == 0)
		return ticks;
	return ticks - ago_ns / passed_ns * passed - ago_ns % passed_ns * passed / passed_ns;
}

/* Write the samples that were due at first_ns and then each period, until last_ns. Had the process
 * used CPU time meanwhile, they would have been taken: what it has used now, it had used then. */
static void write_missed(struct col_thread *thread, enum col_context context, uint64_t first_ns,
                         uint64_t last_ns, uint64_t now_ns)
{
	uint64_t step_ns = period_ns(), raw_ns, real_ns, ticks;
	struct fmt_usage record;

	if (last_ns < first_ns)
		return;
	step_ns *= 1 + (last_ns - first_ns) / step_ns / MISSED_MAX;
	fill(&record, FMT_sample_reason_PERIODIC);
	real_ns = record.real_ns;
	raw_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	ticks = col_ticks();
	for (uint64_t due_ns = first_ns; due_ns <= last_ns; due_ns += step_ns) {
		uint64_t ago_ns = now_ns - due_ns;

		if (due_ns != first_ns)
			record.number = atomic_fetch_add(&number, 1) + 1;
		record.raw_ns = raw_ns - ago_ns;
		record.real_ns = real_ns - ago_ns;
		write_record(thread, context, &record, ticks_before(ticks, raw_ns, ago_ns));
	}
}

/* Claim the samples that are due at this moment. Returns when the first of them was, 0: none is. */
static uint64_t claim_due(uint64_t now_ns)
{
	uint64_t period = period_ns(), next = atomic_load(&next_ns);

	if (period == 0 || now_ns < next ||
	    !atomic_compare_exchange_strong(&next_ns, &next, now_ns + period))
		return 0;
	return next;
}

static uint32_t take_sample(struct col_thread *thread, enum col_context context,
                            enum fmt_sample_reason reason)
{
	struct fmt_usage record;
	uint64_t ticks;

	EACH_SOURCE(sample, thread, context);
	fill(&record, reason);
	/* The two clocks are read next to each other: readers fit event time by these pairs. */
	ticks = col_ticks();
	record.raw_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	ticks += (col_ticks() - ticks) / 2;
	write_record(thread, context, &record, ticks);
	return record.number;
}

uint32_t usage_sample(struct col_thread *thread, enum col_context context,
                      enum fmt_sample_reason reason)
{
	uint64_t now = sys_clock_ns(CLOCK_MONOTONIC), due = claim_due(now);

	if (due)
		write_missed(thread, context, due, now, now);
	return take_sample(thread, context, reason);
}

int usage_is_behind(void)
{
	return col.descriptor.sample_ms < USUAL_MS && period_ns() != 0 &&
	       sys_clock_ns(CLOCK_MONOTONIC) >= atomic_load(&next_ns);
}

void usage_put(struct xml_text *text)
{
	struct fmt_usage record;

	fill(&record, FMT_sample_reason_END);
	xml_put(text, " <usage");
	xml_put_number(text, "time", col_ticks());
#define PUT(field) xml_put_number(text, #field, record.field)
	PUT(user_ns);
	PUT(system_ns);
	PUT(cpu_ns);
	PUT(maxrss_kib);
	PUT(minflt);
	PUT(majflt);
	PUT(inblock);
	PUT(oublock);
	PUT(nvcsw);
	PUT(nivcsw);
#undef PUT
	xml_put(text, "/>\n");
}

/* A sample that takes long, because there are many threads, is taken less often. */
static void put_off_next(uint64_t began_ns)
{
	uint64_t took_ns = sys_clock_ns(CLOCK_MONOTONIC) - began_ns;
	uint64_t next = atomic_load(&next_ns), later = began_ns + REST_SHARE * took_ns;

	if (later > next)
		atomic_compare_exchange_strong(&next_ns, &next, later);
}

/* Half of the time that is left: event time may run faster than its nominal rate, and the other
 * clock may stand still in between. */
static void look_later(uint64_t ticks, uint64_t now_ns)
{
	uint64_t left_ns = less(atomic_load(&next_ns), now_ns);

	atomic_store(&look_after, 0);
	atomic_store(&looked, ticks);
	atomic_store(&look_after, col_ticks_of(left_ns / 2));
}

int usage_sample_if_due(struct col_thread *thread, enum col_context context)
{
	uint64_t ticks = col_ticks(), now, due;

	if (period_ns() == 0 || likely(ticks - atomic_load_explicit(&looked, memory_order_relaxed) <
	                               atomic_load_explicit(&look_after, memory_order_relaxed)))
		return 0;
	now = sys_clock_ns(CLOCK_MONOTONIC);
	due = claim_due(now);
	if (due == 0) { /* or the start has its own sample */
		look_later(ticks, now);
		return 0;
	}
	write_missed(thread, context, due, less(now, period_ns()), now);
	take_sample(thread, context, FMT_sample_reason_PERIODIC);
	put_off_next(now);
	col_log_keep_alive();
	return 1;
}
