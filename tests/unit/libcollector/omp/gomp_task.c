/* Tasks of libgomp: a header is before the program's data, which the program does not notice. */
#include "libcollector/omp/gomp.h"
#include "tests/unit/libcollector/omp/behind.h"
#include "tests/unit/libcollector/omp/tool.h"
#include "tests/unit/libcollector/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 * 1024, GUARD = 64, LATER = 1 << 13 };

void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
               long alignment, bool is_deferred, unsigned flags, void **depend, int priority,
               void *detach);
void GOMP_taskloop(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long start,
                   long end, long step);

static unsigned char bytes[MOST + 1] __attribute__((aligned(4096)));
static long data_size, data_alignment;
static int runs, copies;
static void (*passed_function)(void *);

static void set_up(void)
{
	behind_open();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 3);
}

TestSuite(gomp_task, .init = set_up, .fini = scratch_remove, .timeout = 30);

/* ---- the program's functions */

static void check_bytes(const unsigned char *got, size_t from)
{
	cr_assert_eq((uintptr_t)got % (uintptr_t)data_alignment, 0, "aligned to %ld",
	             data_alignment);
	cr_assert_eq(memcmp(got + from, bytes + from, (size_t)data_size - from), 0, "%ld bytes",
	             data_size);
}

static void run(void *got)
{
	if (data_size > 0)
		check_bytes(got, 0);
	runs++;
}

static void copy_all(void *to, void *from)
{
	cr_assert_eq(from, bytes);
	memcpy(to, from, (size_t)data_size);
	copies++;
}

/* ---- the made-up library */

/* What it keeps is in memory of its own, where nothing lies behind it. */
static unsigned char *kept(void *data, void (*copy)(void *, void *), long size, long alignment,
                           unsigned char **guard)
{
	size_t align = alignment > 16 && !(alignment & (alignment - 1)) ? (size_t)alignment : 16;
	unsigned char *to = aligned_alloc(align,
	                                  ((size_t)size + GUARD + align - 1) / align * align);

	cr_assert_not_null(to);
	*guard = to + size;
	memset(*guard, 0x5a, GUARD);
	if (copy)
		copy(to, data);
	else
		memcpy(to, data, (size_t)size);
	return to;
}

static void check_guard(const unsigned char *guard)
{
	for (int i = 0; i < GUARD; i++)
		cr_assert_eq(guard[i], 0x5a, "%d bytes behind", i);
}

static void made_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
                      long alignment, bool is_deferred, unsigned flags, void **depend, int priority,
                      void *detach)
{
	unsigned char *guard, *to = kept(data, copy, size, alignment, &guard);

	passed_function = function;
	cr_assert(is_deferred && !depend && priority == 6 && !detach);
	cr_assert_eq(flags & ~(unsigned)LATER, 1);
	function(to);
	check_guard(guard);
	free(to);
}

static void make_task(long size, long alignment, int is_copied, unsigned flags)
{
	data_size = size;
	data_alignment = alignment;
	GOMP_task(run, bytes, is_copied ? copy_all : NULL, size, alignment, true, flags, NULL, 6,
	          NULL);
}

Test(gomp_task, data_of_any_size_and_alignment_come_whole)
{
	static const long sizes[] = {1, 8, 24, 100, 4000, MOST},
			  alignments[] = {1, 2, 8, 16, 64, 4096};
	int count = 0;

	behind_set(INDEX_GOMP_task, (pointer)made_task);
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++)
			for (int is_copied = 0; is_copied < 2; is_copied++) {
				passed_function = NULL;
				make_task(sizes[i], alignments[k], is_copied, 1);
				cr_assert_eq(runs, ++count);
				cr_assert_neq(passed_function, run, "recorded: %ld, %ld", sizes[i],
				              alignments[k]);
			}
	cr_assert_eq(copies, count / 2);
}

Test(gomp_task, a_task_is_made_and_run)
{
	behind_set(INDEX_GOMP_task, (pointer)made_task);
	make_task(24, 8, 0, 1);
	make_task(0, 8, 0, 1);
	cr_assert_eq(tool_state(), FMT_omp_state_SERIAL);
	tool_load(4);
	tool_is_record(0, FMT_omp_event_TASK_CREATE, 0, 0, 1);
	tool_is_record(1, FMT_omp_event_TASK, 0, 0, 1);
	tool_is_record(2, FMT_omp_event_TASK_CREATE, 0, 0, 2);
	tool_is_record(3, FMT_omp_event_TASK, 0, 0, 2);
	cr_assert_eq(tool_duration(0), 0);
	cr_assert_gt(tool_duration(1), 0);
	cr_assert_eq(tool_other(1), 0);
}

