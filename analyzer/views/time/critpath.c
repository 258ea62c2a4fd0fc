/* critpath.c: see critpath.h. */
#include "analyzer/views/time/critpath.h"

#include "analyzer/base/memory.h"
#include "analyzer/views/events/waitname.h"
#include "format/record.h"

#include <stdlib.h>

/* CHILD_NS: how much earlier a child may have ended than a wait that its end may have ended. JUMPS:
 * between threads without a step back in time; locks may be passed around in a circle. */
enum { CHILD_NS = 5000000, JUMPS = 64, STEPS = 1 << 22 };

/* The path is with others since a wait for a lock, and comes back to the thread that waited where
 * the wait began. */
struct away {
	uint32_t thread;
	const struct crit_wait *wait;
};

struct walk {
	const struct crit_waits *waits;
	struct crit_path *out;
	int64_t from_ns;
	/* Where it is: */
	uint32_t thread;
	int64_t at_ns;
	enum crit_reason reason;
	const struct crit_wait *of;
	unsigned jumps;          /* since the last step */
	struct away away[JUMPS]; /* the innermost last; later ones begin later or at once */
	unsigned away_count;
};

/* The path goes back to `from_ns` in its thread. */
static void step(struct walk *walk, int64_t from_ns, const struct crit_wait *wait)
{
	struct crit_path *out = walk->out;
	int64_t least_ns = walk->from_ns;

	for (unsigned i = 0; i < walk->away_count; i++)
		if (walk->away[i].wait->begin_ns > least_ns)
			least_ns = walk->away[i].wait->begin_ns;
	from_ns = from_ns > least_ns ? from_ns : least_ns;
	if (from_ns >= walk->at_ns)
		return;
	out->steps = memory_grow(out->steps, out->count, &out->capacity, sizeof(*out->steps));
	out->steps[out->count++] = (struct crit_step){walk->thread, from_ns,      walk->at_ns,
	                                              wait,         walk->reason, walk->of};
	walk->at_ns = from_ns;
	walk->jumps = 0;
}

static void jump(struct walk *walk, uint32_t thread, enum crit_reason reason,
                 const struct crit_wait *of)
{
	walk->thread = thread;
	walk->reason = reason;
	walk->of = of;
	walk->jumps++;
}

/* The outermost thread that the path has left and that began to wait no earlier than where it is;
 * away_count: none. */
static unsigned left_by(const struct walk *walk)
{
	unsigned i = 0;

	while (i < walk->away_count && walk->at_ns > walk->away[i].wait->begin_ns)
		i++;
	return i;
}

static void come_back(struct walk *walk, unsigned to)
{
	walk->away_count = to;
	jump(walk, walk->away[to].thread, CRIT_WAITER, walk->away[to].wait);
}

/* The part that wait->owner has. */
static enum crit_reason owner_reason(const struct crit_wait *wait)
{
	static const enum crit_reason reasons[] = {[WAIT_HOLDER] = CRIT_LOCK,
	                                           [WAIT_JOINED] = CRIT_JOIN,
	                                           [WAIT_SIGNALLER] = CRIT_SIGNAL,
	                                           [WAIT_RELEASER] = CRIT_BARRIER};

	return reasons[wait_owner_kind(&(struct exp_wait){
		.state = wait->state, .family = wait->family, .func = wait->func})];
}

/* The child whose end a wait for input was for: it ended in the wait, and the thread's next wait is
 * for it, as when output is read up to its end and then the child is waited for. CRIT_NONE: none.
 */
static uint32_t reaped_next(const struct walk *walk, const struct crit_wait *wait)
{
	const struct crit_thread *thread = &walk->waits->threads[wait->thread];
	const struct crit_wait *next = wait + 1;
	uint32_t child;

	if (next >= walk->waits->waits + thread->first + thread->count ||
	    next->state != FMT_wall_state_CHILD || next->object == 0)
		return CRIT_NONE;
	child = crit_process_at(walk->waits, (int64_t)next->object, next->end_ns);
	if (child == CRIT_NONE || walk->waits->threads[child].end_ns <= wait->begin_ns ||
	    walk->waits->threads[child].end_ns > wait->end_ns)
		return CRIT_NONE;
	return child;
}

/* Who ended a wait, and why; CRIT_NONE: that is not known. */
static uint32_t find_waker(const struct walk *walk, const struct crit_wait *wait,
                           enum crit_reason *reason)
{
	const struct crit_thread *thread = &walk->waits->threads[wait->thread];
	uint32_t found = CRIT_NONE;

