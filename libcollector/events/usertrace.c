/* usertrace.c: records user events. A program finds these functions in the table xer_trace
 * (include/sys/trchkid.h), the only symbol of the recorder that it may use for this.
 *
 * No stack is recorded: an event is a reading of the clock and a few stores. A program may log in
 * its signal handlers: an event inside the recorder is lost and counted, as for all wrappers.
 * See doc/decisions/46-user-events.md. */
#include "libcollector/events/usertrace.h"

#include "libcollector/object/map.h"
#include "libcollector/thread/scope.h"
#include "libcollector/thread/signals.h"
#include "libcollector/events/usertrace_plan.h"

#include "include/sys/trchkid.h"

/* The hooks of the events that record switching; the data word is the channel. */
enum { HOOK_ON = 0x0010, HOOK_OFF = 0x0020, CHANNEL_BITS = 8 };
enum { ALL_CHANNELS = (1 << FMT_USER_CHANNELS) - 2 };

static atomic_uint switches; /* as in switches->on[SOURCE_USER]: what is on, whether or not events
                                are recorded now */
static atomic_uint started;
static atomic_uint halted; /* paused, or ended */

/* Of the table only `on` ever changes. */
static void put_words(unsigned count, unsigned word, unsigned long d1, unsigned long d2,
                      unsigned long d3, unsigned long d4, unsigned long d5);
static void put_wide(unsigned count, unsigned word, const unsigned long long *data);
static void put_bytes(int channel, unsigned word, unsigned long d1, size_t len, const void *buf);
static int turn(int channel, int on);
static int turn_component(const char *name, int on);
static int is_hook_on(int channel, unsigned word);

EXPORT struct xer_trace_table xer_trace = {
	.size = sizeof(struct xer_trace_table),
	.words = put_words,
	.wide = put_wide,
	.bytes = put_bytes,
	.turn = turn,
	.turn_component = turn_component,
	.is_hook_on = is_hook_on,
};

/* Which traces and channels record now. A forked child's switches are zero. */
static inline unsigned now_on(void)
{
	return col_on(SOURCE_USER);
}

/* The trace in which to record an event, or PLAN_NOWHERE. */
static inline int trace_of(unsigned on, int channel, unsigned word)
{
	int trace = on ? plan_route(word) : PLAN_NOWHERE;

	if (trace >= 0 && channel != 0 && !(on >> (CHANNEL_BITS + channel) & 1))
		return PLAN_NOWHERE;
	return trace >= 0 && on >> trace & 1 ? trace : PLAN_NOWHERE;
}

/* Begin the record of an event in the scope of `thread`. NULL: the stream has stopped. */
static inline uint64_t *begin(struct col_thread *thread, int trace, uint32_t size)
{
	enum fmt_stream stream = FMT_STREAM_USERTRACE + (enum fmt_stream)trace;
	struct col_slot *slot = &thread->slot[COL_NORMAL][stream];
	uint64_t *payload = (uint64_t *)col_slot_event(
		slot, stream, atomic_load_explicit(&thread->tid, memory_order_relaxed), size,
		col_ticks());

	if (likely(payload != NULL)) {
		if (unlikely(thread->events[SOURCE_USER]++ ==
		             0)) /* addresses in data words are shown by name */
			map_begin();
		if (slot->part)
			slot->part->events++;
	}
	return payload;
}

static inline uint64_t header(enum fmt_kind kind, unsigned shape, unsigned number, unsigned word)
{
	return kind | (uint64_t)shape << 8 | (uint64_t)number << 16 |
	       (uint64_t)(word & 0xffff) << 32 | (uint64_t)(word >> 16) << 48;
}

static void record_words(int trace, unsigned shape, unsigned word,
                         const uint64_t data[FMT_USER_WORDS])
{
	struct col_thread *thread = scope_enter();
	unsigned count = shape & FMT_USER_COUNT;
	unsigned low = 0;
	uint64_t *payload;

	if (!thread)
		return;
	payload = begin(thread, trace, (8 + count * 8 + 15) & ~15u);
	if (likely(payload != NULL)) {
		for (unsigned i = 0; i < count; i++) {
			payload[1 + i] = data[i] & ~(uint64_t)FMT_USER_LOW;
			low |= fmt_user_low_of(data[i]) << 2 * i;
		}
		fdr_word_put(payload, header(FMT_KIND_user, shape, low, word));
	}
	scope_leave(thread);
}

static void put_words(unsigned count, unsigned word, unsigned long d1, unsigned long d2,
                      unsigned long d3, unsigned long d4, unsigned long d5)
{
	int trace = trace_of(now_on(), 0, word);
	uint64_t data[FMT_USER_WORDS] = {d1, d2, d3, d4, d5};
	unsigned shape = count > FMT_USER_WORDS ? FMT_USER_WORDS : count;

	if (sizeof(long) == 4)
		shape |= FMT_USER_32;
	if (trace >= 0)
		record_words(trace, shape, word, data);
}

