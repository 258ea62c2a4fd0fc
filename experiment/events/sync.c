/* sync.c: reads waits for objects of synchronization in order of time, since the stack that created
 * an object is that of the latest call before the wait that created one at its address. */
#include "experiment/events/syncclass.h"
#include "experiment/events/wall.h"
#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "experiment/table/index.h"
#include "experiment/table/longest.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <stdlib.h>

/* OBJECTS_MAX bounds memory; a program has not so many at one time. */
enum { LONGEST = 100, OBJECTS_MAX = 4 << 20, THREADS = 63, THREAD_CACHE = 256, INITS = 64 };

/* An address with a class, and what is there at this moment. */
struct place {
	uint32_t creation; /* node, EXP_NO_INDEX: unknown */
	uint32_t object;   /* EXP_NO_INDEX: no thread has waited for it since it was created */
};

/* A wait that may not have ended. */
struct pending {
	struct exp_cursor cursor; /* of its record; its pointers are invalid */
	struct fmt_sync event;
	uint16_t cpu;
	int is_open; /* no later record of the thread says otherwise */
};

struct reader {
	struct exp_load *load;
	struct exp_index by_address; /* address << 8 | class -> place */
	struct place *places;
	size_t place_count, place_capacity;
	struct exp_index replaced; /* place << 32 | creation -> object that was there before the
	                              present one */
	size_t object_count, object_capacity;
	uint64_t overflow;          /* waits for objects beyond OBJECTS_MAX */
	struct exp_longest longest; /* struct exp_sync_wait; wait_ns are ticks still */
	struct pending
		*pending; /* of each thread whose latest record is a wait that has not ended */
	struct exp_index pending_of; /* tid -> its index */
	size_t pending_count, pending_capacity;
	uint64_t last_tsc; /* of the file */
	uint32_t threads[THREADS];
	size_t thread_count;
	struct {
		uint32_t tid;
		uint64_t bit; /* 0: unused */
	} cache[THREAD_CACHE];
};

/* The place of an address, made if it is new. Returns its index, EXP_NO_INDEX if there are too many
 * or (load->rc) no memory. */
static uint32_t find_place(struct reader *reader, uint64_t address, unsigned class)
{
	uint64_t key = address << 8 | class;
	uint32_t at = exp_index_find(&reader->by_address, key);

	if (at != EXP_INDEX_NONE || reader->place_count == OBJECTS_MAX)
		return at;
	if (exp_array_reserve(&reader->places, &reader->place_capacity, reader->place_count,
	                      sizeof(*reader->places)) != 0 ||
	    exp_index_add(&reader->by_address, key, (uint32_t)reader->place_count) != 0) {
		reader->load->rc = -ENOMEM;
		return EXP_NO_INDEX;
	}
	reader->places[reader->place_count] = (struct place){EXP_NO_INDEX, EXP_NO_INDEX};
	return (uint32_t)reader->place_count++;
}

/* The object that is at a place from now on, made if it is new. Returns as find_place. */
static uint32_t make_object(struct reader *reader, uint32_t place, uint64_t address, unsigned class)
{
	struct exp_load *load = reader->load;
	uint32_t creation = reader->places[place].creation;
	uint32_t at = exp_index_find(&reader->replaced, (uint64_t)place << 32 | creation);

	if (at != EXP_INDEX_NONE || reader->object_count == OBJECTS_MAX)
		return at;
	if (exp_array_reserve(&load->sync_objects, &reader->object_capacity, reader->object_count,
	                      sizeof(*load->sync_objects)) != 0) {
		load->rc = -ENOMEM;
		return EXP_NO_INDEX;
	}
	load->sync_objects[reader->object_count] = (struct exp_sync_object){
		.address = address,
		.object_class = (uint8_t) class,
		.creation = creation,
		.node = EXP_NO_INDEX};
	return (uint32_t)reader->object_count++;
}

