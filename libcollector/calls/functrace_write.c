/* functrace_write.c: function records where the short path of functrace_record is not enough: at
 * the beginning, when an extent is full, on another CPU, after a long time, and in handlers that
 * have interrupted a record. Signals are blocked during this.
 * See doc/decisions/25-function-tracing.md. */
#include "libcollector/calls/functrace_write.h"

#include "libcollector/calls/functrace_record.h"
#include "libcollector/calls/functrace_limits.h"
#include "libcollector/thread/thread.h"

#include <errno.h>

enum {
	RECORD_MAX = 5 * 8, /* bytes: NewCPUId or TSCWrap, the function, an argument */
	CPU_NUMBER = 0xfff, /* of what arch_ticks_cpu tells; the node is behind it */
	EVENT_MAX = 65536 - sizeof(struct fmt_traced_event), /* a multiple of 8 */
	PAGE = 4096,
	WRITERS_MAX = 1024 /* beyond the threads' first ones; jumps out of handlers use them up */
};

static atomic_uint recording;   /* grows with each recording of this process */
static atomic_uint epoch;       /* grows when recording begins, or begins again */
static atomic_uint is_renaming; /* a forked child: its file has no names yet */
static int has_ticks;           /* event time is what arch_ticks_cpu reads */
static void (*rename_all)(void);

void writers_prepare(int with_ticks, void (*to_rename)(void))
{
	has_ticks = with_ticks;
	rename_all = to_rename;
}

void writers_start(int with_names)
{
	atomic_store(&is_renaming, with_names);
	atomic_fetch_add(&epoch, 1);
	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		thread->functrace.first.end = NULL;
		for (struct functrace_writer *writer = thread->functrace.more; writer;
		     writer = writer->next)
			writer->end = NULL;
	}
}

/* A thread may be between reading the switches and writing its record: the extents stay mapped
 * until their writers begin another one. */
void writers_restart(void)
{
	atomic_fetch_add(&recording, 1);
	for (struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		thread->functrace.first.erased = 0;
		thread->functrace.nesting.count = thread->functrace.nesting.over = 0;
		for (struct functrace_writer *writer = thread->functrace.more; writer;
		     writer = writer->next)
			writer->erased = 0;
	}
}

void functrace_thread_begin(struct col_thread *thread)
{
	struct functrace_writer *first = &thread->functrace.first;

	thread->functrace.epoch = thread->functrace.is_slow = 0;
	thread->functrace.nesting.count = thread->functrace.nesting.over = thread->functrace.nesting
	                                                                           .is_busy = 0;
	first->thread = thread;
	first->end = NULL;
	first->busy = 0;
	for (struct functrace_writer *writer = thread->functrace.more; writer;
	     writer = writer->next) {
		writer->end = NULL;
		writer->busy = 0;
	}
}

void writers_count(void)
{
	uint64_t count = 0;

	for (const struct col_thread *thread = thread_first(); thread; thread = thread->next) {
		count += thread->functrace.first.erased;
		for (const struct functrace_writer *writer = thread->functrace.more; writer;
		     writer = writer->next)
			count += writer->erased;
	}
	atomic_store(&col.count.calls_erased, count);
}

void functrace_thread_end(void)
{
	functrace_self = NULL;
}

int functrace_is_interrupted(void)
{
	const struct functrace_writer *writer = functrace_self;

	if (!writer)
		return 0;
	for (const struct functrace_writer *more = writer->thread->functrace.more; more;
	     more = more->next)
		if (more->busy)
			return 1;
	return writer->thread->functrace.first.busy != 0;
}

void functrace_keep_memory(struct col_thread *self, int advice)
{
	col_slot_advise(&self->functrace.first.slot, advice);
	for (struct functrace_writer *writer = self->functrace.more; writer; writer = writer->next)
		col_slot_advise(&writer->slot, advice);
}

