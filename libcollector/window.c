/* window.c: begin and end the recording of events. See window.h. */
#include "window.h"

#include "allocator.h"
#include "collector.h"
#include "functrace.h"
#include "heap.h"
#include "io.h"
#include "log.h"
#include "sync.h"
#include "usertrace.h"

enum phase { UNKNOWN, BEFORE, INSIDE, BEHIND };

static atomic_uint phase;
static uint64_t first, last; /* event times; last 0: no end */

static void start_events(void)
{
	atomic_store(&col.mark->profile, col.descriptor.profile_us != 0);
	if (col.descriptor.heap)
		heap_start();
	if (col.descriptor.sync)
		sync_start();
	if (col.descriptor.io)
		io_start();
	if (col.descriptor.user)
		usertrace_start();
	if (col.descriptor.functrace)
		functrace_start();
}

static uint64_t ticks_of_ms(uint64_t ms)
{
	return (uint64_t)((double)ms * 1e-3 * (double)col.descriptor.clock_hz);
}

void window_open(void)
{
	uint64_t start = col.descriptor.start_ticks;

	if (col.descriptor.heap)
		allocator_check();
	first = start + ticks_of_ms(col.descriptor.from_ms);
	last = col.descriptor.to_ms ? start + ticks_of_ms(col.descriptor.to_ms) : 0;
	atomic_store(&phase, col.descriptor.from_ms ? BEFORE : INSIDE);
	if (!col.descriptor.from_ms)
		start_events();
}

void window_restart(void)
{
	if (atomic_load(&phase) == INSIDE && !atomic_load(&col.events_stopped))
		start_events();
}

static void log_event(const char *kind)
{
	char buffer[128];
	struct xml_text text = XML_TEXT(buffer);

	col_event_begin(&text, kind);
	col_event_end(&text);
}

static int enter(enum phase from, enum phase to)
{
	unsigned expected = from;

	return atomic_compare_exchange_strong(&phase, &expected, to);
}

void window_check(void)
{
	uint64_t now;

	if (likely(!col.descriptor.from_ms && !last))
		return;
	now = col_ticks();
	if (now >= first && enter(BEFORE, INSIDE)) {
		/* What threads have used until now is not the window's: see tick.c. */
		atomic_fetch_add(&col.epoch, 1);
		log_event("resume");
		start_events();
	}
	if (last && now >= last && enter(INSIDE, BEHIND)) {
		col_stop_events(NULL);
		log_event("pause");
	}
}