static uint32_t find_object(struct reader *reader, uint64_t address, unsigned class)
{
	uint32_t place = find_place(reader, address, class);
	uint32_t object;

	if (place == EXP_NO_INDEX)
		return EXP_NO_INDEX;
	object = reader->places[place].object;
	if (object == EXP_NO_INDEX) {
		object = make_object(reader, place, address, class);
		reader->places[place].object = object;
	}
	return object;
}

/* The bit of a thread in the sets of those that waited. */
static uint64_t thread_bit(struct reader *reader, uint32_t tid)
{
	size_t slot = tid % THREAD_CACHE;
	size_t at = 0;

	if (reader->cache[slot].tid == tid && reader->cache[slot].bit != 0)
		return reader->cache[slot].bit;
	while (at < reader->thread_count && reader->threads[at] != tid)
		at++;
	if (at == reader->thread_count && at < THREADS)
		reader->threads[reader->thread_count++] = tid;
	reader->cache[slot].tid = tid;
	reader->cache[slot].bit = UINT64_C(1) << at;
	return reader->cache[slot].bit;
}

/* What is shown first: waits that have not ended, then the longest. How long one lasts that has not
 * ended may be unknown. */
static uint64_t rank_of(const struct fmt_sync *event, uint64_t wait)
{
	return event->error == EXP_SYNC_OPEN ? wait | UINT64_C(1) << 63 : wait;
}

/* Another stack creates an object at the place: put aside the one that is there, which may be
 * created again. */
static void replace_object(struct reader *reader, uint32_t at, uint32_t creation)
{
	struct place *place = &reader->places[at];
	uint64_t key = (uint64_t)at << 32 | place->creation;

	if (place->object != EXP_NO_INDEX &&
	    exp_index_find(&reader->replaced, key) == EXP_INDEX_NONE &&
	    exp_index_add(&reader->replaced, key, place->object) != 0)
		reader->load->rc = -ENOMEM;
	*place = (struct place){creation, EXP_NO_INDEX};
}

static void on_init(struct reader *reader, const struct exp_cursor *cursor,
                    const struct fmt_sync *event)
{
	unsigned class = exp_sync_class_of(event->func);
	uint32_t place, creation;

	if (class == EXP_SYNC_OTHER)
		return;
	place = find_place(reader, fmt_u48_get(&event->object), class);
	creation = exp_load_stack(reader->load, cursor, event->stack);
	if (place != EXP_NO_INDEX && reader->places[place].creation != creation)
		replace_object(reader, place, creation);
}

static void keep_longest(struct reader *reader, const struct exp_cursor *cursor,
                         const struct fmt_sync *event, const struct exp_fact *fact, uint32_t at)
{
	struct exp_load *load = reader->load;
	uint64_t rank = rank_of(event, fact->wait_ticks);
	struct exp_sync_wait kept = {.wait_ns = fact->wait_ticks,
	                             .tid = cursor->tid,
	                             .mutex = fmt_u48_get(&event->second),
	                             .object = at,
	                             .node = fact->node,
	                             .error = event->error,
	                             .func = event->func};

	if (!exp_longest_wants(&reader->longest, rank))
		return;
	kept.time_s = exp_clock_seconds(&load->experiment->clock, cursor->tsc);
	if (exp_longest_offer(&reader->longest, rank, &kept) != 0)
		load->rc = -ENOMEM;
}

/* Count a wait for the object `at`. */
static void count_wait(struct reader *reader, const struct exp_cursor *cursor,
                       const struct fmt_sync *event, const struct exp_fact *fact, uint32_t row,
                       uint32_t at)
{
	struct exp_load *load = reader->load;
	uint64_t wait = fact->wait_ticks;

	exp_load_add(load, EXP_SYNC_COUNT, row, 1);
	exp_load_add(load,
	             exp_sync_class_of(event->func) == EXP_SYNC_JOIN ? EXP_SYNC_JOIN_WAIT
	                                                             : EXP_SYNC_WAIT,
	             row, wait);
	exp_load_raise(load, EXP_SYNC_LONGEST, row, wait);
	load->set.quality.sync_events++;
	if (at == EXP_NO_INDEX) {
		reader->overflow++;
	} else {
		struct exp_sync_object *object = &load->sync_objects[at];

		if (wait > object->longest_ns || object->count == 0) {
			object->longest_ns = wait;
			object->node = fact->node;
			object->mutex = fmt_u48_get(&event->second);
		}
		object->count++;
		object->failed += event->error != 0 && event->error != EXP_SYNC_OPEN;
		object->open += event->error == EXP_SYNC_OPEN;
		object->wait_ns += wait;
		object->threads |= thread_bit(reader, cursor->tid);
	}
	keep_longest(reader, cursor, event, fact, at);
}

