/* omp.c: reads the constructs of OpenMP in order of time. A region consists of the work of its
 * threads, whose records come before its own; the wait at its end is the time from each thread's
 * end to the end of the region.
 * See doc/decisions/09-openmp.md. */
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "experiment/table/index.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Regions that are open at one time, threads of each, and what bounds memory; kinds of constructs
 * have less than 128 numbers. */
enum {
	OPEN_REGIONS = 1 << 10,
	THREADS_MAX = 1 << 10,
	CONSTRUCTS_MAX = 1 << 20,
	EVENTS = 128,
	MARKS_MAX = 100
};

/* A region, as far as its threads have ended their parts. */
struct region {
	uint32_t id; /* 0: unused */
	uint32_t threads;
	uint64_t waited; /* ticks, recorded waits */
	struct part {
		uint32_t tid, row;
		uint64_t end;
		uint64_t work;     /* until then, without waits */
		uint64_t in_tasks; /* executed in the barrier at the region's end */
	} * part;                  /* part[part_count] */
	size_t part_count, part_capacity;
	uint64_t more_work; /* of further threads */
};

struct reader {
	struct exp_load *load;
	struct exp_index by_place; /* hash of event, pc and generation -> construct */
	size_t count, capacity;
	uint64_t overflow;
	struct region *regions; /* by id % OPEN_REGIONS */
};

static const enum exp_metric sampled[] = {EXP_OMP_WORK, EXP_OMP_OVERHEAD, EXP_OMP_SERIAL};

static enum exp_metric metric_of_state(unsigned state)
{
	switch (state) {
	case FMT_omp_state_WORK:
		return EXP_OMP_WORK;
	case FMT_omp_state_OVERHEAD:
		return EXP_OMP_OVERHEAD;
	case FMT_omp_state_IMPLICIT_BARRIER ... FMT_omp_state_TASK_WAIT:
		return (enum exp_metric)(EXP_OMP_IMPLICIT_BARRIER +
		                         (state - FMT_omp_state_IMPLICIT_BARRIER));
	case FMT_omp_state_IDLE:
		return EXP_OMP_IMPLICIT_BARRIER;
	default:
		return EXP_OMP_SERIAL;
	}
}

/* Did the recorder record how long waits took? Then the CPU time that they used is not a metric. */
static int has_waits(struct exp_load *load)
{
	if (load->omp_waits == OMP_NOT_ASKED)
		load->omp_waits = strcmp(experiment_setting(load->experiment, "omp", "off"),
		                         "on") == 0
		                          ? OMP_RECORDED
		                          : OMP_SAMPLED;
	return load->omp_waits == OMP_RECORDED;
}

void exp_omp_sample(struct exp_load *load, unsigned state, uint32_t row, uint64_t cpu_ns)
{
	enum exp_metric metric = metric_of_state(state);

	if (metric >= EXP_OMP_IMPLICIT_BARRIER && has_waits(load))
		return;
	if (exp_load_need(load, metric) != 0) {
		load->rc = -ENOMEM;
		return;
	}
	load->set.have |= EXP_DATA_OMP;
	exp_load_add(load, metric, row, cpu_ns);
}

static uint64_t value_at(const struct exp_load *load, enum exp_metric metric, uint32_t row)
{
	if (row == EXP_NODE_NONE)
		return load->rows.no_stack[metric];
	return !load->rows.value[metric] ? 0 : load->rows.value[metric][row];
}

/* CPU time outside all regions, also before the first one. */
static uint64_t serial_time(struct exp_load *load, uint32_t row)
{
	uint64_t total = value_at(load, EXP_CPU_USER, row) + value_at(load, EXP_CPU_SYSTEM, row) +
	                 value_at(load, EXP_CPU_RESIDUAL, row);

	for (enum exp_metric metric = EXP_OMP_WORK; metric <= EXP_OMP_TASK_WAIT; metric++) {
		uint64_t part = metric == EXP_OMP_SERIAL ? 0 : value_at(load, metric, row);

		if (metric > EXP_OMP_SERIAL && has_waits(load))
			break;
		total -= part < total ? part : total;
	}
	return total;
}

