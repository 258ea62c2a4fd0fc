/* Samples taken by the kernel: which process they belong to, their nodes, and that they replace
 * clock samples. */
#include "tests/unit/experiment/make_samples.h"

#include "format/fxt.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 250000 };

static struct maker maker;
static uint64_t words[512];
static size_t count;

static void begin(const char *elements)
{
	count = maker_sampler(&maker, elements, "cpu0", words);
}

static void sample(uint64_t time_ns, uint64_t pid, uint64_t tid, size_t frames, const uint64_t *pcs)
{
	count += fxt_put_sample(words + count, time_ns, pid, tid, pcs, frames);
}

static struct experiment *experiment;

static const struct exp_data_set *load(void)
{
	return maker_load(&maker, &experiment);
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

#define PCS(...) \
	sizeof((const uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[]) \
	{ \
		__VA_ARGS__ \
	}

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
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 2), 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_CPU_USER, 2), 2 * PERIOD);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 3), 1);
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
	cr_expect_eq(set->quality.sampled_squares, (double)PERIOD * PERIOD);
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

Test(samples, a_stack_that_is_cut_has_no_outermost_frame)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000));
	sample(MONO + 2, PID, 42, PCS(0x5000, 0x4000, FMT_PC_TRUNCATED));
	sample(MONO + 3, PID, 42, PCS(0x6000, 0x4000, FMT_PC_TRUNCATED));
	sample(MONO + 4, PID, 42,
	       PCS(0x5000, FMT_PC_TRUNCATED, 0x4000)); /* elsewhere it has no meaning */
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->nodes.count, 6);
	cr_assert_eq(set->nodes.pc[2], FMT_PC_TRUNCATED);
	cr_assert_eq(set->nodes.parent[3], 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 1), 2);
	cr_assert_eq(exp_node_value(&set->nodes, EXP_SAMPLES, 4), 1);
	cr_assert_eq(set->quality.truncated_events, 2);
	end();
}

Test(samples, cut_stacks_of_counters_are_counted_by_samples)
{
	const struct exp_data_set *set;
	char from[256], to[256];

	begin("<setting name=\"counters\" value=\"page-faults,7\"/>\n" CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000));
	sample(MONO + 2, PID, 42, PCS(0x6000, FMT_PC_TRUNCATED));
	sample(MONO + 3, PID, 42, PCS(0x6000, FMT_PC_TRUNCATED));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	snprintf(from, sizeof(from), "%s/sampler", maker.path);
	snprintf(to, sizeof(to), "%s/counter0", maker.path);
	cr_assert_eq(rename(from, to), 0);
	set = load();
	cr_expect_eq(set->quality.counter_samples, 3);
	cr_expect_eq(set->quality.counter_squares[0], 3 * 7 * 7);
	cr_expect_eq(set->quality.stacks, 2);
	cr_expect_eq(set->quality.stack_events, 3);
	cr_expect_eq(set->quality.truncated_events, 2);
	end();
}

/* What an event is called decides its slot: the same names share one, all others have their own,
 * however short or alike they are. */
Test(samples, each_name_of_a_counter_has_a_slot)
{
	char command[512];
	unsigned slot = 0;

	begin("<setting name=\"counters\" value=\"e,7 f,7 e1,7 e,7\"/>\n" CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	for (int i = 0; i < 4; i++) {
		snprintf(command, sizeof(command), "cp -r %s/sampler %s/counter%d", maker.path,
		         maker.path, i);
		cr_assert_eq(system(command), 0);
	}
	snprintf(command, sizeof(command), "rm -r %s/sampler", maker.path);
	cr_assert_eq(system(command), 0);
	cr_expect_eq(load()->quality.counter_samples, 4);
	for (const char *const *name = (const char *const[]){"e", "f", "e1", NULL}; *name; name++)
		cr_expect_str_eq(experiment_counter_name(slot++), *name);
	cr_expect_null(experiment_counter_name(slot));
	end();
}

Test(samples, a_full_stack_without_a_mark_is_whole)
{
	const struct exp_data_set *set;
	uint64_t pcs[FXT_SAMPLE_PCS_MAX];

	begin(SETTING CLOCK EXIT);
	for (size_t i = 0; i < FXT_SAMPLE_PCS_MAX; i++)
		pcs[i] = 0x5000;
	sample(MONO + 1, PID, 42, FXT_SAMPLE_PCS_MAX, pcs);
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->nodes.count, FXT_SAMPLE_PCS_MAX);
	cr_assert_eq(set->quality.truncated_events, 0);
	end();
}

#define PAUSED(kind, time) "<event kind=\"" kind "\" time=\"" time "\" cpu_ns=\"0\"/>\n"

Test(samples, of_pauses_are_left_out)
{
	/* A pause that is recorded twice counts once; a pause that does not end lasts until the
	 * end. */
	static const uint64_t kept[] = {1, 99, 200, 249, 300, 301, 500, 599},
			      left_out[] = {100, 199, 250, 299, 600, 5000};
	const struct exp_data_set *set;

	begin(SETTING CLOCK PAUSED("pause", "1000000100") PAUSED("resume", "1000000200")
	              PAUSED("resume", "1000000210") PAUSED("pause", "1000000250")
	                      PAUSED("pause", "1000000260") PAUSED("resume", "1000000300")
	                              PAUSED("pause", "1000000600") EXIT);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		sample(MONO + kept[i], PID, 42, PCS(0x5000));
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		sample(MONO + left_out[i], PID, 42, PCS(0x6000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 8);
	cr_assert_eq(set->nodes.count, 1);
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

/* A process is about to execute something. */
static void program_began(uint64_t pid, uint64_t time_ns)
{
	uint64_t *at = words + count;

	at[0] = FXT_HEAD(kernel_object, 4) | FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
	        FXT_BITS(kernel_object, arguments, 1);
	at[1] = pid;
	count += 2 + fxt_put_number(at + 2, FXT_ARGUMENT_UINT64, 1, time_ns);
}

Test(samples, of_a_program_that_its_collector_is_younger_than_count)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXEC);
	sample(MONO - 900, PID, 42, PCS(0x6000)); /* of the previous program */
	sample(MONO - 500, PID, 42, PCS(0x5000));
	sample(MONO - 1, PID, 42, PCS(0x5000));
	sample(MONO + 1, PID, 42, PCS(0x5000));
	sample(MONO + 200, PID, 42, PCS(0x6000)); /* of the next program */
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	count = fxt_put_magic(words);
	count += fxt_put_string(words + count, 1, "began", 5);
	program_began(PID, MONO - 1000);
	program_began(PID, MONO - 500);
	program_began(PID + 1, MONO - 100);
	program_began(PID, MONO + 150);
	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 3);
	cr_assert_eq(set->nodes.count, 1);
	cr_assert_geq(set->first_s, 0);
	end();
}

Test(samples, timers_in_their_place_are_clock_samples)
{
	const struct exp_data_set *set;

	begin("<setting name=\"sampler_timers\" value=\"1\"/>\n" SETTING CLOCK EXIT);
	put_clock_sample();
	sample(MONO + 1, PID, 42, PCS(0x5000));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->quality.samples, 1);
	cr_assert_eq(set->quality.sampled_ns, 777);
	end();
}
