/* Stacks with the kernel's part: their nodes, the functions and the load object of these, and files
 * that cannot be. */
#include "tests/unit/experiment/make_samples.h"

#include "experiment/base/internal.h"
#include "format/fxt.h"

#include <criterion/criterion.h>
#include <string.h>

#define READ UINT64_C(0xffffffff81000140)
#define ENTRY UINT64_C(0xffffffff81000080)
#define NAMES \
	"ffffffff81000000 ffffffff81000100 entry\nffffffff81000100 ffffffff81000200 vfs_read\n"

static struct maker maker;
static struct experiment *experiment;
static const struct exp_data_set *set;
static uint64_t words[512];
static size_t count;

/* A sample in a system call of 0x5000, one in user mode, and another one in the kernel. */
static void load(const char *names)
{
	count = maker_sampler(&maker, SETTING CLOCK EXIT, "cpu0", words);
	count += fxt_put_system_sample(words + count, MONO + 1, PID, 42,
	                               (const uint64_t[]){READ, ENTRY, 0x5000, 0x4000}, 4);
	count += fxt_put_sample(words + count, MONO + 2, PID, 42,
	                        (const uint64_t[]){0x5000, 0x4000}, 2);
	count += fxt_put_system_sample(words + count, MONO + 3, PID, 42,
	                               (const uint64_t[]){ENTRY, 0x5000, 0x4000}, 3);
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	if (names)
		maker_put(&maker, "sampler/kernel", names, strlen(names));
	set = maker_load(&maker, &experiment);
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(kernelfile, frames_of_the_kernel_are_nodes)
{
	load(NAMES);
	cr_assert_eq(set->nodes.count, 5);
	cr_assert_eq(set->nodes.pc[0], 0x4000);
	cr_assert_eq(set->nodes.pc[1], 0x5001, "behind the instruction, as if it were a call");
	cr_assert_eq(set->nodes.pc[2], ENTRY);
	cr_assert_eq(set->nodes.pc[3], READ);
	cr_assert_eq(set->nodes.pc[4], 0x5000, "itself a leaf");
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_SYSTEM, 3), 250000);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_SYSTEM, 2), 250000);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 4), 250000);
	cr_assert_eq(maker.warnings, 0);
	end();
}

static const struct sym_frame *frame_at(struct symbols *symbols, uint64_t pc, int is_leaf)
{
	const struct sym_frame *frame;

	cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, is_leaf, &frame), 1);
	return frame;
}

Test(kernelfile, functions_of_the_kernel_have_names_and_an_object)
{
	struct symbols *symbols = symbols_create();
	const struct exp_object *object;
	const struct sym_frame *frame;

	load(NAMES);
	object = experiment_object_at(experiment, READ, 0);
	cr_assert(object != NULL);
	cr_assert_str_eq(object->path, "[kernel]");
	frame = frame_at(symbols, READ, 1);
	cr_assert_str_eq(frame->function->name, "vfs_read");
	cr_assert_str_eq(frame->function->object->name, "[kernel]");
	cr_assert(frame->function->object->is_kernel);
	cr_assert(!frame->file && frame->line == 0);
	cr_assert_str_eq(frame_at(symbols, 0xffffffff81000100, 0)->function->name, "entry",
	                 "a call at its end");
	frame = frame_at(symbols, 0xffffffff82000000, 1);
	cr_assert_str_eq(frame->function->name, "[kernel]");
	cr_assert(frame->function->unresolved);
	end();
	symbols_destroy(symbols);
}

Test(kernelfile, without_it_addresses_of_the_kernel_are_unknown)
{
	struct symbols *symbols = symbols_create();

	load(NULL);
	cr_assert(!experiment_object_at(experiment, READ, 0));
	cr_assert_eq(frame_at(symbols, READ, 1)->function, symbols_unknown(symbols));
	cr_assert_eq(maker.warnings, 0);
	end();
	symbols_destroy(symbols);
}

Test(kernelfile, lines_that_say_nothing_are_reported_once)
{
	load("wrong\n" NAMES "ffffffff81000100 0 wrong\n");
	cr_assert_eq(experiment->kernel_count, 2);
	cr_assert_eq(maker.warnings, 1);
	cr_assert_eq(experiment_info(experiment)->damaged, 1);
	end();
}
