/* usertrace.c: reads user events from the traces of several processes at once. See usertrace.h. */
#include "experiment/events/usertrace.h"

#include "experiment/streams/load_context.h"
#include "experiment/streams/readers.h"
#include "experiment/streams/stream.h"
#include "format/layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What a stream holds. */
struct place {
	size_t process;
	uint8_t trace;
};

struct reader {
	struct exp_stream *streams; /* streams[stream_count] */
	struct place *places;       /* of the streams */
	size_t stream_count;
	const struct exp_clock *clock;
	exp_user_visitor *visit;
	void *context;
	int stopped;
};

const char *exp_user_file(unsigned trace)
{
	return exp_stream_names[FMT_STREAM_USERTRACE + trace];
}

static int read_words(const struct exp_cursor *cursor, struct exp_user_event *out)
{
	struct fmt_user record;
	unsigned count;

	memcpy(&record, cursor->payload, sizeof(record));
	count = record.shape & FMT_USER_COUNT;
	if (count > FMT_USER_WORDS || 8 + 8 * count > cursor->payload_size)
		return -EBADMSG;
	out->hook = record.hook;
	out->subhook = record.subhook;
	out->is_32 = (record.shape & FMT_USER_32) != 0;
	out->word_count = (uint8_t)count;
	memcpy(out->words, cursor->payload + 8, count * 8);
	for (unsigned i = 0; i < count; i++)
		out->words[i] = fmt_user_whole(out->words[i], record.low >> 2 * i);
	return 0;
}

static int read_bytes(const struct exp_cursor *cursor, struct exp_user_event *out)
{
	struct fmt_user_bytes record;

	memcpy(&record, cursor->payload, sizeof(record));
	if (record.size > cursor->payload_size - sizeof(record))
		return -EBADMSG;
	out->hook = record.hook;
	out->subhook = record.subhook;
	out->is_32 = (record.shape & FMT_USER_32) != 0;
	out->is_cut = (record.shape & FMT_USER_CUT) != 0;
	out->channel = record.shape & FMT_USER_CHANNEL;
	out->is_generic = 1;
	out->word_count = 1;
	out->words[0] = record.d1;
	out->bytes = cursor->payload + sizeof(record);
	out->byte_count = record.size;
	return 0;
}

/* Decode the cursor's event, but for its time. Returns 1; 0 if it is none, or damaged, which is
 * told. */
static int read_event(struct exp_cursor *cursor, const struct place *place,
                      struct exp_user_event *out)
{
	uint8_t kind = cursor->payload[0];
	int rc = -EBADMSG;

	if (kind != FMT_KIND_user && kind != FMT_KIND_user_bytes)
		return 0;
	*out = (struct exp_user_event){.process = place->process,
	                               .trace = place->trace,
	                               .ticks = cursor->tsc,
	                               .buffer_ticks = cursor->buffer_tsc,
	                               .tid = cursor->tid,
	                               .cpu = exp_cursor_cpu(cursor),
	                               .offset = exp_cursor_payload_offset(cursor)};
	if (cursor->payload_size >= sizeof(struct fmt_user))
		rc = kind == FMT_KIND_user ? read_words(cursor, out) : read_bytes(cursor, out);
	if (rc != 0) {
		exp_cursor_fault(cursor, "a user event is too short");
		return 0;
	}
	return 1;
}

static int run(void *context, struct exp_cursor *cursor, uint64_t until)
{
	struct reader *reader = context;
	struct exp_user_event event;
	int more;

	if (reader->stopped)
		return 0;
	do {
		if (read_event(cursor, &reader->places[cursor->stream - reader->streams], &event)) {
			event.time_ns = llrint(exp_clock_seconds(reader->clock, cursor->tsc) * 1e9);
			reader->stopped = reader->visit(reader->context, &event);
		}
		if (reader->stopped)
			return 0;
		more = exp_cursor_next(cursor);
	} while (more && cursor->key <= until);
	return more;
}