void exp_omp_finish(struct exp_load *load)
{
	if (!(load->set.have & EXP_DATA_OMP) || !load->rows.value[EXP_CPU_USER])
		return;
	for (size_t i = 0; i < sizeof(sampled) / sizeof(sampled[0]); i++)
		if (exp_load_need(load, sampled[i]) != 0) {
			load->rc = -ENOMEM;
			return;
		}
	for (uint32_t row = 0; row < load->rows.count; row++)
		load->rows.value[EXP_OMP_SERIAL][row] = serial_time(load, row);
	load->rows.no_stack[EXP_OMP_SERIAL] = serial_time(load, EXP_NODE_NONE);
}

/* ---- constructs ---- */

/* The construct at the place that a stack tells, made if it is new. NULL if there are too many, or
 * (load->rc) no memory. */
static struct exp_omp_construct *find_construct(struct reader *reader, unsigned event,
                                                uint32_t node)
{
	struct exp_load *load = reader->load;
	/* The stack of a task begins with a mark for the place where it was created. Only a damaged
	 * one has many. */
	for (int marks = 0; marks < MARKS_MAX && node != EXP_NODE_NONE &&
	                    fmt_pc_is_inner_mark(load->nodes.pc[node]);
	     marks++)
		node = load->nodes.parent[node];
	uint64_t pc = node == EXP_NODE_NONE ? 0 : load->nodes.pc[node];
	uint64_t generation = node == EXP_NODE_NONE ? 0 : load->nodes.generation[node];
	uint64_t key = (pc * EVENTS + event) ^ generation << 56;
	uint32_t at = exp_index_find(&reader->by_place, key);

	if (at != EXP_INDEX_NONE)
		return &load->omp_constructs[at];
	if (reader->count == CONSTRUCTS_MAX) {
		reader->overflow++;
		return NULL;
	}
	if (exp_array_reserve(&load->omp_constructs, &reader->capacity, reader->count,
	                      sizeof(*load->omp_constructs)) != 0 ||
	    exp_index_add(&reader->by_place, key, (uint32_t)reader->count) != 0) {
		load->rc = -ENOMEM;
		return NULL;
	}
	load->omp_constructs[reader->count] = (struct exp_omp_construct){
		.event = event, .node = node == EXP_NODE_NONE ? EXP_NO_INDEX : node};
	return &load->omp_constructs[reader->count++];
}

/* Of a task that goes on, the last part counts. */
static struct exp_omp_construct *count_event(struct reader *reader, unsigned event, uint32_t node,
                                             uint64_t ticks, int goes_on)
{
	struct exp_omp_construct *construct = find_construct(reader, event, node);

	if (!construct)
		return NULL;
	construct->count += !goes_on;
	construct->time_ns += ticks;
	if (ticks > construct->longest_ns)
		construct->longest_ns = ticks;
	return construct;
}

/* Ticks that are not the event's own: of waits in a thread's part or a task, of tasks in a wait. */
static uint64_t others(const struct fmt_omp *event)
{
	switch (event->event) {
	case FMT_omp_event_CRITICAL:
	case FMT_omp_event_LOCK:
		return 0;
	default:
		return fmt_u48_get(&event->other);
	}
}

/* ---- regions ---- */

static void on_thread(struct reader *reader, const struct fmt_omp *event, uint32_t row,
                      const struct exp_cursor *cursor)
{
	struct region *region = &reader->regions[event->region % OPEN_REGIONS];
	uint64_t waited = others(event),
		 work = fmt_ticks_get(event->duration_high, &event->duration) - waited;

	if (region->id != event->region) {
		reader->load->set.omp.unended += region->id != 0;
		region->id = event->region;
		region->threads = 0;
		region->part_count = 0;
		region->waited = region->more_work = 0;
	}
	if (region->part_count == THREADS_MAX)
		region->more_work += work;
	else if (exp_array_reserve(&region->part, &region->part_capacity, region->part_count,
	                           sizeof(*region->part)) == 0)
		region->part[region->part_count++] = (struct part){
			.tid = cursor->tid, .row = row, .end = cursor->tsc, .work = work};
	else
		reader->load->rc = -ENOMEM;
	region->threads++;
	region->waited += waited;
}

