/* wall.c: reads the waits of threads and their CPU time, and gives each thread's time its states.
 * See doc/decisions/86-wall-clock.md. */
#include "experiment/events/wallthread.h"
#include "experiment/streams/readers.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000, STATES = FMT_wall_state_OTHER + 1 };

struct reader {
	struct wallthreads all;
	uint64_t last_tsc; /* of the file */
};

/* ---- records */

static struct exp_wait kept_of(unsigned state, unsigned family, unsigned func)
{
	return (struct exp_wait){.state = (uint8_t)state,
	                         .family = (uint8_t)family,
	                         .func = (uint8_t)func,
	                         .site = EXP_NO_INDEX};
}

static int is_state(unsigned state)
{
	return state >= FMT_wall_state_QUEUE && state < STATES;
}

static const char *take_wait(struct reader *reader, const struct exp_cursor *cursor,
                             struct wallthread_wait *out)
{
	struct fmt_wait record;

	memcpy(&record, cursor->payload, sizeof(record));
	if (!is_state(record.state) || record.wait > record.span)
		return "a wait that cannot be";
	out->from = cursor->tsc - record.span;
	out->to = cursor->tsc;
	out->ticks = record.wait;
	out->node = exp_load_stack(reader->all.load, cursor, record.stack);
	out->kept = kept_of(record.state, record.family, record.func);
	out->kept.object = fmt_u48_get(&record.object);
	out->kept.error = record.error;
	out->kept.owner = record.owner;
	out->kept.ready = record.ready;
	if (record.site)
		out->kept.site = exp_load_stack(reader->all.load, cursor, record.site);
	return NULL;
}

static const char *take_sum(struct reader *reader, const struct exp_cursor *cursor,
                            struct wallthread_wait *out)
{
	struct fmt_wait_sum record;

	memcpy(&record, cursor->payload, sizeof(record));
	if (!is_state(record.state) || record.count == 0 || record.until > UINT32_MAX ||
	    record.first > record.wait || record.wait - record.first > record.until)
		return "short waits that cannot be";
	out->from = cursor->tsc - record.first;
	out->to = cursor->tsc + record.until;
	out->ticks = record.wait;
	out->count = record.count;
	out->node = exp_load_stack(reader->all.load, cursor, record.stack);
	out->kept = kept_of(record.state, record.family, record.func);
	out->kept.object = fmt_u48_get(&record.object);
	return NULL;
}

static void on_open(struct reader *reader, struct wallthread *thread,
                    const struct exp_cursor *cursor)
{
	struct fmt_wait_open record;

	memcpy(&record, cursor->payload, sizeof(record));
	exp_load_time(reader->all.load, cursor->tsc);
	if (!is_state(record.state))
		return;
	thread->open = record;
	thread->open_at = *cursor;
	thread->open_cpu = exp_cursor_cpu(cursor);
}

/* ---- waits that began before the recording */

/* Count it as one that lasted until `to`: at least, if it was still met there. */
static void count_earlier(struct reader *reader, struct wallthread *thread, uint64_t to, int error)
{
	const struct fmt_wait_earlier *earlier = &thread->earlier;
	struct wallthread_wait wait = {
		.from = earlier->since,
		.to = to,
		.buffer_ticks = thread->earlier_at.buffer_tsc,
		.count = 1,
		.node = thread->earlier_node,
		.is_vague = !error,
		.kept = kept_of(earlier->state, earlier->family, earlier->func)};
	int is_one = thread->earlier_at.payload != NULL;

	thread->earlier_at.payload = NULL;
	if (!is_one || to <= wait.from)
		return;
	wait.ticks = to - wait.from;
	wait.kept.object = fmt_u48_get(&earlier->object);
	wait.kept.owner = earlier->owner;
	wait.kept.error = (uint32_t)error;
	wait.kept.is_earlier = 1;
	wallthread_wait(&reader->all, thread, &wait);
}

/* The first record of such a wait tells what it is, the second one that it still lasts. */
static void on_earlier(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->all.load;
	struct fmt_wait_earlier record;
	struct wallthread *thread;

	memcpy(&record, cursor->payload, sizeof(record));
	exp_load_time(load, cursor->tsc);
	if (!is_state(record.state) || record.since > cursor->tsc ||
	    !exp_load_is_wait(load, cursor->tsc, cursor->tsc - record.since)) {
		exp_cursor_fault(cursor, "a wait that cannot be");
		return;
	}
	thread = wallthread_of(&reader->all, record.tid);
	if (!thread)
		return;
	if (thread->earlier_at.payload && thread->earlier.since == record.since) {
		count_earlier(reader, thread, cursor->tsc, EXP_SYNC_OPEN);
		load->set.wall.open++;
		return;
	}
	thread->earlier = record;
	thread->earlier_at = *cursor;
	thread->earlier_node = exp_load_stack(load, cursor, record.stack);
}

