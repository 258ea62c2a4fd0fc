/* An FXT file as an experiment: its processes and their code, its threads, its samples and the
 * weight of each. */
#include "experiment/fxt/fxtlog.h"

#include "experiment/streams/nodes.h"
#include "format/fxt.h"
#include "format/record.h"
#include "tests/unit/experiment/make_samples.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START = 5000000 };

static struct maker maker;
static struct experiment *experiment;
static struct exp_cause cause;
static uint64_t words[1 << 15];
static size_t count;

static void begin(uint64_t hz)
{
	count = fxt_put_file_header(words, 7, "cpu0", 4, hz);
}

static void set_up(void)
{
	maker_create(&maker);
	begin(1000000000);
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(fxtlog, .init = set_up, .fini = tear_down);

static void sample(uint64_t ticks, uint64_t process, uint64_t thread, uint64_t leaf,
                   uint64_t caller)
{
	const uint64_t pcs[] = {leaf, caller};

	count += fxt_put_sample(words + count, ticks, process, thread, pcs, 2);
}

static int open_log(void)
{
	maker_put(&maker, "a.fxt", words, count * 8);
	strcat(maker.path, "/a.fxt");
	return maker_open(&maker, &experiment, &cause);
}

static const struct exp_data_set *load(void)
{
	const struct exp_data_set *set;

	cr_assert_eq(open_log(), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	return set;
}

static void map(uint64_t process, const char *name, uint64_t start)
{
	const struct fxt_module module = {.id = 3,
	                                  .name = name,
	                                  .name_size = strlen(name),
	                                  .build_id = (const uint8_t *)"\x01\xab",
	                                  .build_id_size = 2};
	const struct fxt_mapping mapping = {
		.module = 3, .flags = 5, .start = start, .size = 0x1000, .address = 0x200};

	count += fxt_put_module(words + count, START, process, process, &module);
	count += fxt_put_mapping(words + count, START, process, process, &mapping);
}

Test(fxtlog, is_an_experiment_that_has_ended)
{
	const struct exp_info *info;

	sample(START + 300, 42, 43, 0x5000, 0x4000);
	sample(START + 100, 50, 51, 0x5000, 0x4000);
	sample(START + 900, 42, 43, 0x5000, 0x4000);
	sample(START + 500, 42, 43, 0x5000, 0x4000);
	cr_assert_eq(open_log(), 0, "%s", cause.text);
	info = experiment_info(experiment);
	cr_expect_eq(info->status, EXP_ENDED);
	cr_expect_eq(info->exit_code, -1);
	cr_expect_eq(info->pid, 42, "the first sample's");
	cr_expect_str_eq(info->program, maker.path);
	cr_expect_str_eq(info->object, maker.path);
	cr_expect_eq(info->start_ticks, START + 100);
	cr_expect_eq(info->clock_hz, 1e9);
	cr_expect_float_eq(info->duration_s, 800e-9, 1e-15);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

/* Addresses of two processes are always different. */
Test(fxtlog, each_process_has_its_own_code_and_nodes)
{
	const struct exp_data_set *set;
	const struct exp_object *objects;

	map(42, "/bin/one", 0x4000);
	map(50, "/bin/two", 0x4000);
	sample(START, 50, 51, 0x5000, 0x4000);
	sample(START + 1, 42, 43, 0x5000, 0x4000);
	sample(START + 2, 42, 43, 0x4500, 0x4000);
	sample(START + 3, 42, 44, 0x4500, 0x4000);
	set = load();
	cr_assert_eq(set->nodes.count, 5);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 1), 1);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 3), 1);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 4), 2);
	cr_expect_eq(set->nodes.parent[4], 2);
	cr_expect_eq(set->nodes.pc[4], 0x4500);
	cr_expect_eq(set->nodes.pc[2], 0x4000);
	cr_expect_eq(set->nodes.parent[2], EXP_NODE_NONE);
	cr_expect_neq(set->nodes.generation[0], set->nodes.generation[2]);
	cr_assert_eq(experiment_objects(experiment, &objects), 2);
	cr_expect_str_eq(experiment_object_at(experiment, 0x4000, set->nodes.generation[0])->path,
	                 "/bin/two");
	cr_expect_str_eq(experiment_object_at(experiment, 0x4fff, set->nodes.generation[2])->path,
	                 "/bin/one");
	cr_expect_null(experiment_object_at(experiment, 0x5000, set->nodes.generation[2]));
	cr_expect_str_eq(objects[0].build_id, "01ab");
	cr_expect_eq(objects[0].bias, 0x4000 - 0x200);
	cr_expect_eq(set->have, EXP_DATA_PROFILE);
	cr_expect_eq(set->quality.samples, 4);
}

