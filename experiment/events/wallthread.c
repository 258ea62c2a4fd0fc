/* wallthread.c: see wallthread.h.
 * See doc/decisions/86-wall-clock.md. */
#include "experiment/events/wallthread.h"

#include <errno.h>
#include <stdlib.h>

/* Of a thread without an account in between; then they are taken as they are. */
enum { WAITS_MAX = 4096 };

/* ---- threads */

static struct wallthread *add_thread(struct wallthreads *threads, uint32_t tid)
{
	uint32_t number = (uint32_t)threads->count;

	if (exp_array_reserve(&threads->threads, &threads->capacity, threads->count,
	                      sizeof(*threads->threads)) != 0 ||
	    exp_index_add(&threads->thread_of, tid, number) != 0) {
		threads->load->rc = -ENOMEM;
		return NULL;
	}
	threads->threads[number] = (struct wallthread){.life = {.tid = tid}};
	threads->count++;
	return &threads->threads[number];
}

struct wallthread *wallthread_of(struct wallthreads *threads, uint32_t tid)
{
	uint32_t at = exp_index_find(&threads->thread_of, tid);

	return at != EXP_INDEX_NONE ? &threads->threads[at] : add_thread(threads, tid);
}

static uint64_t ns_of(const struct wallthreads *threads, uint64_t ticks)
{
	return exp_load_ns(threads->load, ticks);
}

/* ---- waits */

static enum wallspan_doubt doubt_of(const struct wallthread_wait *wait)
{
	if (wait->is_vague ||
	    (wait->kept.error == ECANCELED && wait->kept.family != FMT_wait_family_SYNC))
		return WALLSPAN_LEFT;
	switch (wait->kept.state) {
	case FMT_wall_state_FILE:
	case FMT_wall_state_PIPE:
	case FMT_wall_state_SOCKET:
	case FMT_wall_state_TERMINAL:
	case FMT_wall_state_CHILD: /* the kernel frees what is left of the child */
	case FMT_wall_state_OTHER:
		return WALLSPAN_WORKS;
	default:
		return WALLSPAN_BRIEF;
	}
}

static unsigned type_of(const struct exp_wait *wait)
{
	return wait->func | (unsigned)wait->family << 8;
}

static enum exp_metric metric_of(const struct exp_wait *wait)
{
	return exp_wall_metric(wait->state, type_of(wait));
}

static void count_piece(struct exp_load *load, enum exp_metric metric,
                        const struct wallthread_piece *piece, uint64_t ns)
{
	if (piece->row == EXP_ROW_NONE)
		return;
	exp_load_add(load, metric, piece->row, ns);
	if (piece->waits == 0)
		return;
	exp_load_add(load, EXP_WALL_COUNT, piece->row, piece->waits);
	load->set.quality.wall_waits += piece->waits;
}

/* Count the pieces of a wait, which may have become shorter: each in proportion, the sum is the
 * wait's. */
static void count_wait(struct exp_load *load, const struct wallspan_wait *wait,
                       const struct wallthread_piece *pieces)
{
	uint64_t all_ns = 0, before_ns = 0, counted_ns = 0;

	for (uint32_t i = 0; i < wait->pieces; i++)
		all_ns += pieces[i].ns;
	for (uint32_t i = 0; i < wait->pieces; i++) {
		uint64_t end_ns = wait->ns;

		before_ns += pieces[i].ns;
		if (wait->ns == all_ns)
			end_ns = before_ns;
		else if (before_ns < all_ns)
			end_ns = exp_whole((double)wait->ns * ((double)before_ns / (double)all_ns));
		end_ns = end_ns < wait->ns ? end_ns : wait->ns; /* rounded up, of centuries */
		end_ns = end_ns > counted_ns ? end_ns : counted_ns;
		count_piece(load, (enum exp_metric)wait->metric, &pieces[i], end_ns - counted_ns);
		counted_ns = end_ns;
	}
}