static void on_wait(struct reader *reader, const struct exp_cursor *cursor,
                    const struct fmt_sync *event)
{
	struct exp_fact fact = {.data = EXP_DATA_SYNC,
	                        .type = event->func,
	                        .wait_ticks = fmt_ticks_get(event->wait_high, &event->wait),
	                        .error = event->error,
	                        .address = fmt_u48_get(&event->object),
	                        .class = exp_sync_class_of(event->func),
	                        .node = exp_load_stack(reader->load, cursor, event->stack)};
	uint32_t row = exp_load_row(reader->load, cursor, &fact);
	uint32_t at;

	if (row == EXP_ROW_NONE)
		return;
	at = find_object(reader, fact.address, exp_sync_class_of(event->func));
	if (reader->load->rc == 0)
		count_wait(reader, cursor, event, &fact, row, at);
}

/* What the thread's latest record is; made if there is none yet. NULL: no memory. */
static struct pending *pending_of(struct reader *reader, uint32_t tid)
{
	uint32_t at = exp_index_find(&reader->pending_of, tid);

	if (at != EXP_INDEX_NONE)
		return &reader->pending[at];
	if (exp_array_reserve(&reader->pending, &reader->pending_capacity, reader->pending_count,
	                      sizeof(*reader->pending)) != 0 ||
	    exp_index_add(&reader->pending_of, tid, (uint32_t)reader->pending_count) != 0) {
		reader->load->rc = -ENOMEM;
		return NULL;
	}
	return &reader->pending[reader->pending_count++];
}

/* A wait begins here. It has not ended, unless another record of the thread follows. */
static void on_open(struct reader *reader, const struct exp_cursor *cursor)
{
	struct fmt_sync_open event;
	struct pending *pending;

	if (cursor->payload_size < sizeof(event)) {
		exp_cursor_fault(cursor, "a wait is too short");
		return;
	}
	memcpy(&event, cursor->payload, sizeof(event));
	exp_load_time(reader->load, cursor->tsc);
	pending = event.func < INITS ? pending_of(reader, cursor->tid) : NULL;
	if (pending)
		*pending = (struct pending){.cursor = *cursor,
		                            .event = {.kind = FMT_KIND_sync,
		                                      .func = event.func,
		                                      .object = event.object,
		                                      .stack = event.stack,
		                                      .error = EXP_SYNC_OPEN,
		                                      .second = event.second},
		                            .cpu = exp_cursor_cpu(cursor),
		                            .is_open = 1};
}

/* The thread has gone on since it began a wait. */
static void close_pending(struct reader *reader, uint32_t tid)
{
	uint32_t at = reader->pending_count != 0 ? exp_index_find(&reader->pending_of, tid)
	                                         : EXP_INDEX_NONE;

	if (at != EXP_INDEX_NONE)
		reader->pending[at].is_open = 0;
}

/* The waits that have not ended last until the end. */
static void count_open(struct reader *reader)
{
	uint64_t end = exp_load_end(reader->load, reader->last_tsc);

	for (size_t i = 0; i < reader->pending_count && reader->load->rc == 0; i++) {
		struct pending *pending = &reader->pending[i];
		/* The header of an event, of which the CPU is read. */
		uint8_t bytes[FDR_METADATA_SIZE + sizeof(pending->event)] = {0};
		uint64_t began = pending->cursor.tsc;

		if (!pending->is_open)
			continue;
		fdr_event_put(bytes, 0, end, pending->cpu);
		pending->cursor.payload = bytes + FDR_METADATA_SIZE;
		pending->cursor.tsc = end;
		fmt_ticks_put(&pending->event.wait_high, &pending->event.wait,
		              end > began ? end - began : 0);
		on_wait(reader, &pending->cursor, &pending->event);
	}
}

