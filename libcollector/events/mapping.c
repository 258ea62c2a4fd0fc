/* mapping.c: wrappers of the calls that map memory. Mappings of files are input and output; memory
 * without a file belongs to the heap. See mapping.h.
 *
 * The time of a new range is after the call, and that of its end is before the call, as for blocks
 * (heap.c). So over all threads, a range ends before another one begins at its address. Whether an
 * unmapped range belonged to a file is not known here: readers skip the end of a range that did not
 * begin.
 *
 * Calls inside the C library do not come through here. Its malloc moves the program break. This is
 * noticed by blocks beyond the old break, which costs a comparison for each block, and by reading
 * the break at each usage sample.
 * See doc/decisions/24-program-break.md. */
#include "libcollector/events/mapping.h"

#include "libcollector/hook/hook.h"
#include "libcollector/io/io_record.h"
#include "libcollector/jit/perf.h"
#include "libcollector/thread/scope.h"

enum { PAGE = 4096, PROBES_MAX = 64 };

#define BREAK_REACH ((uint64_t)1 << 30)

struct mapping_break mapping_break;

static uint64_t read_break(void)
{
	return (uint64_t)SYS1(SYS_brk, 0);
}

/* If it is less than it was known to be, mapping_look_at_break is to tell. */
void mapping_start(void)
{
	uint64_t now = read_break();

	if (now > atomic_load(&mapping_break.known))
		atomic_store(&mapping_break.known, now);
	atomic_store(&mapping_break.reach, BREAK_REACH);
}

/* A range that begins or ends to be mapped. */
struct range {
	enum fmt_map_func func;
	int ends;
	uint64_t addr, size;
	uint64_t ticks;
};

static void put(struct col_thread *thread, enum col_context context, const struct range *range,
                uint32_t stack)
{
	struct fmt_heap_map record __attribute__((aligned(8))) = {
		.kind = FMT_KIND_heap_map,
		.func = (uint8_t)range->func,
		.ends = (uint8_t)range->ends,
		.stack = stack,
		.addr = range->addr,
		.size = range->size,
	};
	uint32_t tid = atomic_load_explicit(&thread->tid, memory_order_relaxed);

	if (col_slot_write(&thread->slot[context][FMT_STREAM_HEAPTRACE], FMT_STREAM_HEAPTRACE, tid,
	                   &record, sizeof(record), range->ticks) == 0)
		col_count(&col.count.map_events, 1);
}

/* Returns 1 if the break has moved. */
static int look_at_break(struct col_thread *thread, enum col_context context, uint32_t stack)
{
	uint64_t known, now;
	struct range range = {.func = FMT_map_func_BRK};

	do {
		known = atomic_load(&mapping_break.known);
		now = read_break();
		if (now > known && !(heap_mode() & HEAP_NEW))
			return 0;
	} while (now != known &&
	         !atomic_compare_exchange_strong(&mapping_break.known, &known, now));
	if (now == known)
		return 0;
	range.ends = now < known;
	range.addr = now < known ? now : known;
	range.size = now < known ? known - now : now - known;
	range.ticks = col_ticks();
	put(thread, context, &range, stack);
	return 1;
}

void mapping_look_at_break(struct col_thread *thread, enum col_context context, uint32_t stack)
{
	look_at_break(thread, context, stack);
}

/* If something else is mapped right after the break, a system call for each block is not worth
 * it. */
void mapping_block_is_beyond(struct col_thread *thread, uint32_t stack)
{
	static atomic_uint in_vain;

	if (look_at_break(thread, COL_NORMAL, stack))
		atomic_store(&in_vain, 0);
	else if (atomic_fetch_add(&in_vain, 1) + 1 >= PROBES_MAX)
		atomic_store(&mapping_break.reach, 0);
}

/* Record ranges[count], which `caller` has mapped and unmapped. */
static void record(const struct range *ranges, size_t count, struct caller caller)
{
	struct col_thread *thread = scope_enter();
	uint32_t stack;

	if (!thread)
		return;
	stack = stack_of(thread, &caller);
	for (size_t i = 0; i < count; i++)
		put(thread, COL_NORMAL, &ranges[i], stack);
	scope_leave(thread);
}

