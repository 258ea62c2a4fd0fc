/* trace.c: walks a function trace again, and reports the calls of one thread. See trace.h. */
#include "experiment/xray/trace.h"

#include "experiment/streams/load_context.h"
#include "experiment/xray/calls.h"
#include "experiment/xray/functrace.h"
#include "format/layout.h"

#include <errno.h>
#include <stdlib.h>

struct open_call {
	uint64_t begin;
	uint32_t function;
};

struct teller {
	struct experiment *experiment;
	const struct calls *calls;
	uint32_t tid;
	int is_mine;            /* the buffer */
	uint64_t tsc;           /* of the thread's last record */
	uint64_t until;         /* later records are passed over; 0: none are */
	struct open_call *open; /* open[depth] */
	size_t depth, capacity;
	int (*event)(void *context, const struct exp_trace_event *event);
	void *context;
	int rc;
};

static void tell(struct teller *teller, enum exp_trace_type type, uint32_t function, uint64_t begin,
                 uint64_t tsc)
{
	struct exp_trace_event event = {
		.type = type,
		.function = function,
		.depth = teller->depth,
		.time_s = exp_clock_seconds(&teller->experiment->clock, tsc),
		.duration_ns = tsc > begin ? calls_ns(teller->calls, tsc - begin) : 0,
	};

	if (teller->rc == 0)
		teller->rc = teller->event(teller->context, &event);
}

static void pop(struct teller *teller, enum exp_trace_type type, uint64_t tsc)
{
	const struct open_call *open = &teller->open[--teller->depth];

	tell(teller, type, open->function, open->begin, tsc);
}

static void enter(struct teller *teller, uint32_t function, uint64_t tsc)
{
	if (exp_array_reserve(&teller->open, &teller->capacity, teller->depth,
	                      sizeof(*teller->open)) != 0) {
		teller->rc = -ENOMEM;
		return;
	}
	tell(teller, EXP_TRACE_ENTER, function, tsc, tsc);
	teller->open[teller->depth++] = (struct open_call){tsc, function};
}

static void leave(struct teller *teller, uint32_t function, uint64_t tsc)
{
	size_t at = teller->depth;

	while (at > 0 && teller->open[at - 1].function != function)
		at--;
	if (at == 0)
		return;
	while (teller->depth > at)
		pop(teller, EXP_TRACE_CUT, tsc);
	pop(teller, EXP_TRACE_LEAVE, tsc);
}

static void abandon(struct teller *teller)
{
	while (teller->depth > 0)
		pop(teller, EXP_TRACE_CUT, teller->tsc);
}

static int on_buffer(void *context, uint32_t tid, uint64_t tsc)
{
	struct teller *teller = context;

	(void)tsc;
	teller->is_mine = tid == teller->tid;
	return teller->rc;
}

static const uint8_t *on_functions(void *context, const uint8_t *at, const uint8_t *end,
                                   uint64_t *tsc)
{
	struct teller *teller = context;

	for (; at < end && teller->rc == 0; at += sizeof(uint64_t)) {
		const uint32_t *page;
		uint64_t word;
		uint32_t id;

		memcpy(&word, at, sizeof(word));
		if ((word & 1) != 0 || word == 0 || (word >> 1 & 7) > FDR_ENTER_ARG)
			break;
		*tsc += word >> 32;
		if (teller->until && *tsc > teller->until)
			continue;
		id = (uint32_t)word >> 4;
		page = teller->calls->pages[id >> CALLS_PAGE_SHIFT];
		if (!teller->is_mine || !page || page[id % CALLS_PAGE] == 0)
			continue;
		teller->tsc = *tsc;
		if ((word >> 1 & 7) == FDR_EXIT || (word >> 1 & 7) == FDR_TAIL_EXIT)
			leave(teller, page[id % CALLS_PAGE] - 1, *tsc);
		else
			enter(teller, page[id % CALLS_PAGE] - 1, *tsc);
	}
	return teller->rc == 0 ? at : NULL;
}

static int on_argument(void *context, uint64_t value)
{
	struct teller *teller = context;
	struct exp_trace_event event = {
		.type = EXP_TRACE_ARGUMENT, .argument = value, .depth = teller->depth};

	if (teller->is_mine && teller->rc == 0)
		teller->rc = teller->event(teller->context, &event);
	return teller->rc;
}

/* An event of the program's. One whose length does not fit is damaged. */
static void tell_event(struct teller *teller, const uint8_t *payload, uint32_t size, uint64_t tsc)
{
	struct fmt_traced_event header;
	struct exp_trace_event event = {.type = EXP_TRACE_EVENT, .depth = teller->depth};

	if (size < sizeof(header))
		return;
	memcpy(&header, payload, sizeof(header));
	if (header.size > size - sizeof(header))
		return;
	event.time_s = exp_clock_seconds(&teller->experiment->clock, tsc);
	event.bytes = payload + sizeof(header);
	event.size = header.size;
	event.whole = header.whole;
	event.event_type = header.type;
	event.is_typed = header.form == FMT_traced_form_TYPED;
	teller->rc = teller->event(teller->context, &event);
}

static int on_event(void *context, const uint8_t *payload, uint32_t size, uint64_t tsc)
{
	struct teller *teller = context;

	if (teller->is_mine && payload[0] == FMT_KIND_trace_begin)
		abandon(teller);
	else if (teller->is_mine && teller->rc == 0 && payload[0] == FMT_KIND_traced_event)
		tell_event(teller, payload, size, tsc);
	return teller->rc;
}

int experiment_trace_threads(struct experiment *experiment, uint32_t **out, size_t *count)
{
	const struct calls *calls = experiment->load->calls;
	size_t threads = !calls ? 0 : calls->thread_count;

	*out = calloc(threads + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < threads; i++)
		(*out)[i] = calls->threads[i].tid;
	*count = threads;
	return 0;
}

int experiment_trace(struct experiment *experiment, uint32_t tid,
                     int (*event)(void *context, const struct exp_trace_event *event),
                     void *context)
{
	struct teller teller = {.experiment = experiment,
	                        .calls = experiment->load->calls,
	                        .tid = tid,
	                        .until = experiment->until,
	                        .event = event,
	                        .context = context};
	struct functrace_sink sink = {on_buffer, on_functions, on_argument, on_event, &teller};
	int rc;

	if (!teller.calls)
		return -ENOENT;
	rc = functrace_walk_experiment(experiment, &sink);
	if (rc == 0)
		abandon(&teller);
	free(teller.open);
	return teller.rc != 0 ? teller.rc : rc;
}