	if (wait->writer != CRIT_NONE && wait->writer != wait->thread) {
		*reason = CRIT_WRITER;
		return wait->writer;
	}
	switch (wait->state) {
	case FMT_wall_state_LOCK:
	case FMT_wall_state_COND:
		*reason = owner_reason(wait);
		if (wait->owner != 0)
			found = crit_thread_anywhere(walk->waits, thread->at, wait->owner,
			                             wait->begin_ns, wait->end_ns);
		return found == wait->thread ? CRIT_NONE : found;
	case FMT_wall_state_CHILD:
		*reason = CRIT_CHILD;
		if (wait->object != 0)
			found = crit_process_at(walk->waits, (int64_t)wait->object, wait->end_ns);
		if (found != CRIT_NONE)
			return found;
		break;
	case FMT_wall_state_POLL:
	case FMT_wall_state_PIPE:
	case FMT_wall_state_SIGNAL:
		break;
	default:
		return CRIT_NONE;
	}
	*reason = CRIT_ENDED;
	found = reaped_next(walk, wait);
	if (found != CRIT_NONE)
		return found;
	return crit_child_ended(walk->waits, thread->at->info->pid,
	                        wait->end_ns - CHILD_NS > wait->begin_ns ? wait->end_ns - CHILD_NS
	                                                                 : wait->begin_ns,
	                        wait->end_ns);
}

/* The other thread gave the lock back before it began to wait for it again; or it ended before the
 * thread that joins it, or that it has woken, went on. */
static int64_t left_at(const struct walk *walk, const struct crit_wait *wait, uint32_t other,
                       enum crit_reason reason)
{
	const struct crit_wait *again = crit_waits_before(walk->waits, other, walk->at_ns);
	int64_t end_ns = walk->waits->threads[other].end_ns;

	if (reason == CRIT_LOCK && again && again->end_ns > walk->at_ns &&
	    again->object == wait->object && again->begin_ns > wait->begin_ns)
		return again->begin_ns;
	if (reason != CRIT_LOCK && end_ns < walk->at_ns && end_ns > wait->begin_ns)
		return end_ns;
	return walk->at_ns;
}

/* At the end of a wait, or in it. */
static void leave_wait(struct walk *walk, const struct crit_wait *wait)
{
	enum crit_reason reason = CRIT_BEGIN;
	uint32_t other = CRIT_NONE;

	/* A wait that lasts longer than the path has not been ended by anybody on it. */
	if (walk->at_ns >= wait->end_ns && walk->jumps < JUMPS)
		other = find_waker(walk, wait, &reason);
	/* Nor by somebody of whom nothing is recorded while it lasted. */
	if (other == CRIT_NONE || walk->waits->threads[other].begin_ns >= walk->at_ns ||
	    (reason != CRIT_LOCK && walk->waits->threads[other].end_ns <= wait->begin_ns)) {
		step(walk, wait->begin_ns, wait);
		return;
	}
	step(walk, left_at(walk, wait, other, reason), wait);
	if (reason == CRIT_LOCK && walk->away_count < JUMPS)
		walk->away[walk->away_count++] = (struct away){walk->thread, wait};
	jump(walk, other, reason, wait);
}

/* At the beginning of a thread. Returns 0: nothing is known of what was before. */
static int leave_thread(struct walk *walk)
{
	const struct crit_thread *thread = &walk->waits->threads[walk->thread];
	uint32_t before = CRIT_NONE;

	if (thread->number != 0) {
		jump(walk, walk->thread - thread->number, CRIT_STARTED, NULL);
		return 1;
	}
	before = crit_process_at(walk->waits, thread->at->info->pid, thread->begin_ns);
	if (before != CRIT_NONE && walk->waits->threads[before].at->info->executed) {
		jump(walk, before, CRIT_IMAGE, NULL);
		return 1;
	}
	before = crit_process_at(walk->waits, thread->at->info->ppid, walk->at_ns);
	if (before == CRIT_NONE)
		return 0;
	jump(walk, before, CRIT_STARTED, NULL);
	return 1;
}

/* At a time when the thread did not wait. */
static void leave_work(struct walk *walk, const struct crit_wait *wait)
{
	int64_t begin_ns = walk->waits->threads[walk->thread].begin_ns;

	step(walk, wait && wait->end_ns > begin_ns ? wait->end_ns : begin_ns, NULL);
}

static int go_back(struct walk *walk)
{
	const struct crit_wait *wait = crit_waits_before(walk->waits, walk->thread, walk->at_ns);

	if (!wait || wait->end_ns < walk->at_ns)
		leave_work(walk, wait);
	if (walk->at_ns <= walk->from_ns)
		return 0;
	if (left_by(walk) < walk->away_count) {
		come_back(walk, left_by(walk));
		return 1;
	}
	if (wait) {
		leave_wait(walk, wait);
		return 1;
	}
	if (walk->jumps < JUMPS && leave_thread(walk))
		return 1;
	if (walk->away_count == 0)
		return 0;
	/* Of what was before, nothing is known: the rest of the wait is that of who waited. */
	come_back(walk, walk->away_count - 1);
	return 1;
}

void crit_path_find(const struct crit_waits *waits, uint32_t thread, int64_t from_ns, int64_t to_ns,
                    struct crit_path *out)
{
	int64_t end_ns = waits->threads[thread].end_ns;
	struct walk walk = {.waits = waits,
	                    .out = out,
	                    .from_ns = from_ns,
	                    .thread = thread,
	                    .at_ns = to_ns < end_ns ? to_ns : end_ns};

	*out = (struct crit_path){.count = 0};
	while (walk.at_ns > walk.from_ns && out->count < STEPS && go_back(&walk))
		continue;
}

void crit_path_fini(struct crit_path *path)
{
	free(path->steps);
	*path = (struct crit_path){.count = 0};
}