/* Between two samples of a provider, exact below 64 ns; records of another provider in between do
 * not matter. */
Test(fxtlog, a_sample_stands_for_the_usual_time_between_two)
{
	const struct exp_data_set *set;

	for (uint64_t i = 0; i < 5; i++)
		sample(START + 50 * i, 42, 43, 0x5000, 0x4000);
	count += fxt_put_provider(words + count, 8, "cpu1", 4);
	count += fxt_put_initialization(words + count, 1000000000);
	for (uint64_t i = 0; i < 4; i++)
		sample(START + 10 + 50 * i, 42, 43, 0x5000, 0x4000);
	sample(START + 900000, 42, 43, 0x5000, 0x4000);
	set = load();
	cr_expect_eq(set->quality.samples, 10);
	cr_expect_eq(set->quality.sampled_ns, 10 * 50);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 1), 10 * 50);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 0), 0);
	cr_expect_eq(exp_node_value(&set->nodes, EXP_CPU_SYSTEM, 1) +
	                     exp_node_value(&set->nodes, EXP_CPU_RESIDUAL, 1),
	             0);
}

Test(fxtlog, one_sample_alone_stands_for_nothing)
{
	const struct exp_data_set *set;

	sample(START, 42, 43, 0x5000, 0x4000);
	sample(START, 42, 43, 0x5000, 0x4000);
	sample(START - 5, 42, 43, 0x5000, 0x4000);
	set = load();
	cr_expect_eq(set->quality.samples, 3);
	cr_expect_eq(set->quality.sampled_ns, 0);
}

static void process_with(const char *name, uint64_t value, const char *other, uint64_t more)
{
	size_t at = count;

	count += fxt_put_string(words + count, 1, name, strlen(name));
	count += fxt_put_string(words + count, 2, other, strlen(other));
	at = count;
	count += fxt_put_process_name(words + count, 42, 1);
	words[at] |= UINT64_C(2) << 40;
	count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, 1, value);
	count += fxt_put_number(words + count, FXT_ARGUMENT_UINT64, 2, more);
	words[at] += (uint64_t)4 << 4;
}

/* As xer_print exports them; the means of all processes. */
Test(fxtlog, what_the_samples_stand_for_may_be_told)
{
	const struct exp_data_set *set;

	process_with("samples", 3, "sampled_ns", 10000);
	process_with("sampled_ns", 2000, "samples", 1);
	process_with("sample", 100, "sampled_nsx", 7);
	sample(START, 42, 43, 0x5000, 0x4000);
	sample(START + 50, 42, 43, 0x5000, 0x4000);
	set = load();
	cr_expect_eq(set->quality.sampled_ns, 2 * 3000);
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
}

Test(fxtlog, threads_have_their_names)
{
	char name[2 * EXP_THREAD_NAME + 1] = "";
	const char *const names[] = {"main", name, "process"};
	const struct exp_data_set *set;

	memset(name, 'n', sizeof(name) - 1);
	for (uint16_t i = 0; i < 3; i++)
		count += fxt_put_string(words + count, (uint16_t)(i + 1), names[i],
		                        strlen(names[i]));
	count += fxt_put_process_name(words + count, 42, 1);
	count += fxt_put_thread_name(words + count, 42, 43, 1, 3);
	count += fxt_put_thread_name(words + count, 42, 44, 2, 3);
	sample(START, 42, 43, 0x5000, 0x4000);
	set = load();
	cr_assert_eq(set->thread_count, 2);
	cr_expect_eq(set->threads[0].tid, 43);
	cr_expect_str_eq(set->threads[0].name, "main");
	cr_expect_eq(set->threads[0].origin, FMT_thread_origin_FOUND);
	cr_expect_eq(set->threads[1].tid, 44);
	cr_expect_eq(strspn(set->threads[1].name, "n"), EXP_THREAD_NAME - 1);
	cr_expect_eq(strlen(set->threads[1].name), EXP_THREAD_NAME - 1);
}