/* Count the waits of a thread since its last account, and forget them. */
static void count_waits(struct wallthreads *threads, struct wallthread *thread)
{
	for (size_t i = 0; i < thread->span.count; i++) {
		const struct wallspan_wait *wait = &thread->span.waits[i];

		count_wait(threads->load, wait,
		           &thread->pieces.pieces[wait->last_piece - wait->pieces]);
	}
	wallspan_clear(&thread->span);
	thread->pieces.count = 0;
}

/* So many that their calls cannot have used much of it: an account would have been made. */
static void give_up_doubts(struct wallthreads *threads, struct wallthread *thread)
{
	uint64_t ns = thread->span.ns + thread->span.sure_ns;

	count_waits(threads, thread);
	thread->span.sure_ns = ns;
}

struct taking {
	struct wallthreads *threads;
	struct wallthread *thread;
	const struct wallthread_wait *wait;
	int is_early;  /* the piece is older than the last account */
	int is_whole;  /* the last piece is that of the whole wait */
	int is_chosen; /* a piece was */
};

static void take_piece(void *context, uint32_t row, uint64_t ns, int is_last)
{
	struct taking *taking = context;
	struct wallthread_pieces *pieces = &taking->thread->pieces;
	struct wallthread_piece piece = {.ns = ns,
	                                 .row = row,
	                                 .waits = is_last && taking->is_whole ? taking->wait->count
	                                                                      : 0};

	taking->is_chosen |= row != EXP_ROW_NONE;
	if (taking->is_early) {
		count_piece(taking->threads->load, metric_of(&taking->wait->kept), &piece, ns);
		return;
	}
	if (exp_array_reserve(&pieces->pieces, &pieces->capacity, pieces->count,
	                      sizeof(*pieces->pieces)) != 0) {
		taking->threads->load->rc = -ENOMEM;
		return;
	}
	pieces->pieces[pieces->count++] = piece;
}

/* The pieces from `first` on are of a wait of `ns` that may become shorter. */
static void add_wait(const struct taking *taking, size_t first, uint64_t ns)
{
	struct wallthread *thread = taking->thread;
	struct wallspan_wait wait = {.ns = ns,
	                             .count = taking->wait->count,
	                             .doubt = (uint8_t)doubt_of(taking->wait),
	                             .metric = (uint8_t)metric_of(&taking->wait->kept),
	                             .pieces = (uint32_t)(thread->pieces.count - first),
	                             .last_piece = thread->pieces.count};

	if (wallspan_add(&thread->span, &wait) != 0)
		taking->threads->load->rc = -ENOMEM;
}

/* Shown first: waits that have not ended, then the longest. */
static void keep_longest(struct wallthreads *threads, const struct wallthread *thread,
                         const struct wallthread_wait *wait)
{
	uint64_t ns = ns_of(threads, wait->ticks);
	uint64_t rank = wait->kept.error == EXP_SYNC_OPEN ? ns | UINT64_C(1) << 63 : ns;
	struct exp_wait kept = wait->kept;

	if (wait->count != 1 || !exp_longest_wants(&threads->longest, rank))
		return;
	kept.time_s = exp_clock_seconds(&threads->load->experiment->clock, wait->to);
	kept.span_ns = ns_of(threads, wait->to - wait->from);
	kept.wait_ns = ns;
	kept.tid = thread->life.tid;
	kept.node = wait->node;
	if (exp_longest_offer(&threads->longest, rank, &kept) != 0)
		threads->load->rc = -ENOMEM;
}

/* What of the wait was in [from, to], without pauses; ns. */
static uint64_t ns_between(const struct wallthreads *threads, const struct wallthread_wait *wait,
                           uint64_t from, uint64_t to)
{
	uint64_t inside = exp_pauses_outside(&threads->pauses, from, to);
	uint64_t span = wait->to - wait->from;

	if (inside == span)
		return ns_of(threads, wait->ticks);
	return ns_of(threads,
	             exp_whole((double)wait->ticks * (double)inside / (double)(span ? span : 1)));
}

static void shorten_rest(struct wallthread_rest *rest, uint64_t ns)
{
	uint64_t other = ns < rest->other_ns ? ns : rest->other_ns;

	rest->other_ns -= other;
	ns -= other;
	rest->queue_ns -= ns < rest->queue_ns ? ns : rest->queue_ns;
}

