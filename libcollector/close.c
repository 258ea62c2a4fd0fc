/* close.c: end the recording of a process: its last samples, its totals, and how it ended. */
#include "libcollector/close.h"

#include "libcollector/base/source.h"
#include "libcollector/process/archive.h"
#include "libcollector/process/child.h"
#include "libcollector/profile/usage.h"
#include "libcollector/thread/signals.h"
#include "libcollector/write/log.h"

/* All counters and the exit event; less than an append can take. */
enum { TOTALS_SIZE = 3000 };

static void put_count(struct xml_text *text, const char *name, uint64_t value)
{
	xml_put(text, " <count");
	xml_put_string(text, "name", name);
	xml_put_number(text, "value", value);
	xml_put(text, "/>\n");
}

/* Of streams: what the format calls the number of events lost. */
static const char *const lost_names[FMT_STREAMS] = {
#define STREAM(id, name, role) "lost_" name,
#include "format/datakind.def"
};

static void put_counters(struct xml_text *text)
{
	for (const struct source *source = sources.first; source != sources.end; source++)
		if (source->counter && atomic_load(&col.count.events[source->id]))
			put_count(text, source->counter,
			          atomic_load(&col.count.events[source->id]));
#define COUNTER(name) \
	if (atomic_load(&col.count.name)) \
		put_count(text, #name, atomic_load(&col.count.name));
	COL_COUNTERS(COUNTER)
#undef COUNTER
	for (int i = 0; i < FMT_STREAMS; i++)
		if (atomic_load(&col.count.lost[i]))
			put_count(text, lost_names[i], atomic_load(&col.count.lost[i]));
}

static void put_exit(struct xml_text *text, int exit_code)
{
	uint64_t children_ns = usage_children_ns();

	col_event_begin(text, "exit");
	if (exit_code >= 0)
		xml_put_number(text, "code", (uint64_t)exit_code);
	xml_put_number(text, "cpu_ns", usage_cpu_ns());
	if (children_ns)
		xml_put_number(text, "children_ns", children_ns);
	xml_put(text, "/>\n");
}

static void account_all(struct col_thread *self)
{
	uint64_t events[SOURCES] = {0};

	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		if (atomic_load(&thread->tid))
			EACH_SOURCE(thread_account, thread, self, COL_NORMAL);
		for (int i = 0; i < SOURCES; i++)
			events[i] += thread->events[i];
	}
	for (int i = 0; i < SOURCES; i++)
		atomic_store(&col.count.events[i], events[i]);
	EACH_SOURCE(count);
}

static void account(void)
{
	sys_sigset tick = signals_of_ticks();
	struct col_thread *self;
	sys_sigset old;

	child_settle(); /* before the CPU time is read, of which it uses most in a short life */
	sys_sigmask(SIG_BLOCK, &tick, &old);
	self = thread_current();
	if (self && (!child_is_quiet() || usage_is_behind())) {
		account_all(self);
		/* What the first record has cost, if it had to create its file. */
		EACH_SOURCE(thread_account, self, self, COL_NORMAL);
		usage_sample(self, COL_NORMAL, FMT_sample_reason_END);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

/* A process that recorded nothing else has its CPU time in its log only. */
static void put_totals(struct xml_text *text)
{
	account();
	put_counters(text);
	if (child_is_quiet())
		usage_put(text);
}

void process_account(void)
{
	char buffer[TOTALS_SIZE];
	struct xml_text text = XML_TEXT(buffer);

	put_totals(&text);
	if (text.len)
		col_xml_append(COL_LOG, &text);
}

/* A process closes its log once. The stack may be small, and has the frame of a signal on it. */
static void close_log(int exit_code)
{
	static char buffer[TOTALS_SIZE];
	struct xml_text text = XML_TEXT(buffer);

	put_totals(&text);
	put_exit(&text, exit_code);
	col_xml_append(COL_LOG, &text);
	archive_run(exit_code >= 0);
}

/* Totals and the exit event go in one write: CPU time that is used after it was read is in no
 * sample. No tick may come during this: a small alternate stack has no space for both. */
void process_close(int exit_code)
{
	sys_sigset tick = signals_of_ticks();
	sys_sigset old;

	child_look();
	if (!process_is_recorded() || atomic_exchange(&col.closing, 1))
		return;
	sys_sigmask(SIG_BLOCK, &tick, &old);
	close_log(exit_code);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}
