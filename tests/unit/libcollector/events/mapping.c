/* Memory that a program maps, through the wrappers that it calls, and the records of it. */
#include "libcollector/events/mapping.h"
#include "libcollector/events/heap.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/hook/hook.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The program break belongs to the tests: malloc gets enough room before they begin, and keeps
 * it. */
static void setup(void)
{
	void *volatile room; /* compilers leave out a malloc whose block is only freed */

	mallopt(M_MMAP_THRESHOLD, 1 << 24);
	mallopt(M_TRIM_THRESHOLD, 1 << 24);
	room = malloc(1 << 22);
	free(room);
	scratch_open();
	hook_resolve_once();
	heap_start();
}

static void done(void)
{
	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	scratch_remove();
}

TestSuite(mapping, .init = setup, .fini = done);

static struct fmt_heap_map records[16];

static void load(int expected)
{
	unsigned mode = atomic_exchange(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	int count = scratch_records("heaptrace", FMT_KIND_heap_map, records, sizeof(records[0]),
	                            16);

	atomic_store(&col.switches->on[SOURCE_HEAP], mode);
	cr_assert_eq(count, expected, "%d records", count);
}

static void is_record(int index, enum fmt_map_func func, int ends, const void *at, size_t size)
{
	cr_assert_eq(records[index].func, func, "%d: %d", index, records[index].func);
	cr_assert_eq(records[index].ends, ends, "%d", index);
	cr_assert_eq(records[index].addr, (uint64_t)at, "%d: %#lx", index, records[index].addr);
	cr_assert_eq(records[index].size, size, "%d: %lu", index, records[index].size);
	cr_assert_neq(records[index].stack, 0, "%d", index);
}

static void *map(void *at, size_t size, int flags, int fd)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | flags, fd, 0);
}

Test(mapping, ranges_begin_and_end_in_whole_pages)
{
	void *one = map(NULL, 5000, MAP_ANONYMOUS, -1), *other = map(NULL, 4096, MAP_ANONYMOUS, -1);

	cr_assert_eq(munmap(one, 4097), 0);
	cr_assert_eq(munmap(other, 1), 0);
	cr_assert_eq(atomic_load(&col.count.map_events), 4);
	load(4);
	is_record(0, FMT_map_func_MMAP, 0, one, 8192);
	is_record(1, FMT_map_func_MMAP, 0, other, 4096);
	is_record(2, FMT_map_func_MUNMAP, 1, one, 8192);
	is_record(3, FMT_map_func_MUNMAP, 1, other, 4096);
}

Test(mapping, calls_that_fail_have_no_records)
{
	cr_assert_eq(map(NULL, 0, MAP_ANONYMOUS, -1), MAP_FAILED);
	cr_assert_eq(errno, EINVAL);
	cr_assert_eq(munmap((void *)1, 4096), -1);
	cr_assert_eq(errno, EINVAL);
	cr_assert_eq(mremap((void *)4096, 4096, 8192, MREMAP_MAYMOVE), MAP_FAILED);
	load(0);
}

/* Files count as input and output; but the memory that was at their place is unmapped. */
Test(mapping, files_are_no_memory)
{
	void *old = map(NULL, 8192, MAP_ANONYMOUS, -1), *file;
	int fd = open("/proc/self/exe", O_RDONLY);

	file = map(NULL, 4096, 0, fd);
	cr_assert_neq(file, MAP_FAILED);
	load(1);
	cr_assert_eq(map(old, 4096, MAP_FIXED, fd), old);
	load(2);
	is_record(1, FMT_map_func_MMAP, 1, old, 4096);
	cr_assert_eq(map(old, 4096, MAP_FIXED | MAP_ANONYMOUS, fd), old);
	load(3);
	is_record(2, FMT_map_func_MMAP, 0, old, 4096);
	close(fd);
}