/* Count the part of a wait in [from, to]. */
static void take_part(struct taking *taking, uint64_t from, uint64_t to)
{
	struct wallthreads *threads = taking->threads;
	const struct wallthread_wait *wait = taking->wait;
	size_t first;
	struct exp_part part = {.fact = {.data = EXP_DATA_WALL,
	                                 .type = type_of(&wait->kept),
	                                 .state = wait->kept.state,
	                                 .waits = wait->count,
	                                 .wait_ticks = wait->ticks / wait->count,
	                                 .begin_ticks = wait->from,
	                                 .buffer_ticks = wait->buffer_ticks,
	                                 .tid = taking->thread->life.tid,
	                                 .cpu = wait->cpu,
	                                 .error = wait->kept.error,
	                                 .address = wait->kept.object,
	                                 .owner = wait->kept.owner,
	                                 .site = wait->kept.site,
	                                 .node = wait->node},
	                        .from = from,
	                        .to = to,
	                        .ns = ns_between(threads, wait, from, to)};

	if (part.ns == 0)
		return;
	if (taking->is_early) {
		shorten_rest(&taking->thread->rest, part.ns);
		exp_part_divide(threads->load, &part, take_piece, taking);
		return;
	}
	taking->thread->goes_on = 1;
	if (taking->thread->span.count == WAITS_MAX)
		give_up_doubts(threads, taking->thread);
	first = taking->thread->pieces.count;
	exp_part_divide(threads->load, &part, take_piece, taking);
	add_wait(taking, first, part.ns);
}

void wallthread_wait(struct wallthreads *threads, struct wallthread *thread,
                     const struct wallthread_wait *wait)
{
	struct taking taking = {.threads = threads, .thread = thread, .wait = wait};
	uint64_t at = thread->life.at;

	exp_load_time(threads->load, wait->to);
	at = at < wait->from ? wait->from : at;
	at = at < wait->to ? at : wait->to;
	if (at > wait->from) {
		taking.is_early = 1;
		taking.is_whole = at == wait->to;
		take_part(&taking, wait->from, at);
	}
	taking.is_early = 0;
	taking.is_whole = 1;
	if (at < wait->to)
		take_part(&taking, at, wait->to);
	if (taking.is_chosen)
		keep_longest(threads, thread, wait);
}

/* ---- the time between waits */

static void count_rest(struct wallthreads *threads, struct wallthread *thread)
{
	const struct wallthread_rest *rest = &thread->rest;
	struct exp_part part = {.fact = {.data = EXP_DATA_WALL,
	                                 .tid = thread->life.tid,
	                                 .buffer_ticks = rest->to,
	                                 .begin_ticks = rest->from,
	                                 .wait_ticks = rest->to - rest->from,
	                                 .node = EXP_NODE_NONE},
	                        .from = rest->from,
	                        .to = rest->to};

	part.ns = rest->queue_ns;
	part.fact.state = FMT_wall_state_QUEUE;
	if (part.ns > 0)
		exp_part_count(threads->load, &part);
	part.ns = rest->other_ns;
	part.fact.state = FMT_wall_state_OTHER;
	if (part.ns > 0)
		exp_part_count(threads->load, &part);
	threads->load->set.quality.wall_unknown_ns += rest->other_ns;
	thread->rest = (struct wallthread_rest){0};
}

/* A wait that has not ended has a part in the rest before each account since its beginning. */
static void keep_rest(struct wallthreads *threads, struct wallthread *thread,
                      const struct wallthread_rest *rest)
{
	struct wallthread_rest *kept = &thread->rest;

	if (!thread->open_at.payload || kept->to <= thread->open_at.tsc || kept->to != rest->from) {
		count_rest(threads, thread);
		*kept = *rest;
		return;
	}
	kept->to = rest->to;
	kept->queue_ns += rest->queue_ns;
	kept->other_ns += rest->other_ns;
}