/* The first experiment's clock is to be the one that its other reports use. */
static int fit_clock(struct experiment *experiment)
{
	struct exp_load load = {.experiment = experiment, .first_tsc = UINT64_MAX};
	int rc = 0;

	if (!experiment->load) {
		rc = exp_overview_read(&load);
		free(load.usage);
		free(load.threads);
		free(load.uses);
		exp_arena_fini(&load.arena);
	}
	return rc;
}

static int open_streams(struct reader *reader, struct experiment *const *experiments, size_t count)
{
	int rc = 0;

	reader->streams = calloc(count * FMT_USER_TRACES, sizeof(*reader->streams));
	reader->places = calloc(count * FMT_USER_TRACES, sizeof(*reader->places));
	if (!reader->streams || !reader->places)
		return -ENOMEM;
	for (size_t i = 0; i < count * FMT_USER_TRACES && rc != -ENOMEM; i++) {
		size_t process = i / FMT_USER_TRACES;
		unsigned trace = i % FMT_USER_TRACES;

		rc = exp_stream_open(experiments[process], exp_user_file(trace),
		                     &reader->streams[reader->stream_count]);
		if (rc == 0)
			reader->places[reader->stream_count++] = (struct place){process,
			                                                        (uint8_t)trace};
	}
	return rc == -ENOMEM ? rc : 0;
}

int exp_user_events(struct experiment *const *experiments, size_t count, exp_user_visitor *visit,
                    void *context)
{
	struct reader reader = {.visit = visit, .context = context};
	int rc;

	if (count == 0)
		return 0;
	reader.clock = &experiments[0]->clock;
	rc = fit_clock(experiments[0]);
	if (rc == 0)
		rc = open_streams(&reader, experiments, count);
	if (rc == 0)
		rc = exp_streams_merge(reader.streams, reader.stream_count, run, &reader);
	for (size_t i = 0; i < reader.stream_count; i++)
		exp_stream_close(&reader.streams[i]);
	free(reader.streams);
	free(reader.places);
	return rc == 0 ? reader.stopped : rc;
}

/* ---- as a part of all data ---- */

struct counter {
	struct exp_load *load;
	struct place place;
	int is_met;
};

static void on_event(void *context, struct exp_cursor *cursor)
{
	struct counter *counter = context;
	struct exp_load *load = counter->load;
	struct exp_fact fact = {.data = EXP_DATA_USER, .node = EXP_NODE_NONE};
	struct exp_user_event event;
	uint32_t row;

	if (load->rc != 0)
		return;
	counter->is_met = 1;
	load->rc = exp_load_note_buffer(load, cursor);
	if (load->rc != 0 || !read_event(cursor, &counter->place, &event))
		return;
	fact.type = event.hook;
	fact.user = &event;
	row = exp_load_row(load, cursor, &fact);
	if (load->rc != 0 || row == EXP_ROW_NONE)
		return;
	exp_load_time(load, cursor->tsc);
	exp_load_add(load, EXP_USER_COUNT, row, 1);
	load->set.quality.user_events++;
}

int exp_user_read(struct exp_load *load)
{
	int rc = 0;

	for (unsigned trace = 0; trace < FMT_USER_TRACES && rc == 0; trace++) {
		struct counter counter = {load, {0, (uint8_t)trace}, 0};
		struct exp_stream stream;

		rc = exp_stream_open(load->experiment, exp_user_file(trace), &stream);
		if (rc != 0) {
			rc = rc == -ENOMEM ? rc : 0;
			continue;
		}
		rc = exp_load_need(load, EXP_USER_COUNT);
		if (rc == 0)
			rc = exp_stream_each(&stream, on_event, &counter);
		/* Its file is also made for programs that might log something later. */
		if (counter.is_met)
			load->set.have |= EXP_DATA_USER;
		exp_stream_close(&stream);
	}
	return rc == 0 ? load->rc : rc;
}