Test(mapping, a_mapping_that_moves_ends_and_begins)
{
	char *old = map(NULL, 8192, MAP_ANONYMOUS, -1), *moved, *copy;

	munmap(old + 4096, 4096);
	moved = mremap(old, 4096, 100000, MREMAP_MAYMOVE);
	cr_assert_neq((void *)moved, MAP_FAILED);
	load(4);
	is_record(2, FMT_map_func_MREMAP, 1, old, 4096);
	is_record(3, FMT_map_func_MREMAP, 0, moved, 102400);
	copy = mremap(moved, 102400, 102400, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
	if ((void *)copy == MAP_FAILED)
		cr_skip_test("this kernel has no MREMAP_DONTUNMAP");
	load(5);
	is_record(4, FMT_map_func_MMAP, 0, copy, 102400);
}

Test(mapping, shared_memory_may_be_mapped_a_second_time)
{
	char *once = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *twice = mremap(once, 0, 4096, MREMAP_MAYMOVE);

	cr_assert(twice != once && (void *)twice != MAP_FAILED);
	load(2);
	is_record(1, FMT_map_func_MMAP, 0, twice, 4096);
}

Test(mapping, in_a_pause_ranges_only_end)
{
	char *one = map(NULL, 8192, MAP_ANONYMOUS, -1), *moved;

	heap_pause();
	map(NULL, 4096, MAP_ANONYMOUS, -1);
	load(1);
	cr_assert_eq(map(one, 4096, MAP_ANONYMOUS | MAP_FIXED, -1), one);
	load(2);
	is_record(1, FMT_map_func_MMAP, 1, one, 4096);
	moved = mremap(one, 8192, 100000, MREMAP_MAYMOVE);
	load(3);
	is_record(2, FMT_map_func_MREMAP, 1, one, 8192);
	munmap(moved, 102400);
	load(4);
	is_record(3, FMT_map_func_MUNMAP, 1, moved, 102400);
}

Test(mapping, nothing_is_recorded_while_it_is_off)
{
	void *one;

	atomic_store(&col.switches->on[SOURCE_HEAP], HEAP_OFF);
	one = map(NULL, 4096, MAP_ANONYMOUS, -1);
	one = mremap(one, 4096, 8192, MREMAP_MAYMOVE);
	munmap(one, 8192);
	sbrk(4096);
	load(0);
}

/* ---- the program break */

Test(mapping, the_break_that_the_program_moves_is_told_of)
{
	char *before = sbrk(0);

	load(0);
	cr_assert_eq(sbrk(10000), (void *)before);
	load(1);
	is_record(0, FMT_map_func_BRK, 0, before, 10000);
	cr_assert_eq(brk(before + 4000), 0);
	load(2);
	is_record(1, FMT_map_func_BRK, 1, before + 4000, 6000);
	cr_assert_eq(brk((void *)-1), -1);
	heap_pause();
	cr_assert_eq(sbrk(1000), (void *)(before + 4000));
	load(2);
	cr_assert_eq(brk(before), 0);
	load(3);
	is_record(2, FMT_map_func_BRK, 1, before, 4000);
}

/* As the C library's malloc moves it. */
Test(mapping, a_break_that_has_moved_is_seen_by_blocks_beyond_it)
{
	struct col_thread *thread = thread_current();
	uint64_t before = (uint64_t)SYS1(SYS_brk, 0);

	cr_assert(mapping_is_beyond_break(before + 1));
	cr_assert(mapping_is_beyond_break(before + (1 << 30)));
	cr_assert(!mapping_is_beyond_break(before));
	cr_assert(!mapping_is_beyond_break(before + (1 << 30) + 1));
	SYS1(SYS_brk, before + 8192);
	mapping_block_is_beyond(thread, 5);
	load(1);
	cr_assert_eq(records[0].addr, before);
	cr_assert_eq(records[0].size, 8192);
	cr_assert_eq(records[0].stack, 5);
	mapping_block_is_beyond(thread, 5);
	load(1);
	/* 64 attempts in vain: something else is mapped there. */
	for (int i = 0; i < 62; i++)
		mapping_block_is_beyond(thread, 5);
	cr_assert(mapping_is_beyond_break(before + 8193));
	mapping_block_is_beyond(thread, 5);
	cr_assert(!mapping_is_beyond_break(before + 8193));
	SYS1(SYS_brk, before + 10000);
	mapping_look_at_break(thread, COL_HANDLER, 0);
	load(2);
	cr_assert_eq(records[1].size, 10000 - 8192);
}

Test(mapping, what_was_mapped_before_is_not_told_of)
{
	struct col_thread *thread = thread_current();
	uint64_t before = (uint64_t)SYS1(SYS_brk, 0);

	SYS1(SYS_brk, before + 8192);
	mapping_start();
	mapping_look_at_break(thread, COL_NORMAL, 0);
	load(0);
	cr_assert(mapping_is_beyond_break(before + 8193));
	SYS1(SYS_brk, before);
	mapping_start();
	mapping_look_at_break(thread, COL_NORMAL, 0);
	load(1);
	cr_assert_eq(records[0].ends, 1);
	cr_assert_eq(records[0].size, 8192);
}