/* A record of a wait: it says that an earlier one of the thread has ended. */
static void on_record(struct reader *reader, const struct exp_cursor *cursor)
{
	struct wallthread *thread = wallthread_of(&reader->all, cursor->tid);
	struct wallthread_wait wait = {.count = 1, .buffer_ticks = cursor->buffer_tsc};
	int is_one = cursor->payload[0] == FMT_KIND_wait;
	const char *fault;

	if (!thread)
		return;
	thread->open_at.payload = NULL;
	if (cursor->payload[0] == FMT_KIND_wait_open) {
		count_earlier(reader, thread, cursor->tsc, 0);
		on_open(reader, thread, cursor);
		return;
	}
	wait.cpu = exp_cursor_cpu(cursor);
	fault = (is_one ? take_wait : take_sum)(reader, cursor, &wait);
	if (!fault && !exp_load_is_wait(reader->all.load, cursor->tsc, cursor->tsc - wait.from))
		fault = "a wait began before the recording";
	if (fault) {
		exp_cursor_fault(cursor, fault);
		return;
	}
	count_earlier(reader, thread, wait.from, 0);
	wallthread_wait(&reader->all, thread, &wait);
}

static void on_account(struct reader *reader, const struct exp_cursor *cursor)
{
	struct exp_load *load = reader->all.load;
	struct fmt_account account;
	struct wallthread *thread;

	memcpy(&account, cursor->payload, sizeof(account));
	exp_load_time(load, cursor->tsc);
	thread = wallthread_of(&reader->all, account.tid);
	if (!thread)
		return;
	count_earlier(reader, thread, cursor->tsc, 0);
	if (account.begin == 0 || account.begin > cursor->tsc ||
	    !exp_load_is_wait(load, cursor->tsc, cursor->tsc - account.begin))
		exp_cursor_fault(cursor, "a thread began before the recording");
	else
		wallthread_account(&reader->all, &account, cursor->tsc);
}

static void on_event(void *context, const struct exp_cursor *cursor)
{
	struct reader *reader = context;
	const struct fmt_record *record = fmt_record_find(cursor->payload[0]);
	unsigned kind = record ? record->kind : 0;
	int is_account = kind == FMT_KIND_account, is_earlier = kind == FMT_KIND_wait_earlier;

	reader->last_tsc = cursor->tsc > reader->last_tsc ? cursor->tsc : reader->last_tsc;
	if (!is_account && !is_earlier && kind != FMT_KIND_wait && kind != FMT_KIND_wait_sum &&
	    kind != FMT_KIND_wait_open)
		return;
	if (cursor->payload_size < record->size)
		exp_cursor_fault(cursor, "a record is too short");
	else if (is_account)
		on_account(reader, cursor);
	else if (is_earlier)
		on_earlier(reader, cursor);
	else
		on_record(reader, cursor);
}

/* ---- the end */

/* A wait that has not ended lasts until the end of its thread's time. */
static void count_open(struct reader *reader, struct wallthread *thread, uint64_t end)
{
	struct exp_load *load = reader->all.load;
	const struct exp_cursor *at = &thread->open_at;
	struct wallthread_wait wait = {
		.from = at->tsc,
		.to = wallthread_has_ended(thread) ? thread->life.at : end,
		.buffer_ticks = at->buffer_tsc,
		.count = 1,
		.cpu = thread->open_cpu,
		.kept = kept_of(thread->open.state, thread->open.family, thread->open.func)};

	if (!at->payload || wait.to <= wait.from)
		return;
	wait.ticks = wait.to - wait.from;
	wait.node = exp_load_stack(load, at, thread->open.stack);
	wait.kept.object = fmt_u48_get(&thread->open.object);
	wait.kept.owner = thread->open.owner;
	wait.kept.error = EXP_SYNC_OPEN;
	if (thread->open.site)
		wait.kept.site = exp_load_stack(load, at, thread->open.site);
	wallthread_wait(&reader->all, thread, &wait);
	load->set.wall.open++;
}

static int finish(struct reader *reader)
{
	struct exp_load *load = reader->all.load;
	uint64_t end = exp_load_end(load, reader->last_tsc);

	load->lives = calloc(reader->all.count + 1, sizeof(*load->lives));
	if (!load->lives)
		return -ENOMEM;
	load->life_count = reader->all.count;
	for (size_t i = 0; i < reader->all.count; i++) {
		struct wallthread *thread = &reader->all.threads[i];

		count_earlier(reader, thread, end, EXP_SYNC_OPEN);
		count_open(reader, thread, end);
		wallthread_end(&reader->all, thread);
		load->lives[i] = thread->life;
	}
	load->set.wall.longest_count = reader->all.longest.count;
	load->wall_waits = exp_longest_take(&reader->all.longest);
	load->set.wall.longest = load->wall_waits;
	return load->set.wall.longest_count > 0 && !load->wall_waits ? -ENOMEM : load->rc;
}

static int read_stream(struct exp_load *load, struct exp_stream *stream)
{
	struct reader reader = {
		.all = {.load = load,
	                .longest = {.most = LONGEST, .size = sizeof(struct exp_wait)},
	                .has_profile = exp_load_has_profile(load)}};
	int rc = exp_pauses_read(load->experiment, &reader.all.pauses);

	if (rc == 0 && !reader.all.has_profile)
		rc = exp_load_need(load, EXP_CPU_RESIDUAL);
	if (rc == 0)
		rc = exp_load_in_order(load, stream, on_event, &reader);
	if (rc == 0)
		rc = finish(&reader);
	wallthreads_fini(&reader.all);
	return rc;
}

int exp_wall_read(struct exp_load *load)
{
	return exp_load_kind(load, EXP_DATA_WALL, EXP_WALL_QUEUE, EXP_WALL_COUNT, read_stream);
}