/* What a thread executes in the barrier at the end of a region is not a wait. */
static void on_task(struct reader *reader, const struct fmt_omp *event, uint32_t tid)
{
	struct region *region = &reader->regions[event->region % OPEN_REGIONS];

	if (region->id != event->region || event->number & FMT_OMP_TASK_INNER)
		return;
	for (size_t i = 0; i < region->part_count; i++)
		if (region->part[i].tid == tid)
			region->part[i].in_tasks += fmt_ticks_get(event->duration_high,
			                                          &event->duration);
}

/* The threads' shares of a region that ended at `tsc`, and the barrier at its end: each thread's,
 * where it stood. The construct is NULL if the region itself is not counted. */
static void count_parts(struct reader *reader, const struct region *region,
                        struct exp_omp_construct *construct, uint64_t tsc)
{
	uint64_t all = 0, most = 0, waits = 0;

	for (size_t i = 0; i < region->part_count; i++) {
		const struct part *part = &region->part[i];
		uint64_t work = part->work + part->in_tasks;
		uint64_t passed = tsc > part->end ? tsc - part->end : 0;
		uint64_t wait = passed > part->in_tasks ? passed - part->in_tasks : 0;

		exp_load_add(reader->load, EXP_OMP_IMPLICIT_BARRIER, part->row, wait);
		waits += wait;
		all += work;
		most = work > most ? work : most;
	}
	if (!construct)
		return;
	construct->threads += region->threads;
	if (region->threads > construct->most_threads)
		construct->most_threads = region->threads;
	construct->work_ns += all + region->more_work;
	construct->wait_ns += region->waited + waits;
	construct->lost_ns += region->part_count * most - all;
}

static void on_region(struct reader *reader, const struct fmt_omp *event,
                      struct exp_omp_construct *construct, uint64_t tsc)
{
	struct region *region = &reader->regions[event->region % OPEN_REGIONS];

	if (region->id != event->region)
		return;
	count_parts(reader, region, construct, tsc);
	region->id = 0;
}

/* Even events that are not selected show how long the selected threads have waited at the end of
 * their region. */
static void on_unselected(struct reader *reader, const struct fmt_omp *event,
                          const struct exp_cursor *cursor)
{
	if (event->event == FMT_omp_event_TASK)
		on_task(reader, event, cursor->tid);
	else if (event->event == FMT_omp_event_PARALLEL)
		on_region(reader, event, NULL, cursor->tsc);
}

/* ---- the stream ---- */

static int is_sound(const struct exp_load *load, const struct exp_cursor *cursor,
                    struct fmt_omp *event)
{
	return event->event < EVENTS &&
	       exp_load_cut_wait(load, cursor->tsc, &event->duration_high, &event->duration) &&
	       fmt_ticks_get(event->duration_high, &event->duration) >= others(event);
}

static void on_omp(struct reader *reader, const struct exp_cursor *cursor,
                   const struct fmt_omp *event)
{
	struct exp_load *load = reader->load;
	uint64_t duration = fmt_ticks_get(event->duration_high, &event->duration);
	uint64_t own = duration -
	               (event->event >= FMT_omp_event_IMPLICIT_BARRIER ? others(event) : 0);
	struct exp_fact fact = {.data = EXP_DATA_OMP,
	                        .type = event->event,
	                        .wait_ticks = duration,
	                        .address = others(event) == 0 ? fmt_u48_get(&event->other) : 0,
	                        .node = exp_load_stack(load, cursor, event->stack)};
	uint32_t row = exp_load_row(load, cursor, &fact);
	uint32_t place = load->selection && load->selection->is_grouped ? EXP_NODE_NONE : fact.node;
	struct exp_omp_construct *construct;

	if (row == EXP_ROW_NONE) {
		on_unselected(reader, event, cursor);
		return;
	}
	load->set.quality.omp_events++;
	exp_load_count_other(load, row);
	if (event->event == FMT_omp_event_THREAD) {
		on_thread(reader, event, row, cursor);
		return;
	}
	if (event->event == FMT_omp_event_TASK)
		on_task(reader, event, cursor->tid);
	construct = count_event(reader, event->event, place, own,
	                        event->event == FMT_omp_event_TASK &&
	                                event->number & FMT_OMP_TASK_GOES_ON);
	if (event->event == FMT_omp_event_PARALLEL)
		on_region(reader, event, construct, cursor->tsc);
	if (event->event >= FMT_omp_event_IMPLICIT_BARRIER &&
	    event->event <= FMT_omp_event_TASK_WAIT)
		exp_load_add(load,
		             (enum exp_metric)(EXP_OMP_IMPLICIT_BARRIER +
		                               (event->event - FMT_omp_event_IMPLICIT_BARRIER)),
		             row, own);
}