static void on_event(struct reader *reader, struct exp_cursor *cursor)
{
	struct fmt_sync event;
	const char *fault = NULL;

	reader->last_tsc = cursor->tsc > reader->last_tsc ? cursor->tsc : reader->last_tsc;
	if (cursor->payload[0] == FMT_KIND_sync_open) {
		on_open(reader, cursor);
		return;
	}
	if (cursor->payload[0] != FMT_KIND_sync)
		return;
	close_pending(reader, cursor->tid);
	if (cursor->payload_size < sizeof(event)) {
		fault = "a wait is too short";
	} else {
		memcpy(&event, cursor->payload, sizeof(event));
		if (!exp_load_cut_wait(reader->load, cursor->tsc, &event.wait_high, &event.wait))
			fault = "a wait began before the recording";
	}
	if (fault) {
		exp_cursor_fault(cursor, fault);
		return;
	}
	exp_load_time(reader->load, cursor->tsc);
	if (event.func >= INITS)
		on_init(reader, cursor, &event);
	else
		on_wait(reader, cursor, &event);
}

static int run(void *context, struct exp_cursor *cursor, uint64_t until)
{
	struct reader *reader = context;
	int more;

	do {
		if (exp_load_note_buffer(reader->load, cursor) != 0)
			reader->load->rc = -ENOMEM;
		else
			on_event(reader, cursor);
		more = exp_cursor_next(cursor);
	} while (more && cursor->key <= until && reader->load->rc == 0);
	return more && reader->load->rc == 0;
}

static void finish(struct reader *reader)
{
	struct exp_load *load = reader->load;
	uint64_t open_count = 0;
	size_t wait_count;

	exp_load_metric_ns(load, EXP_SYNC_WAIT);
	exp_load_metric_ns(load, EXP_SYNC_JOIN_WAIT);
	exp_load_metric_ns(load, EXP_SYNC_LONGEST);
	for (size_t i = 0; i < reader->object_count; i++) {
		struct exp_sync_object *object = &load->sync_objects[i];

		open_count += object->open;
		object->wait_ns = exp_load_ns(load, object->wait_ns);
		object->longest_ns = exp_load_ns(load, object->longest_ns);
	}
	wait_count = reader->longest.count;
	load->sync_waits = exp_longest_take(&reader->longest);
	if (wait_count > 0 && !load->sync_waits) {
		load->rc = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < wait_count; i++)
		load->sync_waits[i].wait_ns = exp_load_ns(load, load->sync_waits[i].wait_ns);
	load->set.sync = (struct exp_sync){.objects = load->sync_objects,
	                                   .object_count = reader->object_count,
	                                   .open = open_count,
	                                   .longest = load->sync_waits,
	                                   .longest_count = wait_count};
	if (reader->overflow != 0)
		exp_warn(load->experiment, "%s: too many objects: %llu waits belong to none",
		         exp_stream_names[FMT_STREAM_SYNCTRACE],
		         (unsigned long long)reader->overflow);
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return -ENOMEM;
	reader->load = load;
	reader->longest = (struct exp_longest){.most = LONGEST,
	                                       .size = sizeof(struct exp_sync_wait)};
	rc = exp_stream_merge(stream, run, reader);
	if (rc == 0 && load->rc == 0)
		count_open(reader);
	if (rc == 0)
		rc = load->rc;
	if (rc == 0) {
		finish(reader);
		rc = load->rc;
	}
	exp_longest_fini(&reader->longest);
	exp_index_fini(&reader->by_address);
	exp_index_fini(&reader->replaced);
	exp_index_fini(&reader->pending_of);
	free(reader->pending);
	free(reader->places);
	free(reader);
	return rc;
}

int exp_sync_read(struct exp_load *load)
{
	return exp_load_kind(load, EXP_DATA_SYNC, EXP_SYNC_COUNT, EXP_SYNC_LONGEST, read_stream);
}