Test(fxtlog, ticks_become_nanoseconds)
{
	begin(4000000000);
	sample(4 * START, 42, 43, 0x5000, 0x4000);
	sample(4 * START + 200, 42, 43, 0x5000, 0x4000);
	cr_expect_eq(load()->quality.sampled_ns, 2 * 50);
	cr_expect_eq(experiment_info(experiment)->start_ticks, START);
	cr_expect_eq(experiment_info(experiment)->clock_hz, 1e9);
	cr_expect_float_eq(experiment_info(experiment)->duration_s, 50e-9, 1e-15);
}

Test(fxtlog, providers_have_any_number)
{
	static const uint32_t numbers[] = {4095, 4096, 4097, UINT32_MAX};

	for (size_t i = 0; i < 4; i++) {
		count += fxt_put_provider(words + count, numbers[i], "cpu", 3);
		count += fxt_put_initialization(words + count, 1000000000);
		sample(START + 50 * i, 42, 43, 0x5000, 0x4000);
		sample(START + 50 * i + 40, 42, 43, 0x5000, 0x4000);
	}
	cr_expect_eq(load()->quality.sampled_ns, 8 * 40);
}

/* Of the first 4096 providers, the times of the last samples are kept. One has no name, one is that
 * of the header. */
Test(fxtlog, samples_of_more_providers_than_are_kept_stand_for_nothing)
{
	for (uint32_t more = 4094; more <= 4095; more++) {
		begin(1000000000);
		for (uint32_t i = 0; i < more; i++) {
			count += fxt_put_provider(words + count, 10 + i, "cpu", 3);
			count += fxt_put_initialization(words + count, 1000000000);
		}
		for (uint64_t k = 0; k < 3; k++)
			sample(START + 40 * k, 42, 43, 0x5000, 0x4000);
		cr_expect_eq(load()->quality.sampled_ns, more == 4094 ? 3 * 40 : 0, "%u", more);
		tear_down();
		maker_create(&maker);
		experiment = NULL;
	}
}

/* ---- stacks ---- */

static void stack(uint64_t ticks, size_t frames, const uint64_t *pcs)
{
	count += fxt_put_sample(words + count, ticks, 42, 43, pcs, frames);
}

#define STACK(ticks, ...) \
	stack(ticks, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__})

/* The addresses of a node's callers and its own, outermost first, as text. */
static const char *path_of(const struct exp_data_set *set, uint32_t node)
{
	static char text[512];
	char inner[512];

	text[0] = '\0';
	for (; node != EXP_NODE_NONE; node = set->nodes.parent[node]) {
		strcpy(inner, text);
		snprintf(text, sizeof(text), "%lx %.400s", set->nodes.pc[node], inner);
	}
	return text;
}

Test(fxtlog, stacks_share_the_nodes_of_their_callers)
{
	static const struct {
		const char *path;
		uint64_t samples;
	} expected[] = {{"1000 ", 0},           {"1000 2000 ", 1},
	                {"1000 2000 3000 ", 3}, {"1000 2000 4000 ", 1},
	                {"5000 ", 0},           {"5000 2000 ", 0},
	                {"5000 2000 3000 ", 1}, {"1000 2000 3000 3000 ", 1}};
	const struct exp_data_set *set;

	STACK(START, 0x3000, 0x2000, 0x1000);
	STACK(START + 1, 0x3000, 0x2000, 0x1000);
	STACK(START + 2, 0x4000, 0x2000, 0x1000);
	STACK(START + 3, 0x3000, 0x2000, 0x5000);
	STACK(START + 4, 0x2000, 0x1000);
	STACK(START + 5, 0x3000, 0x2000, 0x1000);
	STACK(START + 6, 0x3000, 0x3000, 0x2000, 0x1000);
	set = load();
	cr_assert_eq(set->nodes.count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t node = 0;

		while (node < 8 && strcmp(path_of(set, node), expected[i].path) != 0)
			node++;
		cr_assert_lt(node, 8, "%s", expected[i].path);
		cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, node), expected[i].samples,
		             "%s", expected[i].path);
	}
	cr_expect_eq(set->quality.stacks, 5);
}

