/* heap.c: wrappers of the malloc family and their records.
 *
 * Allocations are stamped after the real call and frees before it, so that in the order of stamps,
 * over all threads, an address is freed before it is handed out again. A realloc is a free stamped
 * before the call and an allocation stamped after it, both written after it, when it is known to
 * have succeeded. errno needs no care: nothing here touches it.
 * If the heap is sampled, nearly all calls are passed on by a jump: their blocks are not chosen.
 * See doc/decisions/17-heap-records.md, doc/decisions/24-program-break.md and
 * doc/decisions/98-sampled-heap.md. */
#include "libcollector/events/heap.h"

#include "libcollector/events/heap_sampled.h"
#include "libcollector/hook/hook.h"
#include "libcollector/events/mapping.h"
#include "libcollector/thread/scope.h"
#include "libcollector/write/log.h"

#include <errno.h>

static inline int is_on(void)
{
	return heap_mode() != HEAP_OFF;
}

/* The same as PASS_ON for a call that nothing will be recorded of, because `passes` says so. */
#define PASS_OVER(name, arguments, passes) \
	do { \
		if ((passes) && likely(hook_real.name != NULL)) \
			return hook_real.name arguments; \
	} while (0)

/* Begin a record; NULL when the stream has stopped. */
static inline uint64_t *begin(struct col_thread *thread, uint32_t size, uint64_t ticks)
{
	struct col_slot *slot = &thread->slot[COL_NORMAL][FMT_STREAM_HEAPTRACE];
	uint32_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);
	uint64_t *payload = (uint64_t *)col_slot_event(slot, FMT_STREAM_HEAPTRACE, tid, size,
	                                               ticks);

	thread->events[SOURCE_HEAP] += payload != NULL;
	return payload;
}

static void put_alloc_wide(struct col_thread *thread, enum fmt_heap_func func, uint64_t addr,
                           uint64_t size, uint32_t stack, uint64_t ticks)
{
	struct fmt_heap_alloc_wide record = {
		.kind = FMT_KIND_heap_alloc_wide,
		.func = (uint8_t)func,
		.stack = stack,
		.addr = addr,
		.size = size,
	};
	uint64_t *payload = begin(thread, sizeof(record), ticks);

	if (payload)
		fdr_payload_put((uint8_t *)payload, &record, sizeof(record));
}

/* The frequent records are written as two words, the second first: the first completes them. */
static inline void put_words(uint64_t *payload, uint64_t word0, uint64_t word1)
{
	payload[1] = word1;
	__atomic_store_n(&payload[0], word0, __ATOMIC_RELEASE);
}

static inline void put_alloc(struct col_thread *thread, enum fmt_heap_func func, uint64_t addr,
                             uint64_t size, uint32_t stack, uint64_t ticks)
{
	uint64_t *payload;

	if (unlikely(!fmt_u48_fits(addr) || size > UINT32_MAX)) {
		put_alloc_wide(thread, func, addr, size, stack, ticks);
		return;
	}
	payload = begin(thread, sizeof(struct fmt_heap_alloc), ticks);
	if (likely(payload != NULL))
		put_words(payload, FMT_KIND_heap_alloc | (uint64_t)func << 8 | addr << 16,
		          stack | size << 32);
}

static inline void put_free(struct col_thread *thread, enum fmt_heap_func func, uint64_t addr,
                            uint64_t ticks)
{
	uint64_t *payload = begin(thread, sizeof(struct fmt_heap_free), ticks);

	if (likely(payload != NULL))
		put_words(payload, FMT_KIND_heap_free | (uint64_t)func << 8, addr);
}

/* A new block: record it, and the move of the program break if the block shows one. */
static inline void begin_block(struct col_thread *thread, enum fmt_heap_func func,
                               const void *block, size_t size, const struct caller *caller,
                               uint64_t ticks)
{
	uint32_t stack = stack_of(thread, caller);

	put_alloc(thread, func, (uint64_t)block, size, stack, ticks);
	if (unlikely(mapping_is_beyond_break((uint64_t)block + size)))
		mapping_block_is_beyond(thread, stack);
}

void heap_record_alloc(enum fmt_heap_func func, const void *block, size_t size,
                       struct caller caller)
{
	struct col_thread *thread = scope_enter();

	if (!thread)
		return;
	if (likely(!heap_is_sampled()) || heap_choose(thread, block, size))
		begin_block(thread, func, block, size, &caller, col_ticks());
	scope_leave(thread);
}

void heap_record_free(enum fmt_heap_func func, const void *block)
{
	struct col_thread *thread;

	if (heap_is_sampled() && !heap_chosen_take((uintptr_t)block))
		return;
	thread = scope_enter();
	if (!thread)
		return;
	put_free(thread, func, (uint64_t)block, col_ticks());
	scope_leave(thread);
}

/* `old` ended at `before`, `block` began now; either may be NULL. */
static void record_realloc(enum fmt_heap_func func, const void *old, const void *block, size_t size,
                           uint64_t before, struct caller caller)
{
	struct col_thread *thread = scope_enter();
	uint64_t ticks;

	if (!thread)
		return;
	ticks = col_ticks();
	if (old)
		put_free(thread, func, (uint64_t)old, before);
	if (block && (heap_mode() & HEAP_NEW) &&
	    (likely(!heap_is_sampled()) || heap_choose(thread, block, size)))
		begin_block(thread, func, block, size, &caller, ticks);
	scope_leave(thread);
}

