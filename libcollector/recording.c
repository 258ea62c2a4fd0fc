/* recording.c: begin and end the recording of events. See recording.h.
 *
 * Whether events are to be recorded follows from three variables that any thread may change at any
 * time (`wanted`). One thread at a time sets the switches accordingly; a thread that finds another
 * one doing so leaves it to that one, which checks again when it is done.
 * See doc/decisions/36-pauses.md. */
#include "libcollector/recording.h"

#include "libcollector/base/source.h"
#include "libcollector/profile/usage.h"
#include "libcollector/write/log.h"

enum phase { UNKNOWN, BEFORE, INSIDE, BEHIND };
enum events { STOPPED, PAUSED, RECORDED };

static atomic_uint phase, paused;
static atomic_uint busy;
static atomic_uint current = RECORDED; /* enum events, as the switches are; before the start, what
                                          they may be */
static uint64_t first, last;           /* event times; last 0: no end */

static enum events wanted(void)
{
	if (atomic_load(&phase) != INSIDE || atomic_load(&col.events_stopped))
		return STOPPED;
	return atomic_load(&paused) ? PAUSED : RECORDED;
}

static void change_to(enum events to)
{
	if (atomic_exchange(&current, to) == to)
		return;
	if (to == RECORDED)
		sources_start();
	else if (to == PAUSED)
		sources_pause();
	else
		sources_stop();
}

static void apply(void)
{
	enum events to;

	do {
		if (atomic_exchange(&busy, 1))
			return;
		to = wanted();
		change_to(to);
		atomic_store(&busy, 0);
	} while (to != wanted());
}

static uint64_t ticks_of_ms(uint64_t ms)
{
	return (uint64_t)((double)ms * 1e-3 * (double)col.descriptor.clock_hz);
}

/* With the CPU time of the process, from which readers know how much of it was in pauses. */
static void log_event(const char *kind)
{
	char buffer[160];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, kind);
	xml_put_number(&text, "cpu_ns", usage_cpu_ns());
	col_event_end(&text);
}

void recording_open(void)
{
	uint64_t start = col.descriptor.start_ticks;

	sources_open();
	first = start + ticks_of_ms(col.descriptor.from_ms);
	last = col.descriptor.to_ms ? start + ticks_of_ms(col.descriptor.to_ms) : 0;
	atomic_store(&paused, col.descriptor.step.paused != 0);
	atomic_store(&phase, col.descriptor.from_ms ? BEFORE : INSIDE);
	recording_restart();
}

/* the switches are zero: in the first process, and in a forked child. */
void recording_restart(void)
{
	atomic_store(&busy, 0);
	atomic_store(&current, STOPPED);
	if (wanted() != RECORDED)
		log_event("pause");
	apply();
}

void recording_stop(const char *why)
{
	enum events before = wanted();

	if (!atomic_exchange(&col.events_stopped, 1)) {
		if (why)
			col_log_warning(why);
		if (before == RECORDED && col_is_recording())
			log_event("pause");
	}
	apply();
}

static int enter(enum phase from, enum phase to)
{
	unsigned expected = from;

	return atomic_compare_exchange_strong(&phase, &expected, to);
}

void recording_check(void)
{
	uint64_t now;

	if (likely(!col.descriptor.from_ms && !last))
		return;
	now = col_ticks();
	if (now >= first && enter(BEFORE, INSIDE)) {
		/* What threads have used until now does not count: see tick_sample.h. */
		atomic_fetch_add(&col.epoch, 1);
		if (!atomic_load(&paused))
			log_event("resume");
		apply();
	}
	if (last && now >= last && atomic_load(&phase) == INSIDE) {
		recording_stop(NULL);
		enter(INSIDE, BEHIND);
	}
}

/* ---- by the program or the user ---- */

static void for_each_thread(void (*act)(struct col_thread *thread, struct col_thread *self),
                            struct col_thread *self)
{
	for (struct col_thread *thread = thread_first(); thread; thread = thread->next)
		if (atomic_load(&thread->tid))
			act(thread, self);
}

static void count_until_now(struct col_thread *thread, struct col_thread *self)
{
	EACH_SOURCE(thread_account, thread, self, COL_HANDLER);
}

static void count_from_now(struct col_thread *thread, struct col_thread *self)
{
	(void)self;
	EACH_SOURCE(thread_pass, thread);
}

void recording_pause(struct col_thread *self)
{
	if (atomic_exchange(&paused, 1))
		return;
	col.descriptor.step.paused = 1; /* for the program that this one may become */
	for_each_thread(count_until_now, self);
	if (atomic_load(&phase) == INSIDE)
		log_event("pause");
	apply();
}

void recording_resume(struct col_thread *self)
{
	if (!atomic_exchange(&paused, 0))
		return;
	col.descriptor.step.paused = 0;
	for_each_thread(count_from_now, self);
	if (atomic_load(&phase) == INSIDE)
		log_event("resume");
	apply();
}

void recording_toggle(struct col_thread *self)
{
	if (atomic_load(&paused))
		recording_resume(self);
	else
		recording_pause(self);
}