/* CPU time that no clock samples tell of. */
static void count_cpu(struct wallthreads *threads, const struct wallthread *thread, uint64_t to,
                      uint64_t cpu_ns)
{
	struct exp_part part = {.fact = {.data = EXP_DATA_WALL,
	                                 .state = FMT_wall_state_USER,
	                                 .tid = thread->life.tid,
	                                 .buffer_ticks = to,
	                                 .begin_ticks = thread->life.at,
	                                 .wait_ticks = to - thread->life.at,
	                                 .node = EXP_NODE_NONE},
	                        .from = thread->life.at,
	                        .to = to,
	                        .ns = cpu_ns};

	if (!threads->has_profile && cpu_ns > 0)
		exp_part_count(threads->load, &part);
}

/* A thread begins, or its recording does again. Waits that came before its first account are its
 * own, unless an earlier thread had the same id and no end. */
static void begin_life(struct wallthreads *threads, struct wallthread *thread, uint64_t begin)
{
	count_rest(threads, thread);
	if (thread->life.begin && !thread->is_ended) {
		give_up_doubts(threads, thread);
		thread->span.sure_ns = 0;
	}
	thread->life.begin = thread->life.at = begin;
	thread->life.cpu_ns = thread->queue_ns = 0;
}

/* The time from the last account of the thread to one at `at`. */
static void settle(struct wallthreads *threads, struct wallthread *thread, uint64_t at,
                   uint64_t cpu_ns, uint64_t queue_ns)
{
	uint64_t all_ns = ns_of(threads, exp_pauses_outside(&threads->pauses, thread->life.at, at));
	uint64_t rest_ns = wallspan_settle(&thread->span, all_ns > cpu_ns ? all_ns - cpu_ns : 0,
	                                   queue_ns);

	count_waits(threads, thread);
	count_cpu(threads, thread, at, cpu_ns);
	queue_ns = queue_ns < rest_ns ? queue_ns : rest_ns;
	keep_rest(threads, thread,
	          &(struct wallthread_rest){thread->life.at, at, queue_ns, rest_ns - queue_ns});
	threads->load->set.quality.wall_ns += all_ns;
	thread->life.at = at;
}

/* A thread that began before anything was kept: its time counts from its first account on. */
static void begin_late(struct wallthreads *threads, struct wallthread *thread,
                       const struct fmt_account *account, uint64_t at)
{
	count_waits(threads, thread);
	thread->life.at = at;
	thread->life.cpu_ns = account->cpu_ns;
	thread->queue_ns = account->queue_ns != UINT64_MAX ? account->queue_ns : 0;
}

void wallthread_account(struct wallthreads *threads, const struct fmt_account *account, uint64_t at)
{
	struct wallthread *thread = wallthread_of(threads, account->tid);
	uint64_t cpu_ns, queue_ns = 0;

	if (!thread)
		return;
	if (thread->life.begin != account->begin) {
		begin_life(threads, thread, account->begin);
		if (account->begin < threads->load->experiment->kept_from)
			begin_late(threads, thread, account, at);
	}
	if (at < thread->life.at)
		return;
	cpu_ns = account->cpu_ns > thread->life.cpu_ns ? account->cpu_ns - thread->life.cpu_ns : 0;
	if (account->queue_ns != UINT64_MAX && account->queue_ns > thread->queue_ns) {
		queue_ns = account->queue_ns - thread->queue_ns;
		thread->queue_ns = account->queue_ns;
	}
	settle(threads, thread, at, cpu_ns, queue_ns);
	thread->life.cpu_ns += cpu_ns;
	thread->is_ended = account->reason != FMT_account_reason_SPAN;
	thread->goes_on = 0;
}

void wallthread_end(struct wallthreads *threads, struct wallthread *thread)
{
	thread->life.waited_ns = thread->span.ns + thread->span.sure_ns;
	count_waits(threads, thread);
	count_rest(threads, thread);
	thread->life.end = wallthread_has_ended(thread) ? thread->life.at : 0;
}

void wallthreads_fini(struct wallthreads *threads)
{
	for (size_t i = 0; i < threads->count; i++) {
		wallspan_fini(&threads->threads[i].span);
		free(threads->threads[i].pieces.pieces);
	}
	free(threads->threads);
	exp_index_fini(&threads->thread_of);
	exp_pauses_fini(&threads->pauses);
	exp_longest_fini(&threads->longest);
}