/* A sample has room for a limited number of addresses: one that is full is most likely cut. */
Test(fxtlog, a_stack_without_room_for_more_is_cut)
{
	uint64_t pcs[FXT_SAMPLE_PCS_MAX];
	const struct exp_data_set *set;

	for (uint64_t i = 0; i < FXT_SAMPLE_PCS_MAX; i++)
		pcs[i] = 0x1000 + i;
	stack(START, FXT_SAMPLE_PCS_MAX, pcs);
	stack(START + 1, FXT_SAMPLE_PCS_MAX - 1, pcs);
	stack(START + 2, FXT_SAMPLE_PCS_MAX, pcs);
	set = load();
	cr_expect_eq(set->nodes.count, 1 + FXT_SAMPLE_PCS_MAX + FXT_SAMPLE_PCS_MAX - 1);
	cr_expect_eq(set->nodes.pc[0], FMT_PC_TRUNCATED);
	cr_expect_eq(set->nodes.pc[1], 0x1000 + FXT_SAMPLE_PCS_MAX - 1);
	cr_expect_eq(set->nodes.parent[1], 0);
	cr_expect_eq(set->quality.truncated, 1);
	cr_expect_eq(set->quality.stacks, 2);
	cr_expect_eq(set->quality.truncated_events, 2);
}

/* Of the marks, only the one that says what is missing outside has a meaning here. */
Test(fxtlog, marks_are_no_addresses)
{
	const struct exp_data_set *set;

	STACK(START, 0x3000, FMT_PC_GUESSED, FMT_PC_TRUNCATED, 0x1000);
	STACK(START + 1, 0x3000, 0x2000, FMT_PC_TRUNCATED);
	STACK(START + 2, FMT_PC_MARKS, FMT_PC_MARKS - 1, 0);
	set = load();
	cr_assert_eq(set->nodes.count, 6);
	cr_expect_str_eq(path_of(set, 1), "1000 3000 ");
	cr_expect_str_eq(path_of(set, 4), "1 2000 3000 ");
	cr_expect_str_eq(path_of(set, 5), "10 ");
	cr_expect_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 5), 1);
}

Test(fxtlog, samples_are_told_by_thread)
{
	const struct exp_data_set *set;

	sample(START, 42, 43, 0x5000, 0x4000);
	sample(START + 40, 42, 44, 0x5000, 0x4000);
	sample(START + 80, 42, 44, 0x5000, 0x4000);
	set = load();
	cr_assert_eq(set->thread_count, 2);
	cr_expect_eq(set->threads[0].tid, 43);
	cr_expect_eq(set->threads[0].samples, 1);
	cr_expect_eq(set->threads[1].tid, 44);
	cr_expect_eq(set->threads[1].samples, 2);
	cr_expect_eq(set->threads[1].cpu_ns, 2 * 40);
	cr_expect_float_eq(set->first_s, 0, 1e-12);
	cr_expect_float_eq(set->last_s, 80e-9, 1e-12);
}

Test(fxtlog, what_lies_before_damage_counts)
{
	sample(START, 42, 43, 0x5000, 0x4000);
	sample(START + 512, 42, 43, 0x5000, 0x4000);
	count -= 1;
	cr_expect_eq(load()->quality.samples, 1);
	cr_expect_eq(maker.warnings, 1);
	cr_expect_neq(strstr(maker.warning, ": offset "), NULL, "%s", maker.warning);
}

Test(fxtlog, a_file_without_samples_is_no_experiment)
{
	cr_expect_eq(open_log(), -ENODATA);
	cr_expect_str_eq(cause.text + strlen(maker.path),
	                 ": an FXT file without samples (fxt_dump shows its records)");
}

Test(fxtlog, a_file_of_another_kind_is_none)
{
	words[0] ^= 1;
	cr_expect_eq(open_log(), -ENOTDIR);
	cr_expect_str_eq(
		cause.text + strlen(maker.path),
		": not an experiment: neither a directory nor an XRay or FXT log, nor a program");
}

Test(fxtlog, a_file_of_less_than_a_word_is_none)
{
	maker_put(&maker, "a.fxt", words, 7);
	strcat(maker.path, "/a.fxt");
	cr_expect_eq(maker_open(&maker, &experiment, &cause), -ENOTDIR);
}
