/* wall.c: the records of waits. See wall.h.
 *
 * The record of a wait that will block is in the file before it begins, with its stack: the
 * process may end meanwhile, in any way. When the wait ends, that record is taken back, and the
 * wait's own takes the place. A thread may leave a wait without coming back to the wrapper: it is
 * cancelled, or jumps out of a signal handler. Then its next wait finds the record, or its end.
 * See doc/decisions/86-wall-clock.md. */
#include "libcollector/wall/wall.h"

#include "libcollector/wall/account.h"
#include "libcollector/wall/sum.h"

#include <errno.h>

enum { LEAST_US = 2, LEAST_FILE_US = 20, SHORT_US = 100, US = 1000000, STEP = 16 };
enum { OPEN_SIZE = sizeof(struct fmt_wait_open) };

uint64_t wall_least, wall_least_file;
static uint64_t short_ticks;

void wall_start(void)
{
	uint64_t us = col.descriptor.clock_hz / US;

	wall_least = LEAST_US * us;
	wall_least_file = LEAST_FILE_US * us;
	short_ticks = SHORT_US * us;
	atomic_store(&col.switches->on[SOURCE_WALL], 1);
}

int wall_is_short(const struct wall_start *start, uint64_t after)
{
	return after - start->before < short_ticks;
}

static struct col_slot *slot_of(struct col_thread *thread)
{
	return &thread->slot[COL_NORMAL][FMT_STREAM_WALLTRACE];
}

static uint64_t in_steps(uint64_t ticks)
{
	return ticks & ~(uint64_t)(STEP - 1);
}

/* ---- waits that have ended */

static void count(struct col_thread *thread, enum fmt_wall_state state, uint64_t wait,
                  uint64_t span, uint64_t after)
{
	thread->events[SOURCE_WALL]++;
	thread->wall.waited += wait;
	account_wait(thread, state, wait, after - span, after);
}

static void put_short(struct col_thread *thread, const struct wall_call *call, uint32_t stack,
                      uint64_t wait, uint64_t after)
{
	struct fmt_wait_sum record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_wait_sum,
		.state = (uint8_t)call->state,
		.family = (uint8_t)call->family,
		.func = call->func,
		.stack = stack,
		.first = in_steps(wait),
		.wait = in_steps(wait),
		.count = 1,
	};

	fmt_u48_put(&record.object, call->object);
	if (wall_sum_add(thread, &record, after) == 0)
		count(thread, call->state, wait, wait, after);
}

static void put_long(struct col_thread *thread, const struct wall_call *call, uint32_t stack,
                     uint64_t span, uint64_t wait, uint64_t after)
{
	struct fmt_wait record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_wait,
		.state = (uint8_t)call->state,
		.family = (uint8_t)call->family,
		.func = call->func,
		.stack = stack,
		.span = in_steps(span),
		.wait = in_steps(wait),
		.error = (uint16_t)call->error,
		.owner = call->owner,
		.site = call->site,
		.ready = call->ready,
	};

	fmt_u48_put(&record.object, call->object);
	if (col_slot_write(slot_of(thread), FMT_STREAM_WALLTRACE, atomic_load(&thread->tid),
	                   &record, sizeof(record), after) == 0)
		count(thread, call->state, wait, span, after);
}

/* Waits that the thread has had in the meantime, in a signal handler or in a function that this one
 * called, count for themselves. */
static void put(struct col_thread *thread, const struct wall_call *call,
                const struct wall_start *start, uint32_t stack, uint64_t after)
{
	uint64_t span = after - start->before, others = thread->wall.waited - start->waited;
	uint64_t wait = others < span ? span - others : 0;

	if (wait < wall_least)
		return;
	if (wait < short_ticks && span < 2 * short_ticks)
		put_short(thread, call, stack, wait, after);
	else
		put_long(thread, call, stack, span, wait, after);
}

/* ---- waits that have not ended */

static int has_open(struct col_thread *thread)
{
	return thread->wall.open &&
	       col_slot_ends_with(slot_of(thread), thread->wall.open, OPEN_SIZE);
}

/* Take back the record of a wait that has ended. Returns its stack, if it is the one of `open`. */
static uint32_t take_back(struct col_thread *thread, const uint8_t *open)
{
	uint32_t stack = 0;

	if (has_open(thread)) {
		if (open && open == thread->wall.open)
			memcpy(&stack, open + offsetof(struct fmt_wait_open, stack), sizeof(stack));
		col_slot_take_back(slot_of(thread), OPEN_SIZE);
	}
	thread->wall.open = NULL;
	return stack;
}

