/* An FXT file as an experiment: its processes and their code, its threads, its samples and what
 * each stands for. */
#include "experiment/fxt/fxtlog.h"

#include "format/fxt.h"
#include "format/record.h"
#include "tests/unit/experiment/make_samples.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { START = 5000000 };

static struct maker maker;
static struct experiment *experiment;
static struct exp_cause cause;
static uint64_t words[4096];
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

/* Addresses of two processes are never one. */
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
	cr_expect_eq(set->nodes.value[EXP_SAMPLES][1], 1);
	cr_expect_eq(set->nodes.value[EXP_SAMPLES][3], 1);
	cr_expect_eq(set->nodes.value[EXP_SAMPLES][4], 2);
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

/* Between two samples of a provider, exact below 64 ns; what another one told in between does not
 * matter. */
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
	cr_expect_eq(set->nodes.value[EXP_CPU_USER][1], 10 * 50);
	cr_expect_eq(set->nodes.value[EXP_CPU_USER][0], 0);
	cr_expect_eq(set->nodes.value[EXP_CPU_SYSTEM][1] + set->nodes.value[EXP_CPU_RESIDUAL][1],
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
	cr_expect_str_eq(cause.text + strlen(maker.path),
	                 ": not an experiment: neither a directory nor an XRay or FXT log");
}

Test(fxtlog, a_file_of_less_than_a_word_is_none)
{
	maker_put(&maker, "a.fxt", words, 7);
	strcat(maker.path, "/a.fxt");
	cr_expect_eq(maker_open(&maker, &experiment, &cause), -ENOTDIR);
}