/* What the interrupted record writes in the child goes nowhere. */
static void cut_off(struct functrace_writer *writer)
{
	struct col_slot *slot = &writer->slot;

	if (col_slot_is_open(slot))
		SYS6(SYS_mmap, slot->end - slot->size, slot->size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void functrace_cut_off(void)
{
	struct col_thread *thread = functrace_self ? functrace_self->thread : NULL;

	if (thread) {
		cut_off(&thread->functrace.first);
		for (struct functrace_writer *writer = thread->functrace.more; writer;
		     writer = writer->next)
			cut_off(writer);
	}
	functrace_self = NULL;
}

void functrace_forget(void)
{
	functrace_self = NULL;
}

static uint64_t now(uint32_t *cpu)
{
	if (likely(has_ticks))
		return arch_ticks_cpu(cpu);
	*cpu = col_cpu();
	return col_ticks();
}

/* Begin a buffer, and an extent if there is no room. Returns 0, or -errno when the stream has
 * stopped. */
static int begin_buffer(struct functrace_writer *writer, uint32_t tid, uint32_t size)
{
	struct col_slot *slot = &writer->slot;
	struct fdr_prologue prologue;
	int error = col_slot_refill(slot, FMT_STREAM_FUNCTRACE, tid, size);

	if (error < 0)
		return error;
	if (fdr_prologue_get(slot->at - FDR_PROLOGUE_SIZE, &prologue) < 0)
		return -EIO;
	writer->floor = NULL;
	writer->last = prologue.tsc;
	writer->cpu = prologue.cpu;
	return 0;
}

/* Record that the exits of calls which are open in this thread will be missing. */
static void put_begin(struct functrace_writer *writer, uint32_t now_epoch)
{
	struct col_thread *thread = writer->thread;
	struct col_slot *slot = &writer->slot;
	struct fmt_trace_begin record = {
		.kind = FMT_KIND_trace_begin,
		.reason = thread->functrace.epoch ? FMT_trace_reason_RESUME
	                                          : FMT_trace_reason_THREAD,
	};

	thread->functrace.epoch = now_epoch;
	writer->floor = NULL;
	col_slot_write(slot, FMT_STREAM_FUNCTRACE, slot->tid, &record, sizeof(record), col_ticks());
}

/* Put words[count] in the place of the EndOfBuffer, the first word last, and an EndOfBuffer after
 * them. */
static void publish(struct col_slot *slot, const uint64_t *words, unsigned count)
{
	uint64_t *at = (uint64_t *)slot->at;

	at[count] = FDR_END_OF_BUFFER;
	for (unsigned i = count; i-- > 0;)
		__atomic_store_n(&at[i], words[i], __ATOMIC_RELEASE);
	slot->at = (uint8_t *)(at + count);
}

static void put_function(struct functrace_writer *writer, uint64_t word, uint64_t ticks,
                         uint32_t cpu)
{
	uint64_t words[3], delta;
	unsigned count = 0;

	delta = ticks - writer->last;
	if (cpu != writer->cpu || delta > FUNCTRACE_DELTA_MAX) {
		if (cpu != writer->cpu)
			fdr_cpu_words(words, cpu & CPU_NUMBER, ticks);
		else
			fdr_wrap_words(words, ticks);
		count = 2;
		delta = 0;
	}
	words[count++] = delta << 32 | word;
	publish(&writer->slot, words, count);
	if (count > 1 || !writer->floor)
		writer->floor = (uint64_t *)writer->slot.at - 1;
	writer->last = ticks;
	writer->cpu = cpu;
}

/* Have room for `size` bytes of records in the slot; signals are blocked. Returns 0, or -1 if the
 * stream has stopped. */
static int make_room(struct functrace_writer *writer, uint32_t size)
{
	struct col_thread *thread = writer->thread;
	struct col_slot *slot = &writer->slot;
	uint32_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);
	uint32_t now_epoch = atomic_load(&epoch);

	size += 2 * FDR_METADATA_SIZE + sizeof(struct fmt_trace_begin);
	if (unlikely(writer->recording != atomic_load(&recording))) {
		col_slot_abandon(slot);
		*slot = (struct col_slot){.size = 0};
		writer->recording = atomic_load(&recording);
	}
	if (col_slot_is_open(slot))
		slot->at = (uint8_t *)writer->at;
	writer->end = NULL;
	if ((slot->tid != tid || (size_t)(slot->end - slot->at) < size) &&
	    begin_buffer(writer, tid, size) < 0)
		return -1;
	if (unlikely(atomic_exchange(&is_renaming, 0)))
		rename_all();
	if (thread->functrace.epoch != now_epoch)
		put_begin(writer, now_epoch);
	return 0;
}

/* The records in the slot are complete: the short path goes on after them. */
static void take_up(struct functrace_writer *writer)
{
	const struct col_slot *slot = &writer->slot;

	writer->at = (uint64_t *)slot->at;
	/* Without that clock, every record takes the long path. */
	__atomic_store_n(&writer->end, has_ticks ? (uint64_t *)slot->end - RECORD_MAX / 8 : NULL,
	                 __ATOMIC_SEQ_CST);
	/* functrace_start may have come too early for the next record to notice it. */
	if (unlikely(atomic_load(&epoch) != writer->thread->functrace.epoch))
		writer->end = NULL;
}

/* The writer is busy for this record only; signals are blocked. Returns 0, also if the record
 * removed its entry, or -1 if the stream has stopped. */
static int put(struct functrace_writer *writer, uint64_t word)
{
	struct col_thread *thread = writer->thread;
	struct col_slot *slot = &writer->slot;
	uint64_t ticks;
	uint32_t cpu;
	int status;

	if (col_slot_is_open(slot) &&
	    slot->tid == atomic_load_explicit(&thread->tid, memory_order_relaxed) &&
	    thread->functrace.epoch == atomic_load(&epoch) &&
	    limits_erase(writer, word, now(&cpu))) {
		slot->at = (uint8_t *)writer->at;
		writer->busy = 0;
		return 0;
	}
	status = make_room(writer, RECORD_MAX);
	if (status == 0) {
		ticks = now(&cpu);
		put_function(writer, word, ticks, cpu);
		take_up(writer);
	}
	atomic_signal_fence(memory_order_seq_cst);
	writer->busy = 0;
	return status;
}

void functrace_begin_slow(struct col_thread *thread, sys_sigset *old)
{
	sys_block_signals(old);
	if (thread)
		__atomic_store_n(&thread->functrace.is_slow, 1, __ATOMIC_RELEASE);
	atomic_signal_fence(memory_order_seq_cst);
}

void functrace_end_slow(struct col_thread *thread, const sys_sigset *old)
{
	if (thread)
		__atomic_store_n(&thread->functrace.is_slow, 0, __ATOMIC_RELEASE);
	sys_sigmask(SIG_SETMASK, old, NULL);
}

static struct functrace_writer *make_writer(struct col_thread *thread)
{
	static atomic_uint made;
	struct functrace_writer *writer = atomic_fetch_add(&made, 1) < WRITERS_MAX
	                                          ? sys_mmap_anonymous(sizeof(*writer))
	                                          : NULL;

	if (!writer)
		return NULL;
	writer->thread = thread;
	writer->next = thread->functrace.more;
	thread->functrace.more = writer;
	return writer;
}

/* A writer that is not busy. The next record begins a buffer in it. The writers that the thread
 * used before must not be taken: code that found one of them a moment ago, and was interrupted
 * since, would write its records before older ones. */
static struct functrace_writer *take_writer(struct col_thread *thread)
{
	struct functrace_writer *writer = &thread->functrace.first;

	if (writer->busy)
		for (writer = thread->functrace.more; writer && writer->busy;)
			writer = writer->next;
	if (!writer)
		writer = make_writer(thread);
	if (writer)
		writer->slot.tid = 0;
	return writer;
}

/* Take a writer for one or two records. NULL: recording has just ended, or (counted as lost) there
 * is none. */
static struct functrace_writer *hold_writer(struct col_thread *thread)
{
	struct functrace_writer *writer = functrace_self;

	if (unlikely(functrace_mode() == FUNCTRACE_OFF))
		return NULL;
	if (thread && (!writer || writer->busy)) {
		if (writer)
			writer->end = NULL;
		writer = take_writer(thread);
	}
	if (!thread || !writer) {
		col_count(&col.count.lost[FMT_STREAM_FUNCTRACE], 1);
		return NULL;
	}
	writer->busy = 1;
	functrace_self = writer;
	return writer;
}

void functrace_interrupted(uint64_t word)
{
	struct col_thread *thread = thread_current();
	struct functrace_writer *writer;
	sys_sigset old;

	functrace_begin_slow(thread, &old);
	writer = hold_writer(thread);
	if (writer)
		put(writer, word);
	functrace_end_slow(thread, &old);
}

/* A handler may have come, and may have made the thread go on with another writer. A buffer that
 * this one began now would be read after that of the handler and the rest of the thread. So the
 * record gives up its writer, and asks which one is current. */
void functrace_slow(struct functrace_writer *writer, uint64_t word)
{
	writer->busy = 0;
	functrace_interrupted(word);
}

void functrace_argument(uint64_t word, uint64_t value)
{
	struct col_thread *thread = thread_current();
	struct functrace_writer *writer;
	uint64_t words[2];
	sys_sigset old;

	fdr_argument_words(words, value);
	words[1] |= LIMITS_ARGUMENT_TAG;
	functrace_begin_slow(thread, &old);
	writer = hold_writer(thread);
	if (writer && put(writer, word) == 0) {
		publish(&writer->slot, words, 2);
		writer->at = (uint64_t *)writer->slot.at;
	}
	functrace_end_slow(thread, &old);
}

/* The program's own bytes, as other readers of the format show them. */
static void put_bytes(struct col_slot *slot, const uint8_t *bytes, uint32_t size, uint64_t ticks)
{
	uint32_t whole = (uint32_t)fdr_payload_size(size);
	uint8_t *payload = col_slot_event(slot, FMT_STREAM_FUNCTRACE, slot->tid, whole, ticks);

	if (!payload)
		return;
	fdr_own_put(payload, FDR_OWN_UNFINISHED);
	memcpy(payload, bytes, size);
	fdr_own_put(payload, FDR_OWN_BYTES | (whole - size));
}

/* A custom event is its bytes. One that XRay's version 1 has no record for (it is typed, or empty),
 * or that is cut, has a record of ours before it. */
static void put_event(struct functrace_writer *writer, const struct functrace_event *event)
{
	struct fmt_traced_event header = {
		.kind = FMT_KIND_traced_event,
		.form = (uint8_t)event->form,
		.type = event->form == FMT_traced_form_TYPED ? (uint16_t)event->type : 0,
		.size = (uint32_t)(event->size < EVENT_MAX ? event->size : EVENT_MAX),
		.whole = event->size,
	};
	int is_plain = header.form == FMT_traced_form_CUSTOM && header.size != 0 &&
	               header.size == header.whole;
	struct col_slot *slot = &writer->slot;
	uint64_t ticks;
	int status = 0;

	if (make_room(writer, 2 * FDR_METADATA_SIZE + sizeof(header) +
	                              (uint32_t)fdr_payload_size(header.size)) < 0)
		return;
	ticks = col_ticks();
	if (!is_plain)
		status = col_slot_write(slot, FMT_STREAM_FUNCTRACE, slot->tid, &header,
		                        sizeof(header), ticks);
	if (status == 0 && header.size != 0)
		put_bytes(slot, event->data, header.size, ticks);
	writer->floor = NULL;
	take_up(writer);
}

void functrace_event(const struct functrace_event *event)
{
	struct col_thread *thread = thread_current();
	struct functrace_writer *writer;
	sys_sigset old;

	for (uint64_t at = 0; at < event->size && at < EVENT_MAX;
	     at += PAGE - (uint64_t)(event->data + at) % PAGE)
		(void)*(const volatile uint8_t *)(event->data + at);
	functrace_begin_slow(thread, &old);
	writer = hold_writer(thread);
	if (writer) {
		put_event(writer, event);
		writer->busy = 0;
	}
	functrace_end_slow(thread, &old);
}

static void prepare(void)
{
	struct col_thread *thread = thread_current();
	struct functrace_writer *writer;
	sys_sigset old;

	functrace_begin_slow(thread, &old);
	writer = hold_writer(thread);
	if (writer) {
		limits_prepare(&writer->thread->functrace.nesting);
		writer->busy = 0;
	}
	functrace_end_slow(thread, &old);
}

void functrace_limited(uint64_t word, uint64_t value, uint64_t sp, uint64_t site)
{
	if (!functrace_self)
		prepare();
	if (limits_record(word, sp, site) != LIMITS_WRITE)
		return;
	if ((word >> 1 & 7) == FDR_ENTER_ARG)
		functrace_argument(word, value);
	else
		functrace_interrupted(word);
}
