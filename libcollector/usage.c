/* usage.c: write usage records. See usage.h. */
#include "usage.h"

#include "log.h"
#include "mapping.h"

static atomic_uint number;
static atomic_uint_fast64_t next_ns; /* CLOCK_MONOTONIC of the next periodic sample */

static uint64_t to_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static void fill(struct fmt_usage *record, enum fmt_sample_reason reason)
{
	struct rusage usage;

	memset(&usage, 0, sizeof(usage));
	SYS2(SYS_getrusage, RUSAGE_SELF, &usage);
	*record = (struct fmt_usage){
	    .kind = FMT_KIND_usage,
	    .reason = (uint8_t)reason,
	    .number = atomic_fetch_add(&number, 1) + 1,
	    .real_ns = sys_clock_ns(CLOCK_REALTIME),
	    .user_ns = to_ns(usage.ru_utime),
	    .system_ns = to_ns(usage.ru_stime),
	    .cpu_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
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

void usage_sample(struct col_thread *thread, enum col_context context, enum fmt_sample_reason reason)
{
	struct fmt_usage record;
	uint64_t ticks;

	if (mapping_is_traced())
		mapping_look_at_break(thread, context, 0);
	fill(&record, reason);
	/* The two clocks are read next to each other: readers fit event time by these pairs. */
	ticks = col_ticks();
	record.raw_ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	ticks += (col_ticks() - ticks) / 2;
	col_slot_write(&thread->slot[context][FMT_STREAM_OVERVIEW], FMT_STREAM_OVERVIEW, atomic_load(&thread->tid), &record,
	               sizeof(record), ticks);
}

int usage_sample_if_due(struct col_thread *thread, enum col_context context)
{
	uint64_t period = col.descriptor.sample_ms * 1000000u;
	uint64_t now = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t next = atomic_load(&next_ns);

	if (period == 0 || now < next || !atomic_compare_exchange_strong(&next_ns, &next, now + period))
		return 0;
	if (next == 0) /* the start has its own sample */
		return 0;
	usage_sample(thread, context, FMT_sample_reason_PERIODIC);
	col_log_keep_alive();
	return 1;
}