/* Those that libgomp writes into, and what no compiler makes. */
Test(gomp_task, others_are_left_alone)
{
	static const struct {
		long size, alignment;
		unsigned flags;
	} rows[] = {{24, 8, 1 | LATER}, {MOST + 1, 8, 1}};

	behind_set(INDEX_GOMP_task, (pointer)made_task);
	for (int i = 0; i < 2; i++) {
		make_task(rows[i].size, rows[i].alignment, 0, rows[i].flags);
		cr_assert_eq(runs, i + 1);
		cr_assert_eq(passed_function, run);
	}
	data_size = 0;
	GOMP_task(run, bytes, NULL, 0, 24, true, 1, NULL, 6, NULL);
	cr_assert_eq(passed_function, run, "an alignment that is no power of 2");
	tool_load(0);
}

static void run_inner(void *got)
{
	tool_spend();
	run(got);
}

static void run_outer(void *got)
{
	run(got);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
	GOMP_task(run_inner, bytes, NULL, 8, 8, true, 1, NULL, 6, NULL);
	cr_assert_eq(tool_state(), FMT_omp_state_WORK);
}

Test(gomp_task, a_task_in_a_task_is_told)
{
	behind_set(INDEX_GOMP_task, (pointer)made_task);
	data_size = data_alignment = 8;
	GOMP_task(run_outer, bytes, NULL, 8, 8, true, 1, NULL, 6, NULL);
	tool_load(4);
	tool_is_record(1, FMT_omp_event_TASK_CREATE, 0, 0, 2);
	tool_is_record(2, FMT_omp_event_TASK, FMT_OMP_TASK_INNER, 0, 2);
	tool_is_record(3, FMT_omp_event_TASK, 0, 0, 1);
	cr_assert_geq(tool_duration(2), SPENT);
	cr_assert_gt(tool_duration(3), tool_duration(2));
	cr_assert_eq(tool_thread->omp.in_tasks, tool_duration(3), "the outer one's time is all");
}

/* ---- task loops */

static uint64_t shares[4];

static void run_share(void *got)
{
	memcpy(shares + (size_t)runs * 2, got, 16);
	check_bytes(got, 16);
	runs++;
}

/* It makes two tasks, and writes the share of each into its first words. */
static void made_loop(void (*function)(void *), void *data, void (*copy)(void *, void *), long size,
                      long alignment, unsigned flags, unsigned long tasks, int priority, long start,
                      long end, long step)
{
	passed_function = function;
	cr_assert(flags == 1 && tasks == 2 && priority == 6 && step == 1);
	if (data_size >= 24)
		cr_assert_eq(((uint64_t *)data)[2], ((uint64_t *)(void *)bytes)[2], "reductions");
	for (int i = 0; i < 2; i++) {
		unsigned char *guard, *to = kept(data, copy, size, alignment, &guard);
		long middle = (start + end) / 2, share[] = {i ? middle : start, i ? end : middle};

		memcpy(to, share, sizeof(share));
		function(to);
		check_guard(guard);
		free(to);
	}
}

static void check_loop(long size, long alignment, int is_copied)
{
	runs = 0;
	data_size = size;
	data_alignment = alignment;
	GOMP_taskloop(run_share, bytes, is_copied ? copy_all : NULL, size, alignment, 1, 2, 6, 100,
	              200, 1);
	cr_assert_eq(runs, 2);
	cr_assert(shares[0] == 100 && shares[1] == 150 && shares[2] == 150 && shares[3] == 200,
	          "%ld %ld", size, alignment);
}

Test(gomp_task, each_task_of_a_loop_has_its_share)
{
	static const long sizes[] = {16, 24, 100, MOST}, alignments[] = {1, 8, 64, 4096};

	behind_set(INDEX_GOMP_taskloop, (pointer)made_loop);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			for (int is_copied = 0; is_copied < 2; is_copied++) {
				check_loop(sizes[i], alignments[k], is_copied);
				cr_assert_neq(passed_function, run_share);
			}
	cr_assert_eq(copies, 4 * 4 * 2);
}

Test(gomp_task, a_loop_and_its_tasks_are_recorded)
{
	behind_set(INDEX_GOMP_taskloop, (pointer)made_loop);
	check_loop(24, 8, 0);
	tool_load(5);
	tool_is_record(0, FMT_omp_event_TASK_CREATE, 0, 0, 1);
	tool_is_record(1, FMT_omp_event_TASK, 0, 0, 1);
	tool_is_record(2, FMT_omp_event_TASK_CREATE, 0, 0, 2);
	tool_is_record(3, FMT_omp_event_TASK, 0, 0, 2);
	tool_is_record(4, FMT_omp_event_TASKLOOP, 0, 0, 0);
	cr_assert_geq(tool_duration(4), tool_duration(1) + tool_duration(3));
}