static uint64_t whole_pages(size_t size)
{
	return ((uint64_t)size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Allocators map memory before the functions can be looked up. */
static void *result_of(long result)
{
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return MAP_FAILED;
	}
	return (void *)result;
}

/* ---- mmap ---- */

struct map_call {
	uint64_t start; /* event time of the request */
	void *got;
	size_t size;
	int protection, flags, fd;
};

static int has_file(int flags, int fd)
{
	return fd >= 0 && !(flags & MAP_ANONYMOUS);
}

static void mapped(const struct map_call *call, struct caller caller)
{
	int is_file = has_file(call->flags, call->fd);
	int ends = is_file || !(heap_mode() &
	                        HEAP_NEW); /* only what was at its place, if it had to be there */
	struct range range = {.func = FMT_map_func_MMAP,
	                      .ends = ends,
	                      .addr = (uint64_t)call->got,
	                      .size = whole_pages(call->size)};

	if (is_file && call->protection & PROT_EXEC && call->got != MAP_FAILED)
		perf_mapped(call->fd);
	if (is_file && io_is_on())
		io_record(&(struct io_call){.start = {.before = call->start},
		                            IO_FUNC(MMAP),
		                            .fd = call->fd,
		                            .error = call->got == MAP_FAILED ? errno : 0},
		          caller);
	if (heap_mode() == HEAP_OFF || call->got == MAP_FAILED ||
	    (ends && !(call->flags & MAP_FIXED)))
		return;
	range.ticks = ends ? call->start : col_ticks();
	record(&range, 1, caller);
}

#define MMAP(name, offset) \
	static __attribute__((noinline)) void *name##_traced( \
		void *at, size_t size, int protection, int flags, int fd, offset from) \
	{ \
		struct map_call call = {.start = col_ticks(), \
		                        .size = size, \
		                        .protection = protection, \
		                        .flags = flags, \
		                        .fd = fd}; \
\
		call.got = hook_real.name(at, size, protection, flags, fd, from); \
		mapped(&call, CALLER); \
		return call.got; \
	} \
	EXPORT void *name(void *at, size_t size, int protection, int flags, int fd, offset from) \
	{ \
		if (unlikely(!hook_real.name)) \
			return result_of(SYS6(SYS_mmap, at, size, protection, flags, fd, from)); \
		if (likely(heap_mode() == HEAP_OFF && \
		           (!has_file(flags, fd) || (!io_is_on() && !(protection & PROT_EXEC))))) \
			return hook_real.name(at, size, protection, flags, fd, from); \
		return name##_traced(at, size, protection, flags, fd, from); \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* ---- munmap, mremap ---- */

static __attribute__((noinline)) int munmap_traced(void *at, size_t size)
{
	struct range range = {FMT_map_func_MUNMAP, 1, (uint64_t)at, whole_pages(size), col_ticks()};
	int result = hook_real.munmap(at, size);

	if (result == 0 && heap_mode() != HEAP_OFF)
		record(&range, 1, CALLER);
	return result;
}

EXPORT int munmap(void *at, size_t size)
{
	if (unlikely(!hook_real.munmap))
		return result_of(SYS2(SYS_munmap, at, size)) == MAP_FAILED ? -1 : 0;
	if (likely(heap_mode() == HEAP_OFF))
		return hook_real.munmap(at, size);
	return munmap_traced(at, size);
}

/* A mapping that stays where it was counts as a new one. */
static __attribute__((noinline)) void *mremap_traced(void *old, size_t old_size, size_t size,
                                                     int flags, void *to)
{
	int stays = old_size == 0 || flags & MREMAP_DONTUNMAP;
	struct range range[] = {
		{FMT_map_func_MREMAP, 1, (uint64_t)old, whole_pages(old_size), col_ticks()},
		{stays ? FMT_map_func_MMAP : FMT_map_func_MREMAP, 0, 0, whole_pages(size), 0},
	};
	void *got = hook_real.mremap(old, old_size, size, flags, to);

	if (got == MAP_FAILED || heap_mode() == HEAP_OFF)
		return got;
	range[1].addr = (uint64_t)got;
	range[1].ticks = col_ticks();
	record(range + stays, (size_t)!stays + ((heap_mode() & HEAP_NEW) != 0), CALLER);
	return got;
}

/* Declared with the fifth argument, which exists only with some flags; passing it on in any case
 * does no harm. So this is a jump, and the caller of the traced twin is the program. */
EXPORT void *mremap_passed_on(void *old, size_t old_size, size_t size, int flags,
                              void *to) __asm__("mremap");
EXPORT void *mremap_passed_on(void *old, size_t old_size, size_t size, int flags, void *to)
{
	if (unlikely(!hook_real.mremap))
		return result_of(SYS5(SYS_mremap, old, old_size, size, flags, to));
	if (likely(heap_mode() == HEAP_OFF))
		return hook_real.mremap(old, old_size, size, flags, to);
	return mremap_traced(old, old_size, size, flags, to);
}

/* ---- the program break, moved by the program itself ---- */

static void break_moved(struct caller caller)
{
	struct col_thread *thread = heap_mode() != HEAP_OFF ? scope_enter() : NULL;

	if (!thread)
		return;
	mapping_look_at_break(thread, COL_NORMAL, stack_of(thread, &caller));
	scope_leave(thread);
}

static __attribute__((noinline)) int brk_traced(void *end)
{
	int result = REAL(brk)(end);

	break_moved(CALLER);
	return result;
}

EXPORT int brk(void *end)
{
	if (likely(heap_mode() == HEAP_OFF) && likely(hook_real.brk != NULL))
		return hook_real.brk(end);
	return brk_traced(end);
}

static __attribute__((noinline)) void *sbrk_traced(intptr_t size)
{
	void *result = REAL(sbrk)(size);

	break_moved(CALLER);
	return result;
}

EXPORT void *sbrk(intptr_t size)
{
	if (likely(heap_mode() == HEAP_OFF) && likely(hook_real.sbrk != NULL))
		return hook_real.sbrk(size);
	return sbrk_traced(size);
}