void heap_start(void)
{
	enum heap_mode mode = col.descriptor.heap_mean != 0 ? HEAP_SAMPLED : HEAP_ON;

	if (mode == HEAP_SAMPLED && heap_chosen_open() < 0) {
		col_log_warning("no memory to sample the heap: it is not recorded");
		return;
	}
	mapping_start();
	atomic_store(&col.switches->on[SOURCE_HEAP], mode);
}

void heap_pause(void)
{
	atomic_fetch_and(&col.switches->on[SOURCE_HEAP], ~(unsigned)HEAP_NEW);
}

void heap_sample(struct col_thread *self, enum col_context context)
{
	if (heap_mode() != HEAP_OFF)
		mapping_look_at_break(self, context, 0);
}

#define RECORD_ALLOC(func, block, size) \
	do { \
		if (unlikely(heap_mode() & HEAP_NEW) && (block)) \
			heap_record_alloc(FMT_heap_func_##func, block, size, CALLER); \
	} while (0)

/* Each traced twin is entered by a jump, so its caller is the program. */
static __attribute__((noinline)) void *malloc_traced(size_t size)
{
	void *block;

	if (unlikely(!hook_real.malloc) && hook_is_resolving())
		return hook_pool_allocate(size, 16);
	block = REAL(malloc)(size);
	RECORD_ALLOC(MALLOC, block, size);
	return block;
}

EXPORT void *malloc(size_t size)
{
	PASS_ON(malloc, (size));
	PASS_OVER(malloc, (size), heap_passes_over(size));
	return malloc_traced(size);
}

static __attribute__((noinline)) void *calloc_traced(size_t count, size_t size)
{
	void *block;

	if (unlikely(!hook_real.calloc) && hook_is_resolving())
		return hook_pool_allocate(count * size, 16);
	block = REAL(calloc)(count, size);
	RECORD_ALLOC(CALLOC, block, count * size);
	return block;
}

EXPORT void *calloc(size_t count, size_t size)
{
	PASS_ON(calloc, (count, size));
	PASS_OVER(calloc, (count, size), heap_passes_over(count * size));
	return calloc_traced(count, size);
}

static __attribute__((noinline)) void free_traced(void *block)
{
	if (unlikely(is_on()) && block)
		heap_record_free(FMT_heap_func_FREE, block);
	REAL(free)(block);
}

EXPORT void free(void *block)
{
	if (unlikely(hook_pool_owns(block)))
		return;
	PASS_ON(free, (block));
	PASS_OVER(free, (block), heap_is_other(block));
	free_traced(block);
}

/* A block of the pool moves to the real heap. Its size is unknown, so what follows it is copied
 * too. */
static void *move_from_pool(void *old, size_t size)
{
	void *block = REAL(malloc)(size);

	if (block)
		memcpy(block, old, hook_pool_clip(old, size));
	return block;
}

static __attribute__((noinline)) void *realloc_traced(void *old, size_t size)
{
	uint64_t before;
	void *block;
	int is_recorded;

	if (unlikely(!hook_real.realloc) && hook_is_resolving())
		return hook_pool_allocate(size, 16);
	before = col_ticks();
	is_recorded = heap_begin_move(old);
	block = REAL(realloc)(old, size);
	if (!block && (size != 0 || !old)) /* realloc(p, 0) frees */
		heap_undo_move(old, is_recorded);
	else if (is_on())
		record_realloc(FMT_heap_func_REALLOC, is_recorded ? old : NULL, block, size, before,
		               CALLER);
	return block;
}

EXPORT void *realloc(void *old, size_t size)
{
	if (unlikely(hook_pool_owns(old)))
		return move_from_pool(old, size);
	PASS_ON(realloc, (old, size));
	PASS_OVER(realloc, (old, size), heap_is_other(old) && heap_passes_over(size));
	return realloc_traced(old, size);
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	struct col_thread *thread;
	uint64_t before;
	size_t whole;
	void *block;
	int is_too_much = __builtin_mul_overflow(count, size, &whole), is_recorded;

	PASS_ON(reallocarray, (old, count, size));
	before = col_ticks();
	is_recorded = heap_begin_move(old);
	thread = scope_begin_passing(); /* the one of glibc calls realloc */
	block = REAL(reallocarray)(old, count, size);
	scope_end_passing(thread);
	if (is_too_much || (!block && (whole != 0 || !old)))
		heap_undo_move(old, is_recorded);
	else if (is_on())
		record_realloc(FMT_heap_func_REALLOCARRAY, is_recorded ? old : NULL, block, whole,
		               before, CALLER);
	return block;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	void *block = REAL(aligned_alloc)(alignment, size);

	RECORD_ALLOC(ALIGNED_ALLOC, block, size);
	return block;
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
	int error = REAL(posix_memalign)(block, alignment, size);

	if (!error)
		RECORD_ALLOC(POSIX_MEMALIGN, *block, size);
	return error;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	void *block = REAL(memalign)(alignment, size);

	RECORD_ALLOC(MEMALIGN, block, size);
	return block;
}

EXPORT void *valloc(size_t size)
{
	void *block = REAL(valloc)(size);

	RECORD_ALLOC(VALLOC, block, size);
	return block;
}

EXPORT void *pvalloc(size_t size)
{
	void *block = REAL(pvalloc)(size);

	RECORD_ALLOC(PVALLOC, block, size);
	return block;
}
