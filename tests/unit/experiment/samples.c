/* Samples of the kernel's: whose they are, their nodes, and that they stand in place of clock samples. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/fxt.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PID = 42, MONO = 1000000, PERIOD = 250000 };

#define SETTING "<setting name=\"sampler_ns\" value=\"250000\"/>\n"
#define CLOCK "<clock source=\"tsc\" hz=\"1000000000\" ticks=\"1000000000\" raw_ns=\"5000000000\" real_ns=\"1700000000000000000\" mono_ns=\"1000000\"/>\n"
#define EXIT "<event kind=\"exit\" time=\"11000000000\" code=\"0\" cpu_ns=\"1000000\"/>\n"
#define EXEC "<event kind=\"exec\" time=\"1000000100\" path=\"/bin/other\" lineage=\"_x1\"/>\n"

static struct maker maker;
static uint64_t words[512];
static size_t count;

static void begin(const char *elements)
{
	char path[256];

	maker_create(&maker);
	maker_log(&maker, elements);
	snprintf(path, sizeof(path), "%s/sampler", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	count = fxt_put_magic(words);
	count += fxt_put_provider(words + count, 1, "cpu0", 4);
	count += fxt_put_initialization(words + count, 1000000000);
}

static void sample(uint64_t time_ns, uint64_t pid, uint64_t tid, size_t frames, const uint64_t *pcs)
{
	count += fxt_put_sample(words + count, time_ns, pid, tid, pcs, frames);
}

static struct experiment *experiment;

static const struct exp_data_set *load(void)
{
	const struct exp_data_set *set;
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	return set;
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

#define PCS(...) sizeof((const uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]){__VA_ARGS__}

Test(samples, stacks_become_nodes_that_are_shared)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000, 0x3000));
	sample(MONO + 2, PID, 43, PCS(0x5000, 0x4000, 0x3000));
	sample(MONO + 3, PID, 43, PCS(0x6000, 0x4000, 0x3000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->nodes.count, 4);
	cr_assert_eq(set->nodes.pc[0], 0x3000);
	cr_assert_eq(set->nodes.pc[2], 0x5000);
	cr_assert_eq(set->nodes.parent[3], 1);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][2], 2);
	cr_assert_eq(set->nodes.value[EXP_CPU_USER][2], 2 * PERIOD);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][3], 1);
	cr_assert_eq(set->quality.samples, 3);
	cr_assert_eq(maker.warnings, 0);
	end();
}

Test(samples, of_other_processes_and_times_are_left_out)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXEC);
	sample(MONO - 1, PID, 42, PCS(0x5000));
	sample(MONO + 50, PID + 1, 42, PCS(0x5000));
	sample(MONO + 60, PID, 42, PCS(0x5000));
	sample(MONO + 200, PID, 42, PCS(0x5000)); /* after the exec */
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 1);
	end();
}

static void put_clock_sample(void)
{
	struct maker_stream stream;

	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS + 10, 4096);
	maker_clock(&stream, MAKER_START_TICKS + 20, FMT_clock_state_USER, 777, 0);
	maker_stream_put(&maker, &stream, "profile");
}

Test(samples, stand_in_place_of_clock_samples)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	put_clock_sample();
	sample(MONO + 1, PID, 42, PCS(0x5000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 1);
	cr_assert_eq(set->quality.sampled_ns, PERIOD);
	end();
}

Test(samples, without_any_clock_samples_count)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	put_clock_sample();
	sample(MONO + 1, PID + 1, 42, PCS(0x5000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.sampled_ns, 777);
	end();
}

Test(samples, damage_is_told_and_what_lies_before_counts)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000));
	words[count++] = 0xffffffffffffff0f;
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	maker_put(&maker, "sampler/cpux.fxt", "?", 1);
	set = load();
	cr_assert_eq(set->quality.samples, 1);
	cr_assert_eq(maker.warnings, 1);
	cr_assert(strstr(maker.warning, "sampler/cpu0.fxt: offset"), "%s", maker.warning);
	end();
}

Test(samples, every_cut_is_survived)
{
	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000));
	sample(MONO + 2, PID, 42, PCS(0x5000, 0x4000));
	for (size_t size = 0; size <= count * 8; size++) {
		const struct exp_data_set *set;

		maker_put(&maker, "sampler/cpu0.fxt", words, size);
		set = load();
		cr_assert_leq(set->quality.samples, 2);
		experiment_close(experiment);
	}
	maker_destroy(&maker);
}

Test(samples, a_recording_without_a_sampler_has_none)
{
	const struct exp_data_set *set;

	begin(CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 0);
	end();
}
