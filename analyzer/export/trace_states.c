/* trace_states.c: what each thread did when: the states of its waits, and USER or SYSTEM where
 * clock samples say that it ran. The CPU time of a sample was spent before it, nobody knows when:
 * it stands in the last time before the sample that is not known to be a wait. What is left is not
 * known. See trace.h. */
#include "analyzer/export/trace.h"

#include "analyzer/base/memory.h"
#include "format/record.h"

#include <stdlib.h>

enum { NEAR = 16 }; /* a gap below this part of a sample's time is taken for running */

/* Of each wait and sample there is one until all are known, so they are small. */
struct span {
	uint64_t begin_ns;
	uint64_t end_ns : 56; /* for two years; later ones are cut */
	uint64_t state : 8;
};
#define END_MOST ((UINT64_C(1) << 56) - 1)

static struct span span_of(uint64_t begin_ns, uint64_t end_ns, unsigned state)
{
	end_ns = end_ns < END_MOST ? end_ns : END_MOST;
	return (struct span){begin_ns < end_ns ? begin_ns : end_ns, end_ns, state & 255};
}

static uint64_t length_of(const struct span *span)
{
	return span->end_ns - span->begin_ns;
}

struct spans {
	struct span *spans;
	size_t count, capacity;
};

struct thread {
	uint64_t tid;
	struct spans waits, samples;
};

struct trace_states {
	trace_states_put *put;
	void *context;
	struct thread *threads;
	size_t thread_count, thread_capacity;
	struct exp_index by_tid;
};

struct trace_states *trace_states_create(trace_states_put *put, void *context)
{
	struct trace_states *states = memory_take(1, sizeof(*states));

	states->put = put;
	states->context = context;
	return states;
}

static struct thread *find_thread(struct trace_states *states, uint64_t tid)
{
	uint32_t known = exp_index_find(&states->by_tid, tid);

	if (known != EXP_INDEX_NONE)
		return &states->threads[known];
	states->threads = memory_grow(states->threads, states->thread_count,
	                              &states->thread_capacity, sizeof(*states->threads));
	states->threads[states->thread_count] = (struct thread){.tid = tid};
	if (exp_index_add(&states->by_tid, tid, (uint32_t)states->thread_count) != 0)
		memory_fail();
	return &states->threads[states->thread_count++];
}

static void add(struct spans *spans, struct span span)
{
	spans->spans = memory_grow(spans->spans, spans->count, &spans->capacity,
	                           sizeof(*spans->spans));
	spans->spans[spans->count++] = span;
}

void trace_states_wait(struct trace_states *states, uint64_t tid, uint64_t begin_ns,
                       uint64_t end_ns, unsigned state)
{
	if (begin_ns < end_ns)
		add(&find_thread(states, tid)->waits, span_of(begin_ns, end_ns, state));
}

void trace_states_sample(struct trace_states *states, uint64_t tid, uint64_t ns, uint64_t cpu_ns,
                         unsigned state)
{
	uint64_t begin_ns = ns > cpu_ns ? ns - cpu_ns : 0;

	if (cpu_ns > 0)
		add(&find_thread(states, tid)->samples, span_of(begin_ns, ns, state));
}

