/* overview.c: reads usage samples and thread records, and makes the table of threads. */
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>

struct reader {
	struct exp_load *load;
	struct exp_clock_point *points; /* of the usage records, in the same order */
	size_t point_count, point_capacity;
};

static int take_usage(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_usage usage;
	struct exp_usage *added;

	memcpy(&usage, cursor->payload, sizeof(usage));
	if (exp_array_reserve(&load->usage, &load->usage_capacity, load->usage_count,
	                      sizeof(*load->usage)) != 0 ||
	    exp_array_reserve(&reader->points, &reader->point_capacity, reader->point_count,
	                      sizeof(*reader->points)) != 0)
		return -ENOMEM;
	reader->points[reader->point_count++] = (struct exp_clock_point){cursor->tsc, usage.raw_ns};
	added = &load->usage[load->usage_count++];
	*added = (struct exp_usage){
		.reason = usage.reason, .number = usage.number, .tid = cursor->tid};
	added->user_ns = usage.user_ns;
	added->system_ns = usage.system_ns;
	added->cpu_ns = usage.cpu_ns;
	added->maxrss_kib = usage.maxrss_kib;
	added->minflt = usage.minflt;
	added->majflt = usage.majflt;
	added->inblock = usage.inblock;
	added->oublock = usage.oublock;
	added->nvcsw = usage.nvcsw;
	added->nivcsw = usage.nivcsw;
	added->nswap = usage.nswap;
	added->threads = usage.threads;
	added->sampled_ns = usage.sampled_ns;
	return 0;
}

static int add_thread(struct exp_load *load, const struct exp_thread *thread)
{
	if (exp_array_reserve(&load->threads, &load->thread_capacity, load->thread_count,
	                      sizeof(*thread)) != 0)
		return -ENOMEM;
	load->threads[load->thread_count++] = *thread;
	return 0;
}

static int take_thread(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_thread record;
	struct exp_thread thread = {
		.time_s = exp_clock_seconds(&load->experiment->clock, cursor->tsc)};

	memcpy(&record, cursor->payload, sizeof(record));
	thread.tid = record.tid;
	thread.origin = record.origin;
	memcpy(thread.name, record.name.text, sizeof(record.name.text));
	return add_thread(load, &thread);
}

/* Not an origin of the format: a record that only has the name of a Java thread. */
enum { NAMED_BY_JAVA = 256 };

static int take_java_thread(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_java_thread record;
	struct exp_thread thread = {
		.origin = NAMED_BY_JAVA,
		.time_s = exp_clock_seconds(&load->experiment->clock, cursor->tsc)};
	size_t size;

	memcpy(&record, cursor->payload, sizeof(record));
	thread.tid = record.tid;
	size = record.name_size < sizeof(thread.name) ? record.name_size : sizeof(thread.name) - 1;
	if (size > cursor->payload_size - sizeof(record))
		size = cursor->payload_size - sizeof(record);
	memcpy(thread.name, cursor->payload + sizeof(record), size);
	return size == 0 ? 0 : add_thread(load, &thread);
}

/* Its time is for now that of the event, in ticks, and its length too. */
static int take_gc(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->load;
	struct fmt_java_gc record;

	memcpy(&record, cursor->payload, sizeof(record));
	if (!exp_load_is_wait(load, cursor->tsc, record.duration))
		return 0;
	if (exp_array_reserve(&load->gcs, &load->gc_capacity, load->gc_count, sizeof(*load->gcs)) !=
	    0)
		return -ENOMEM;
	load->gcs[load->gc_count++] = (struct exp_gc){(double)cursor->tsc, record.duration};
	return 0;
}

static int compare_gcs(const void *a, const void *b)
{
	double x = ((const struct exp_gc *)a)->time_s, y = ((const struct exp_gc *)b)->time_s;

	return (x > y) - (x < y);
}

