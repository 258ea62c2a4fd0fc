/* The kernel's part of the stacks of clock samples: which of the kernel's samples each gets. */
#include "tests/unit/experiment/make_samples.h"

#include "experiment/base/internal.h"
#include "format/fxt.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define READ UINT64_C(0xffffffff81000140)
#define WRITE UINT64_C(0xffffffff81000240)
#define ENTRY UINT64_C(0xffffffff81000080)
#define NAMES \
	"ffffffff81000000 ffffffff81000100 entry\nffffffff81000100 ffffffff81000200 vfs_read\n" \
	"ffffffff81000200 ffffffff81000300 vfs_write\n"

enum { LEAF_OF_A = 1, LEAF_OF_B = 3, MS = 1000000 };

/* main 0x1000 calls 0x5000 by way of 0x2000 (a) and of 0x3000 (b). */
static const uint64_t pcs[] = {0x1000, 0x5000, 0x3000, 0x5000};
static const int parents[] = {-1, 0, 0, 2};

static struct maker maker;
static struct experiment *experiment;
static const struct exp_data_set *set;
static struct maker_stream stream;
static uint64_t words[1024];
static size_t count;
static uint32_t ids[4];

static void begin(void)
{
	char path[256];

	count = maker_sampler(&maker, CLOCK EXIT, "cpu0", words);
	snprintf(path, sizeof(path), "%s/kernel", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	maker_put(&maker, "kernel/kernel", NAMES, strlen(NAMES));
	maker_nodes(&maker, 4, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS, 4096);
}

/* A sample of the kernel's, milliseconds after the start, in user mode from 0x5000 on. */
#define SAMPLE(ms, tid, ...) \
	count += fxt_put_system_sample(words + count, MONO + (uint64_t)(ms)*MS, PID, tid, \
	                               (const uint64_t[]){__VA_ARGS__}, \
	                               sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static void clock_at(unsigned ms, unsigned state, unsigned leaf)
{
	maker_clock(&stream, MAKER_START_TICKS + (uint64_t)ms * MS, state, 10, ids[leaf]);
}

static void load(void)
{
	maker_stream_put(&maker, &stream, "profile");
	maker_put(&maker, "kernel/cpu0.fxt", words, count * 8);
	set = maker_load(&maker, &experiment);
	cr_assert_eq(maker.warnings, 0, "%s", maker.warning);
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

/* System time of the nodes of an address. */
static uint64_t system_at(uint64_t pc)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < set->nodes.count; i++)
		if (set->nodes.pc[i] == pc)
			sum += exp_node_value(&set->nodes, EXP_CPU_SYSTEM, i);
	return sum;
}

Test(kernelparts, the_nearest_sample_of_the_same_stack_is_taken)
{
	begin();
	SAMPLE(10, 42, READ, ENTRY, 0x5000, 0x1000);
	SAMPLE(20, 42, WRITE, ENTRY, 0x5000, 0x3000, 0x1000);
	clock_at(19, FMT_clock_state_SYSTEM, LEAF_OF_A);
	clock_at(21, FMT_clock_state_SYSTEM, LEAF_OF_A);
	clock_at(22, FMT_clock_state_SYSTEM, LEAF_OF_B);
	load();
	cr_expect_eq(system_at(READ), 20, "not that of the other caller, though it is nearer");
	cr_expect_eq(system_at(WRITE), 10);
	cr_expect_eq(system_at(0x5000), 0);
	cr_expect_eq(set->quality.sampled_ns, 30, "no time is added");
	cr_expect_eq(set->quality.samples, 3);
	end();
}

Test(kernelparts, the_time_decides_among_samples_of_one_stack)
{
	begin();
	SAMPLE(10, 42, READ, ENTRY, 0x5000, 0x1000);
	SAMPLE(20, 42, WRITE, ENTRY, 0x5000, 0x1000);
	clock_at(14, FMT_clock_state_SYSTEM, LEAF_OF_A);
	clock_at(16, FMT_clock_state_SYSTEM, LEAF_OF_A);
	clock_at(30, FMT_clock_state_SYSTEM, LEAF_OF_A);
	load();
	cr_expect_eq(system_at(READ), 10);
	cr_expect_eq(system_at(WRITE), 20);
	end();
}

Test(kernelparts, another_threads_sample_is_taken_if_there_is_none_of_its_own)
{
	begin();
	SAMPLE(15, 43, READ, ENTRY, 0x5000, 0x1000);
	SAMPLE(90, 42, WRITE, ENTRY, 0x5000, 0x1000);
	clock_at(15, FMT_clock_state_SYSTEM, LEAF_OF_A);
	load();
	cr_expect_eq(system_at(WRITE), 10);
	end();
	begin();
	SAMPLE(15, 43, READ, ENTRY, 0x5000, 0x1000);
	clock_at(90, FMT_clock_state_SYSTEM, LEAF_OF_A);
	load();
	cr_expect_eq(system_at(READ), 10);
	end();
}

Test(kernelparts, user_time_has_none_and_neither_have_other_stacks)
{
	begin();
	SAMPLE(10, 42, READ, ENTRY, 0x5000, 0x1000);
	clock_at(10, FMT_clock_state_USER, LEAF_OF_A);
	clock_at(11, FMT_clock_state_SYSTEM, LEAF_OF_B);
	load();
	cr_expect_eq(system_at(READ), 0);
	cr_expect_eq(system_at(0x5000), 10);
	end();
}

Test(kernelparts, a_stack_that_was_cut_is_compared_as_far_as_it_goes)
{
	begin();
	SAMPLE(10, 42, READ, ENTRY, 0x5000, FMT_PC_TRUNCATED);
	clock_at(11, FMT_clock_state_SYSTEM, LEAF_OF_B);
	load();
	cr_expect_eq(system_at(READ), 10);
	end();
}

Test(kernelparts, samples_of_other_processes_or_without_a_part_are_passed_over)
{
	begin();
	count += fxt_put_system_sample(words + count, MONO + 10 * MS, PID + 1, 42,
	                               (const uint64_t[]){READ, 0x5000, 0x1000}, 3);
	SAMPLE(10, 42, 0x5000, 0x1000);
	SAMPLE(10, 42, READ, ENTRY);
	clock_at(11, FMT_clock_state_SYSTEM, LEAF_OF_A);
	load();
	cr_expect_eq(system_at(0x5000), 10);
	end();
}

/* System time of a sample's part of the kernel if so many samples of the other stack lie between it
 * and the clock sample. */
static uint64_t found_across(unsigned others, unsigned own_ms, unsigned others_ms,
                             unsigned clock_ms)
{
	uint64_t found;

	begin();
	SAMPLE(1, 42, READ, ENTRY, 0x5000, 0x3000, 0x1000);
	SAMPLE(own_ms, 42, WRITE, ENTRY, 0x5000, 0x1000);
	for (unsigned i = 0; i < others; i++)
		SAMPLE(others_ms + i, 42, READ, ENTRY, 0x5000, 0x3000, 0x1000);
	clock_at(clock_ms, FMT_clock_state_SYSTEM, LEAF_OF_A);
	load();
	found = system_at(WRITE);
	end();
	return found;
}

Test(kernelparts, thirty_two_samples_on_each_side_are_looked_at)
{
	cr_expect_eq(found_across(31, 10, 20, 100), 10, "the 32nd before");
	cr_expect_eq(found_across(32, 10, 20, 100), 0, "the 33rd before");
	cr_expect_eq(found_across(31, 100, 20, 10), 10, "the 32nd behind");
	cr_expect_eq(found_across(32, 100, 20, 10), 0, "the 33rd behind");
}
