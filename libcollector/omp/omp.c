/* omp.c: bases of stacks, and the records of constructs. See omp.h.
 * See doc/decisions/09-openmp.md. */
#include "libcollector/omp/omp.h"

#include "libcollector/thread/scope.h"
#include "libcollector/unwind/tree.h"

static atomic_uint regions, tasks;

void omp_start(void)
{
	atomic_store(&col.switches->on[SOURCE_OMP], (unsigned)col.descriptor.omp);
}

int omp_is_traced(void)
{
	return col_on(SOURCE_OMP) == OMP_EVENTS;
}

void omp_thread_begin(struct col_thread *thread)
{
	struct omp_thread *omp = &thread->omp;

	omp->depth = omp->wait_depth = omp->region_depth = 0;
	omp->state = FMT_omp_state_NONE;
}

uint32_t omp_new_region(void)
{
	return atomic_fetch_add(&regions, 1) + 1;
}

uint32_t omp_new_task(void)
{
	return atomic_fetch_add(&tasks, 1) + 1;
}

uint32_t omp_stack(const struct caller *caller, enum fmt_pc_mark mark, uint32_t *base)
{
	struct col_thread *thread = scope_enter();
	uint32_t node = thread ? stack_of(thread, caller) : 0;

	if (base)
		*base = node ? tree_node(node, mark) : 0;
	if (thread)
		scope_leave(thread);
	return node;
}

uint32_t omp_stack_in(struct col_thread *thread, uint32_t base, uint64_t pc)
{
	uint32_t node = 0;

	if (!base || !scope_enter())
		return 0;
	if (memo_enter(thread))
		node = tree_node(base, pc);
	scope_leave(thread);
	return node;
}

struct omp_piles *omp_make_piles(struct omp_thread *omp)
{
	if (unlikely(!omp->piles))
		omp->piles = sys_mmap_anonymous(sizeof(*omp->piles));
	return omp->piles;
}

static int is_left(const struct omp_base *inner, const struct omp_base *base)
{
	return inner && base->sp && inner->sp && inner->sp <= base->sp;
}

/* A base that is not outside this one was left by a jump. */
uint32_t omp_push(struct col_thread *thread, const struct omp_base *base)
{
	struct omp_thread *omp = &thread->omp;
	uint32_t depth = omp->depth;

	while (is_left(memo_base_at(omp, depth), base))
		depth--;
	omp->depth = depth;
	atomic_signal_fence(memory_order_seq_cst);
	if (depth < OMP_DEPTH && omp_make_piles(omp))
		omp->piles->base[depth] = *base;
	atomic_signal_fence(memory_order_seq_cst);
	omp->depth = depth + 1;
	return depth;
}

void omp_pop(struct col_thread *thread, uint32_t depth)
{
	atomic_signal_fence(memory_order_seq_cst);
	thread->omp.depth = depth;
}

struct omp_base *omp_innermost(struct col_thread *thread)
{
	return memo_base_at(&thread->omp, thread->omp.depth);
}

void omp_record(struct col_thread *thread, const struct omp_event *event)
{
	struct fmt_omp record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_omp,
		.event = (uint8_t)event->event,
		.number = event->number,
		.region = event->region,
		.stack = event->stack,
		.task = event->task,
	};

	if (!omp_is_traced() || !scope_enter())
		return;
	fmt_ticks_put(&record.duration_high, &record.duration, event->duration);
	fmt_u48_put(&record.other, event->other);
	if (col_slot_write(&thread->slot[COL_NORMAL][FMT_STREAM_OMPTRACE], FMT_STREAM_OMPTRACE,
	                   atomic_load(&thread->tid), &record, sizeof(record), event->now) == 0)
		thread->events[SOURCE_OMP]++;
	scope_leave(thread);
}