static void put_wide(unsigned count, unsigned word, const unsigned long long *data)
{
	int trace = trace_of(now_on(), 0, word);
	uint64_t copy[FMT_USER_WORDS] = {0};

	count = count > FMT_USER_WORDS ? FMT_USER_WORDS : count;
	for (unsigned i = 0; i < count; i++)
		copy[i] = data[i];
	if (trace >= 0)
		record_words(trace, count, word, copy);
}

static void record_bytes(int trace, unsigned shape, unsigned word, uint64_t d1, uint32_t len,
                         const void *buf)
{
	struct col_thread *thread = scope_enter();
	uint64_t *payload;

	if (!thread)
		return;
	payload = begin(thread, trace, ((uint32_t)sizeof(struct fmt_user_bytes) + len + 15) & ~15u);
	if (payload) {
		payload[1] = d1;
		memcpy(&payload[2], buf, len);
		fdr_word_put(payload, header(FMT_KIND_user_bytes, shape, len, word));
	}
	scope_leave(thread);
}

static void put_bytes(int channel, unsigned word, unsigned long d1, size_t len, const void *buf)
{
	unsigned shape = (unsigned)channel;
	int trace;

	if (channel < 0 || channel >= FMT_USER_CHANNELS)
		return;
	trace = trace_of(now_on(), channel, word);
	if (trace < 0)
		return;
	if (!buf)
		len = 0;
	if (len > FMT_USER_BYTES) {
		len = FMT_USER_BYTES;
		shape |= FMT_USER_CUT;
		col_count(&col.count.user_truncated, 1);
	}
	if (sizeof(long) == 4)
		shape |= FMT_USER_32;
	record_bytes(trace, shape, word, d1, (uint32_t)len, buf);
}

/* ---- on and off ---- */

/* Apply the switches. This may race with the end of recording: a recording that has ended does not
 * begin again. */
static void publish(void)
{
	unsigned on = atomic_load(&switches);

	if (!atomic_load(&started) || atomic_load(&halted) || !col_is_recording())
		return;
	atomic_store(&col.switches->on[SOURCE_USER], on);
	__atomic_store_n(&xer_trace.on, on != 0, __ATOMIC_RELAXED);
	if (atomic_load(&halted))
		usertrace_stop();
}

static void note_switch(int trace, int channel, int on)
{
	uint64_t data[FMT_USER_WORDS] = {(uint64_t)channel};

	if (now_on() >> trace & 1)
		record_words(trace, 1, (on ? HOOK_ON : HOOK_OFF) << 16, data);
}

/* Switch one bit, and record that in `trace` while it is on. */
static void turn_bit(unsigned bit, int trace, int channel, int on)
{
	unsigned mask = 1u << bit;

	if (on && !(atomic_fetch_or(&switches, mask) & mask)) {
		publish();
		note_switch(trace, channel, 1);
	}
	if (!on && atomic_load(&switches) & mask) {
		note_switch(trace, channel, 0);
		atomic_fetch_and(&switches, ~mask);
		publish();
	}
}

static int turn(int channel, int on)
{
	if (channel < 0 || channel >= FMT_USER_CHANNELS)
		return -1;
	if (channel == 0 && !(col.descriptor.user & 1))
		return -1;
	turn_bit(channel == 0 ? 0 : (unsigned)(CHANNEL_BITS + channel), 0, channel, on);
	return 0;
}

static void turn_trace(int trace, int on)
{
	turn_bit((unsigned)trace, trace, 0, on);
}

static int turn_component(const char *name, int on)
{
	int trace = plan_component(name);

	if (trace < 0)
		return -1;
	turn_trace(trace, on);
	return 0;
}

static int is_hook_on(int channel, unsigned word)
{
	if (channel < 0 || channel >= FMT_USER_CHANNELS)
		return 0;
	return trace_of(now_on(), channel, word) >= 0;
}

/* The signal of the user: what is on is switched off; if nothing is on, everything is switched
 * on. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	int on = !(atomic_load(&switches) & ((1u << FMT_USER_TRACES) - 1));

	if (!col_is_recording()) {
		signals_forward(signal, info, context);
		return;
	}
	for (int trace = 0; trace < FMT_USER_TRACES; trace++)
		if (col.descriptor.user >> trace & 1)
			turn_trace(trace, on);
}

static void open_traces(void)
{
	plan_open();
	atomic_store(&switches, (unsigned)col.descriptor.user_on | ALL_CHANNELS << CHANNEL_BITS);
	atomic_store(&started, 1);
	if (col.descriptor.user_signal)
		signals_install((int)col.descriptor.user_signal, on_signal);
}

/* A resumed recording, and a forked child, keep the switches as they are. */
void usertrace_start(void)
{
	atomic_store(&halted, 0);
	if (!atomic_load(&started))
		open_traces();
	publish();
}

void usertrace_stop(void)
{
	atomic_store(&halted, 1);
	atomic_store(&col.switches->on[SOURCE_USER], 0);
	__atomic_store_n(&xer_trace.on, 0, __ATOMIC_RELAXED);
}

void usertrace_again(void)
{
	plan_forget();
	atomic_store(&started, 0);
}
