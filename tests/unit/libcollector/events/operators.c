/* The operators new and delete: of an allocator that brings its own, and those that nothing comes
 * after, which do what the C++ library does. */
#include "libcollector/base/collector.h"
#include "libcollector/events/allocator.h"
#include "libcollector/events/heap.h"
#include "libcollector/events/mapping.h"
#include "libcollector/hook/hook.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern int operators_allocate __attribute__((visibility("hidden")));

static char memory[64];
static size_t asked;
static void *given_back;
static struct fmt_heap_alloc allocs[8];
static struct fmt_heap_free frees[8];

/* An allocator with operators of its own. */
static void *own_new(size_t size)
{
	asked = size;
	return memory;
}

static void *no_new(size_t size)
{
	asked = size;
	return NULL;
}

static void own_delete(void *block)
{
	given_back = block;
}

static void set_up(void)
{
	scratch_open();
	thread_current();
	hook_resolve_once();
	hook_real._Znwm = own_new;
	hook_real._ZdlPv = own_delete;
	operators_allocate = 1;
}

static void tear_down(void)
{
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	scratch_remove();
}

TestSuite(operators, .init = set_up, .fini = tear_down);

/* All blocks between the two are recorded, the test runner's too. */
static void begin(void)
{
	heap_start();
}

static void end(int expected_allocs, int expected_frees)
{
	int count;

	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	count = scratch_records("heaptrace", FMT_KIND_heap_alloc, allocs, sizeof(allocs[0]), 8);
	cr_assert_eq(count, expected_allocs, "%d allocations", count);
	count = scratch_records("heaptrace", FMT_KIND_heap_free, frees, sizeof(frees[0]), 8);
	cr_assert_eq(count, expected_frees, "%d frees", count);
}

Test(operators, blocks_of_an_own_allocator_are_recorded)
{
	void *block, *deleted;

	begin();
	block = _Znwm(24);
	_ZdlPv(memory);
	deleted = given_back;
	_ZdlPv(NULL);
	end(1, 1);
	cr_assert_eq(block, memory);
	cr_assert_eq(asked, 24);
	cr_assert_eq(deleted, memory);
	cr_assert_null(given_back);
	cr_assert_eq(allocs[0].func, FMT_heap_func_NEW);
	cr_assert_eq(fmt_u48_get(&allocs[0].addr), (uint64_t)memory);
	cr_assert_eq(allocs[0].size, 24);
	cr_assert_eq(frees[0].func, FMT_heap_func_DELETE);
	cr_assert_eq(frees[0].addr, (uint64_t)memory);
}

Test(operators, no_block_has_no_record)
{
	void *block;

	hook_real._Znwm = no_new;
	begin();
	block = _Znwm(24);
	end(0, 0);
	cr_assert_null(block);
	cr_assert_eq(asked, 24);
}

Test(operators, in_a_pause_blocks_only_end)
{
	void *block;

	begin();
	_Znwm(24);
	heap_pause();
	block = _Znwm(30);
	_ZdlPv(memory);
	end(1, 1);
	cr_assert_eq(block, memory);
	cr_assert_eq(asked, 30);
	cr_assert_eq(given_back, memory);
}

/* malloc and free are recorded then. */
Test(operators, those_that_call_malloc_are_passed_on)
{
	void *block;

	operators_allocate = 0;
	begin();
	block = _Znwm(24);
	_ZdlPv(memory);
	end(0, 0);
	cr_assert_eq(block, memory);
	cr_assert_eq(given_back, memory);
}

Test(operators, while_nothing_is_recorded_they_are_passed_on)
{
	void *block = _Znwm(24);

	_ZdlPv(memory);
	cr_assert_eq(block, memory);
	cr_assert_eq(given_back, memory);
}

/* ---- nothing comes after them */

static void alone(void)
{
	hook_real._Znwm = NULL;
	hook_real._ZnwmSt11align_val_t = NULL;
	hook_real._ZdlPv = NULL;
}

Test(operators, alone_they_are_malloc_and_free)
{
	void *block, *least;

	alone();
	begin();
	block = _Znwm(24);
	least = _Znwm(0);
	_ZdlPv(block);
	_ZdlPv(least);
	_ZdlPv(NULL);
	end(2, 2);
	cr_assert(block && least && block != least);
	cr_assert_eq(((uintptr_t)block | (uintptr_t)least) % 16, 0);
	cr_assert_eq(allocs[0].func, FMT_heap_func_NEW);
	cr_assert_eq(allocs[0].size, 24);
	cr_assert_eq(fmt_u48_get(&allocs[0].addr), (uint64_t)block);
	cr_assert_eq(frees[0].addr, (uint64_t)block);
	cr_assert_eq(frees[1].addr, (uint64_t)least);
}

static size_t aligned_to, aligned_size;

static void *note_aligned(size_t alignment, size_t size)
{
	aligned_to = alignment;
	aligned_size = size;
	return memory;
}

/* aligned_alloc takes only multiples of the alignment. */
Test(operators, alone_they_align)
{
	static const struct {
		size_t size, alignment, to, rounded;
	} cases[] = {{65, 64, 64, 128}, {128, 64, 64, 128}, {1, 32, 32, 32}, {0, 32, 32, 32}};

	alone();
	hook_real.aligned_alloc = note_aligned;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert_eq(_ZnwmSt11align_val_t(cases[i].size, cases[i].alignment), memory);
		cr_assert_eq(aligned_to, cases[i].to);
		cr_assert_eq(aligned_size, cases[i].rounded, "%zu: %zu", i, aligned_size);
	}
	aligned_to = 0;
	free(_ZnwmSt11align_val_t(65, 16));
	cr_assert_eq(aligned_to, 0, "malloc aligns to 16 by itself");
}

Test(operators, alone_and_off_they_record_nothing)
{
	alone();
	_ZdlPv(_Znwm(24));
	cr_assert_eq(thread_current()->events[SOURCE_HEAP], 0);
}

enum { TOO_LARGE = 24 };
static void *(*real_malloc)(size_t size);

/* There is memory for what dlopen needs. */
static void *no_memory(size_t size)
{
	return size == TOO_LARGE ? NULL : real_malloc(size);
}

/* As C++ programs expect: the operator of the C++ library, which is loaded with the test runner,
 * throws. */
Test(operators, alone_and_without_memory_they_throw)
{
	pid_t child;
	int status;

	if (!dlopen("libstdc++.so.6", RTLD_LAZY)) {
		tear_down();
		cr_skip_test("there is no C++ library");
	}
	child = fork();
	if (child == 0) {
		alone();
		real_malloc = hook_real.malloc;
		hook_real.malloc = no_memory;
		_Znwm(TOO_LARGE);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status));
	cr_expect_eq(WTERMSIG(status), SIGABRT);
}