/* The thread has left the wait of that record without coming back to its wrapper: nobody knows
 * when. */
static void put_left(struct col_thread *thread)
{
	struct fmt_wait_open open;
	struct wall_call call;
	struct wall_start start = {.before = thread->wall.open_ticks,
	                           .waited = thread->wall.open_waited};

	if (!has_open(thread)) {
		thread->wall.open = NULL;
		return;
	}
	memcpy(&open, thread->wall.open, sizeof(open));
	call = (struct wall_call){.state = (enum fmt_wall_state)open.state,
	                          .family = (enum fmt_wait_family)open.family,
	                          .func = open.func,
	                          .error = ECANCELED,
	                          .object = fmt_u48_get(&open.object),
	                          .owner = open.owner,
	                          .site = open.site};
	take_back(thread, NULL);
	if (wall_is_on())
		put(thread, &call, &start, open.stack, col_ticks());
}

/* Has the thread left that wait, or does its wrapper's frame still exist, interrupted by a handler
 * of the program? A frame further out says so; else the word where the return address was may have
 * been overwritten. If the answer is wrong, what was told of the wait is not told again. */
static int has_left(const struct col_thread *thread, const struct caller *caller)
{
	uintptr_t place = thread->wall.open_sp - sizeof(void *);

	return caller->sp >= thread->wall.open_sp ||
	       !sys_is_readable((const void *)place, sizeof(void *)) ||
	       *(const uintptr_t *)place != thread->wall.open_pc;
}

static void settle(struct col_thread *thread, const struct caller *caller)
{
	if (has_left(thread, caller))
		put_left(thread);
	else
		take_back(thread, NULL);
}

void wall_open(struct col_thread *thread, const struct wall_call *call, uint32_t stack,
               const struct caller *caller, struct wall_start *start)
{
	struct fmt_wait_open record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_wait_open,
		.state = (uint8_t)call->state,
		.family = (uint8_t)call->family,
		.func = call->func,
		.stack = stack,
		.owner = call->owner,
		.site = call->site,
	};
	uint8_t *payload;

	if (unlikely(thread->wall.open))
		settle(thread, caller);
	start->waited = thread->wall.waited;
	fmt_u48_put(&record.object, call->object);
	payload = col_slot_event(slot_of(thread), FMT_STREAM_WALLTRACE, atomic_load(&thread->tid),
	                         sizeof(record), start->before);
	if (payload)
		fdr_payload_put(payload, &record, sizeof(record));
	start->open = thread->wall.open = payload;
	thread->wall.open_sp = caller->sp;
	thread->wall.open_pc = caller->pc;
	thread->wall.open_ticks = start->before;
	thread->wall.open_waited = start->waited;
}

/* ---- for wrappers */

struct wall_start wall_begin(const struct wall_call *call, struct caller caller)
{
	struct wall_start start = wall_now();
	struct col_thread *thread = scope_enter();

	if (!thread)
		return start;
	start.waited = thread->wall.waited; /* of a thread that is known only now */
	wall_open(thread, call, stack_of(thread, &caller), &caller, &start);
	scope_leave(thread);
	return start;
}

/* A wait that goes on when events pause has a part that counts. */
static int may_put(const struct wall_start *start)
{
	return wall_is_on() || (start->open && col.descriptor.step.paused);
}

void wall_close(struct col_thread *thread, const struct wall_call *call,
                const struct wall_start *start, uint64_t after, uint32_t stack,
                const struct caller *caller)
{
	uint32_t known = 0;

	if (start->open && start->open == thread->wall.open)
		known = take_back(thread, start->open);
	else if (unlikely(thread->wall.open) && !start->open)
		settle(thread, caller);
	if (!may_put(start) || after - start->before < wall_least)
		return;
	if (!stack)
		stack = known ? known : stack_of(thread, caller);
	put(thread, call, start, stack, after);
}

void wall_put(const struct wall_call *call, const struct wall_start *start, uint64_t after,
              struct caller caller)
{
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	wall_close(thread, call, start, after, 0, &caller);
	scope_leave(thread);
}

/* ---- threads */

void wall_thread_prepare(struct col_thread *thread)
{
	memset(&thread->wall, 0, sizeof(thread->wall));
}

void wall_thread_begin(struct col_thread *thread)
{
	if (col.descriptor.wall)
		account_begin(thread);
}

void wall_thread_gone(struct col_thread *thread)
{
	if (thread->wall.open)
		put_left(thread);
}