static void on_event(void *context, const struct exp_cursor *cursor)
{
	struct reader *reader = context;
	struct fmt_omp event;

	reader->load->has_omp = 1;
	if (cursor->payload[0] != FMT_KIND_omp)
		return;
	if (cursor->payload_size < sizeof(event)) {
		exp_cursor_fault(cursor, "an OpenMP construct is too short");
		return;
	}
	memcpy(&event, cursor->payload, sizeof(event));
	if (!is_sound(reader->load, cursor, &event)) {
		exp_cursor_fault(cursor, "an OpenMP construct of impossible length");
		return;
	}
	exp_load_time(reader->load, cursor->tsc);
	on_omp(reader, cursor, &event);
}

static void finish(struct reader *reader)
{
	struct exp_load *load = reader->load;

	for (enum exp_metric metric = EXP_OMP_IMPLICIT_BARRIER; metric <= EXP_OMP_TASK_WAIT;
	     metric++)
		exp_load_metric_ns(load, metric);
	for (size_t i = 0; i < reader->count; i++) {
		struct exp_omp_construct *construct = &load->omp_constructs[i];

		construct->time_ns = exp_load_ns(load, construct->time_ns);
		construct->longest_ns = exp_load_ns(load, construct->longest_ns);
		construct->work_ns = exp_load_ns(load, construct->work_ns);
		construct->wait_ns = exp_load_ns(load, construct->wait_ns);
		construct->lost_ns = exp_load_ns(load, construct->lost_ns);
	}
	for (size_t i = 0; i < OPEN_REGIONS; i++)
		load->set.omp.unended += reader->regions[i].id != 0;
	load->set.omp.constructs = load->omp_constructs;
	load->set.omp.count = reader->count;
	if (reader->overflow != 0)
		exp_warn(load->experiment, "%s: too many constructs: %llu events belong to none",
		         exp_stream_names[FMT_STREAM_OMPTRACE],
		         (unsigned long long)reader->overflow);
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	struct reader reader = {.load = load,
	                        .regions = calloc(OPEN_REGIONS, sizeof(*reader.regions))};
	int rc = !reader.regions ? -ENOMEM : exp_load_in_order(load, stream, on_event, &reader);

	if (rc == 0)
		finish(&reader);
	exp_index_fini(&reader.by_place);
	for (size_t i = 0; reader.regions && i < OPEN_REGIONS; i++)
		free(reader.regions[i].part);
	free(reader.regions);
	return rc;
}

/* Regions are recorded without being asked for, and their file is also made for programs that might
 * come to use it (doc/decisions/15-descriptors.md): without an event, it says nothing. */
int exp_omp_read(struct exp_load *load)
{
	unsigned had = load->set.have & EXP_DATA_OMP;
	int rc = exp_load_kind(load, EXP_DATA_OMP, EXP_OMP_IMPLICIT_BARRIER, EXP_OMP_TASK_WAIT,
	                       read_stream);

	if (!had && !load->has_omp && !has_waits(load))
		load->set.have &= ~(unsigned)EXP_DATA_OMP;
	return rc;
}