static void time_gcs(struct exp_load *load)
{
	for (size_t i = 0; i < load->gc_count; i++) {
		load->gcs[i].ns = exp_load_ns(load, load->gcs[i].ns);
		load->gcs[i].time_s = exp_clock_seconds(&load->experiment->clock,
		                                        (uint64_t)load->gcs[i].time_s);
	}
	if (load->gc_count > 1)
		qsort(load->gcs, load->gc_count, sizeof(*load->gcs), compare_gcs);
}

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct reader *reader = context;
	const struct fmt_record *record = fmt_record_find(cursor->payload[0]);

	if (reader->load->rc != 0 || !record)
		return;
	if (cursor->payload_size < record->size) {
		exp_cursor_fault(cursor, "a record is too short");
		return;
	}
	exp_load_time(reader->load, cursor->tsc);
	if (record->kind == FMT_KIND_usage)
		reader->load->rc = take_usage(reader, cursor);
	else if (record->kind == FMT_KIND_thread)
		reader->load->rc = take_thread(reader, cursor);
	else if (record->kind == FMT_KIND_java_thread)
		reader->load->rc = take_java_thread(reader, cursor);
	else if (record->kind == FMT_KIND_java_gc)
		reader->load->rc = take_gc(reader, cursor);
}

static int compare_usage(const void *a, const void *b)
{
	const struct exp_usage *x = a;
	const struct exp_usage *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void time_usage(struct reader *reader)
{
	struct exp_load *load = reader->load;
	struct exp_clock *clock = &load->experiment->clock;

	if (exp_clock_fit(clock, reader->points, reader->point_count) != 0)
		exp_warn(load->experiment, "%s: the clock jumped: times are not to be trusted",
		         exp_stream_names[FMT_STREAM_OVERVIEW]);
	for (size_t i = 0; i < load->usage_count; i++)
		load->usage[i].time_s = exp_clock_seconds(clock, reader->points[i].ticks);
	if (load->usage_count > 1)
		qsort(load->usage, load->usage_count, sizeof(*load->usage), compare_usage);
}

/* A process that ended before it had anything to record has its only sample in log.xml. At its
 * start, it had used nothing. */
static int take_end_usage(struct exp_load *load)
{
	const struct experiment *experiment = load->experiment;
	struct exp_thread thread = {.tid = (uint32_t)experiment->info.pid,
	                            .origin = FMT_thread_origin_MAIN};

	if (experiment->end_usage.cpu_ns == 0)
		return 0;
	if (exp_array_reserve(&load->usage, &load->usage_capacity, 1, sizeof(*load->usage)) != 0)
		return -ENOMEM;
	load->usage[0] = (struct exp_usage){
		.reason = FMT_sample_reason_START,
		.number = 1,
		.tid = thread.tid,
		.threads = 1,
		.time_s = exp_clock_seconds(&experiment->clock, experiment->clock.start.ticks)};
	load->usage[1] = experiment->end_usage;
	load->usage[1].number = 2;
	load->usage[1].tid = thread.tid;
	load->usage[1].time_s = exp_clock_seconds(&experiment->clock, experiment->end_ticks);
	load->usage_count = 2;
	exp_load_time(load, experiment->end_ticks);
	return add_thread(load, &thread);
}

int exp_overview_read(struct exp_load *load)
{
	struct reader reader = {.load = load};
	struct exp_stream stream;
	int rc = exp_stream_open(load->experiment, exp_stream_names[FMT_STREAM_OVERVIEW], &stream);

	if (rc == -ENOENT)
		return take_end_usage(load);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = exp_stream_each(&stream, on_event, &reader);
	exp_stream_close(&stream);
	if (rc == 0)
		rc = load->rc;
	if (rc == 0)
		time_usage(&reader);
	time_gcs(load);
	free(reader.points);
	return rc;
}

static int compare_threads(const void *a, const void *b)
{
	const struct exp_thread *x = a;
	const struct exp_thread *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static int compare_times(const void *a, const void *b)
{
	const struct exp_thread *x = a;
	const struct exp_thread *y = b;

	return x->time_s != y->time_s ? (x->time_s < y->time_s ? -1 : 1) : compare_threads(a, b);
}

/* Give new names to the threads that they belong to, and drop the records that had them. The
 * kernel's name of a Java thread is the beginning of its Java name; at the end of a program, the
 * machine calls its main thread "DestroyJavaVM". */
static void fold_names(struct exp_load *load)
{
	enum { KERNEL_NAME = 15 };
	size_t kept = 0;

	for (size_t i = 0; i < load->thread_count; i++) {
		struct exp_thread *thread = &load->threads[i],
				  *last = kept > 0 ? &load->threads[kept - 1] : NULL;

		if ((thread->origin == FMT_thread_origin_RENAMED ||
		     thread->origin == NAMED_BY_JAVA) &&
		    last && last->tid == thread->tid) {
			if (strcmp(thread->name, "DestroyJavaVM") != 0 &&
			    (thread->origin == NAMED_BY_JAVA ||
			     strncmp(last->name, thread->name, KERNEL_NAME) != 0))
				memcpy(last->name, thread->name, sizeof(thread->name));
			continue;
		}
		if (thread->origin == NAMED_BY_JAVA)
			thread->origin = FMT_thread_origin_FOUND;
		load->threads[kept++] = *thread;
	}
	load->thread_count = kept;
}

/* The index of the last of threads[count] (sorted) with this tid that began by time_s, else of
 * the first with this tid, else -1. */
static long find_thread(const struct exp_load *load, size_t count, uint32_t tid, double time_s)
{
	struct exp_thread key = {.tid = tid, .time_s = time_s};
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_threads(&load->threads[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && load->threads[low - 1].tid == tid)
		return (long)low - 1;
	return low < count && load->threads[low].tid == tid ? (long)low : -1;
}

static int compare_uses(const void *a, const void *b)
{
	const struct exp_buffer_use *x = a;
	const struct exp_buffer_use *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->tsc > y->tsc) - (x->tsc < y->tsc);
}

/* Thousands of processes have one thread each. */
static int settle(struct exp_load *load)
{
	struct exp_thread *threads;

	free(load->uses);
	load->uses = NULL;
	load->use_count = load->use_capacity = 0;
	if (load->thread_count == 0)
		return 0;
	threads = reallocarray(load->threads, load->thread_count, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	load->threads = threads;
	load->thread_capacity = load->thread_count;
	return 0;
}

enum { MANY_THREADS = 16 /* fewer are looked through as quickly */ };

static int compare_by_tid(const void *a, const void *b, void *context)
{
	const struct exp_thread *threads = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (threads[x].tid != threads[y].tid)
		return threads[x].tid < threads[y].tid ? -1 : 1;
	return (x > y) - (x < y);
}

static int sort_by_tid(struct exp_load *load)
{
	load->threads_by_tid = reallocarray(NULL, load->thread_count,
	                                    sizeof(*load->threads_by_tid));
	if (!load->threads_by_tid)
		return -ENOMEM;
	for (size_t i = 0; i < load->thread_count; i++)
		load->threads_by_tid[i] = (uint32_t)i;
	qsort_r(load->threads_by_tid, load->thread_count, sizeof(*load->threads_by_tid),
	        compare_by_tid, load->threads);
	return 0;
}

int exp_threads_finish(struct exp_load *load)
{
	size_t told = 0;

	if (load->thread_count > 1)
		qsort(load->threads, load->thread_count, sizeof(*load->threads), compare_threads);
	fold_names(load);
	told = load->thread_count;
	if (load->use_count > 1)
		qsort(load->uses, load->use_count, sizeof(*load->uses), compare_uses);
	for (size_t i = 0; i < load->use_count; i++) {
		const struct exp_buffer_use *use = &load->uses[i];
		double time_s = exp_clock_seconds(&load->experiment->clock, use->tsc);
		long at = find_thread(load, told, use->tid, time_s);

		/* Threads without a record come after the others, the last one last. */
		if (at < 0 && load->thread_count > told &&
		    load->threads[load->thread_count - 1].tid == use->tid)
			at = (long)load->thread_count - 1;
		if (at < 0) {
			struct exp_thread found = {
				.tid = use->tid,
				.time_s = time_s,
				.origin = FMT_thread_origin_FOUND,
			};

			if (add_thread(load, &found) != 0)
				return -ENOMEM;
			at = (long)load->thread_count - 1;
		}
		load->threads[at].samples += use->samples;
		load->threads[at].cpu_ns += use->cpu_ns;
	}
	if (load->thread_count > 1)
		qsort(load->threads, load->thread_count, sizeof(*load->threads), compare_times);
	return settle(load) != 0                   ? -ENOMEM
	       : load->thread_count < MANY_THREADS ? 0
	                                           : sort_by_tid(load);
}