static int by_begin(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

static int by_end(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Add a piece behind all others; what joins the last one and is of its state makes that longer. */
static void append(struct spans *out, uint64_t begin_ns, uint64_t end_ns, unsigned state,
                   uint64_t near_ns)
{
	struct span *last = out->count > 0 ? &out->spans[out->count - 1] : NULL;

	if (last && begin_ns < last->end_ns)
		begin_ns = last->end_ns;
	if (begin_ns >= end_ns)
		return;
	if (last && last->state == state && begin_ns - last->end_ns <= near_ns)
		last->end_ns = end_ns & END_MOST;
	else
		add(out, span_of(begin_ns, end_ns, state));
}

static int is_flat(const struct spans *waits)
{
	for (size_t i = 1; i < waits->count; i++)
		if (waits->spans[i].begin_ns < waits->spans[i - 1].end_ns)
			return 0;
	return 1;
}

/* What follows without a gap and is of one state becomes one, in place. */
static struct spans join(const struct spans *waits)
{
	struct spans joined = *waits;

	joined.count = 0;
	for (size_t i = 0; i < waits->count; i++)
		append(&joined, waits->spans[i].begin_ns, waits->spans[i].end_ns,
		       waits->spans[i].state, 0);
	return joined;
}

/* Waits that are in others, as those of a signal handler, divide these: what is innermost counts.
 * The spans of `waits` are taken over, or freed. */
static struct spans flatten(struct spans *waits)
{
	struct spans flat = {.count = 0}, open = {.count = 0};
	uint64_t at = 0;

	if (is_flat(waits)) {
		flat = join(waits);
		*waits = open;
		return flat;
	}

	for (size_t i = 0; i <= waits->count; i++) {
		uint64_t next = i < waits->count ? waits->spans[i].begin_ns : UINT64_MAX;

		while (open.count > 0) {
			const struct span *top = &open.spans[open.count - 1];
			uint64_t end = top->end_ns < next ? top->end_ns : next;

			append(&flat, at > top->begin_ns ? at : top->begin_ns, end, top->state, 0);
			at = end > at ? end : at;
			if (top->end_ns > next)
				break;
			open.count--;
		}
		if (i < waits->count)
			add(&open, waits->spans[i]);
	}
	free(open.spans);
	free(waits->spans);
	*waits = (struct spans){.count = 0};
	return flat;
}

/* Put the time of a sample into the gaps of waits[0 .. before) that end at its end, down to
 * from_ns. *pieces, the latest first, is filled. Returns when the last wait before them ended. */
static uint64_t find_gaps(const struct spans *waits, size_t before, const struct span *sample,
                          uint64_t from_ns, struct spans *pieces)
{
	uint64_t end = sample->end_ns, left = length_of(sample);

	pieces->count = 0;
	while (left > 0 && end > from_ns) {
		const struct span *wait = before > 0 ? &waits->spans[before - 1] : NULL;
		uint64_t begin = wait && wait->end_ns > from_ns ? wait->end_ns : from_ns;

		if (begin < end) {
			uint64_t taken = end - begin < left ? end - begin : left;

			add(pieces, span_of(end - taken, end, sample->state));
			left -= taken;
		}
		if (!wait || left == 0)
			return wait ? wait->end_ns : 0;
		end = wait->begin_ns < end ? wait->begin_ns : end;
		before--;
	}
	return before > 0 ? waits->spans[before - 1].end_ns : 0;
}

/* The pieces of all samples of a thread, in order. */
static struct spans place(const struct spans *waits, const struct spans *samples)
{
	struct spans running = {.count = 0}, pieces = {.count = 0};
	uint64_t from_ns = 0, waited_ns;
	size_t before = 0;

	for (size_t i = 0; i < samples->count; i++) {
		const struct span *sample = &samples->spans[i];

		while (before < waits->count && waits->spans[before].begin_ns < sample->end_ns)
			before++;
		waited_ns = find_gaps(waits, before, sample, from_ns, &pieces);
		for (size_t j = pieces.count; j-- > 0;) {
			int follows = j + 1 == pieces.count && waited_ns <= from_ns;

			append(&running, pieces.spans[j].begin_ns, pieces.spans[j].end_ns,
			       sample->state, follows ? length_of(sample) / NEAR : 0);
		}
		from_ns = sample->end_ns;
	}
	free(pieces.spans);
	return running;
}

static void put(const struct trace_states *states, const struct thread *thread,
                const struct span *span)
{
	states->put(states->context, thread->tid, span->begin_ns, span->end_ns, span->state);
}

static void put_thread(const struct trace_states *states, struct thread *thread)
{
	struct spans waits, running;
	size_t i = 0, j = 0;

	if (thread->waits.count > 1)
		qsort(thread->waits.spans, thread->waits.count, sizeof(struct span), by_begin);
	if (thread->samples.count > 1)
		qsort(thread->samples.spans, thread->samples.count, sizeof(struct span), by_end);
	waits = flatten(&thread->waits);
	running = place(&waits, &thread->samples);
	while (i < waits.count || j < running.count) {
		if (j == running.count ||
		    (i < waits.count && waits.spans[i].begin_ns < running.spans[j].begin_ns))
			put(states, thread, &waits.spans[i++]);
		else
			put(states, thread, &running.spans[j++]);
	}
	free(waits.spans);
	free(running.spans);
}

void trace_states_destroy(struct trace_states *states)
{
	for (size_t i = 0; i < states->thread_count; i++) {
		put_thread(states, &states->threads[i]);
		free(states->threads[i].waits.spans);
		free(states->threads[i].samples.spans);
	}
	free(states->threads);
	exp_index_fini(&states->by_tid);
	free(states);
}
