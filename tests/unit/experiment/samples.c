/* Samples of the kernel's: whose they are, their nodes, and that they stand in place of clock samples. */
#include "tests/unit/experiment/make_experiment.h"

#include "format/fxt.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

#define COUNTERS "<setting name=\"counters\" value=\"page-faults,10 cycles,5\"/>\n"
#define COUNT(of) "<count name=\"" of "_samples\" value=\"0\"/>\n"

/* Of counters, only the first has a directory here: the helper of the second was refused. */
Test(samples, helpers_that_end_before_their_counts_are_told_of)
{
	static const struct {
		const char *log;
		unsigned untold;
	} rows[] = {
	    {SETTING CLOCK EXIT, 1},
	    {SETTING CLOCK EXIT COUNT("sampler"), 0},
	    {SETTING COUNTERS CLOCK EXIT COUNT("sampler"), 1},
	    {SETTING COUNTERS CLOCK EXIT COUNT("counter0"), 1},
	    {SETTING COUNTERS CLOCK EXIT COUNT("sampler") COUNT("counter0"), 0},
	    {SETTING "<setting name=\"sampler_timers\" value=\"1\"/>\n" CLOCK EXIT, 0},
	    {CLOCK EXIT, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[256];

		begin(rows[i].log);
		snprintf(path, sizeof(path), "%s/counter0", maker.path);
		cr_assert_eq(mkdir(path, 0755), 0);
		load();
		cr_expect_eq(experiment_info(experiment)->untold, rows[i].untold, "%s", rows[i].log);
		cr_expect_eq(maker.warnings, 0);
		end();
	}
}

static int lock_of_samples(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/sampler", maker.path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	return fd;
}

Test(samples, a_helper_at_work_has_time_to_tell)
{
	int lock;

	begin(SETTING CLOCK EXIT);
	lock = lock_of_samples();
	load();
	cr_expect_eq(experiment_info(experiment)->untold, 0);
	close(lock);
	end();
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

Test(samples, a_stack_that_is_cut_has_no_outermost_frame)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x5000, 0x4000));
	sample(MONO + 2, PID, 42, PCS(0x5000, 0x4000, FMT_PC_TRUNCATED));
	sample(MONO + 3, PID, 42, PCS(0x6000, 0x4000, FMT_PC_TRUNCATED));
	sample(MONO + 4, PID, 42, PCS(0x5000, FMT_PC_TRUNCATED, 0x4000)); /* elsewhere it says nothing */
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	set = load();
	cr_assert_eq(set->nodes.count, 6);
	cr_assert_eq(set->nodes.pc[2], FMT_PC_TRUNCATED);
	cr_assert_eq(set->nodes.parent[3], 2);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][1], 2);
	cr_assert_eq(set->nodes.value[EXP_SAMPLES][4], 1);
	cr_assert_eq(set->quality.truncated_events, 2);
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
	/* What is told twice counts once; a pause that has not ended lasts. */
	static const uint64_t kept[] = {1, 99, 200, 249, 300, 301, 500, 599}, left_out[] = {100, 199, 250, 299, 600, 5000};
	const struct exp_data_set *set;

	begin(SETTING CLOCK PAUSED("pause", "1000000100") PAUSED("resume", "1000000200") PAUSED("resume", "1000000210")
		PAUSED("pause", "1000000250") PAUSED("pause", "1000000260") PAUSED("resume", "1000000300") PAUSED("pause", "1000000600") EXIT);
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

static void program(const char *name)
{
	size_t size = strlen(name), size_words = 2 + fxt_put_bytes(words + count + 2, name, strlen(name));

	words[count] = FXT_HEAD(kernel_object, size_words) | FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) |
		       FXT_BITS(kernel_object, name, FXT_STRING_INLINE | size);
	words[count + 1] = PID;
	count += size_words;
}

static void code(uint64_t time_ns, uint64_t pid, const char *path, uint64_t start)
{
	const struct fxt_module module = {.id = 3, .name = path, .name_size = strlen(path), .build_id = (const uint8_t *)"\x12\xab", .build_id_size = 2};
	const struct fxt_mapping mapping = {.module = 3, .flags = 5, .start = start, .size = 0x1000, .address = 0x2000};

	count += fxt_put_module(words + count, time_ns, pid, pid, &module);
	count += fxt_put_mapping(words + count, time_ns, pid, pid, &mapping);
}

#define MAP "<map>\n <object id=\"1\" path=\"/lib/known\" build_id=\"\" bias=\"0x10000\" start=\"0x10000\" end=\"0x20000\" generation=\"0\" time=\"0\"/>\n</map>\n"

Test(samples, code_that_only_the_sampler_saw_is_in_the_map)
{
	const struct exp_object *object;

	begin(SETTING CLOCK EXEC);
	program("before"); /* another image of the same process */
	code(MONO - 500, PID, "/bin/before", 0x40000);
	program("this");
	code(MONO - 1, PID, "/bin/this", 0x30000); /* in the loader, before the collector */
	code(MONO + 10, PID, "/lib/late", 0x50000);
	code(MONO + 10, PID, "/lib/other", 0x1f000); /* where map.xml has something */
	code(MONO + 10, PID + 1, "/bin/elsewhere", 0x60000);
	program("after");
	code(MONO + 200, PID, "/bin/after", 0x40000);
	maker_put(&maker, "sampler/map.fxt", words, count * 8);
	maker_put(&maker, "map.xml", MAP, strlen(MAP));
	load();
	object = experiment_object_at(experiment, 0x30010, 0);
	cr_assert(object != NULL);
	cr_assert_str_eq(object->path, "/bin/this");
	cr_assert_str_eq(object->build_id, "12ab");
	cr_assert_eq(object->bias, 0x30000 - 0x2000);
	cr_assert_str_eq(experiment_object_at(experiment, 0x50fff, UINT32_MAX - 1)->path, "/lib/late");
	cr_assert_str_eq(experiment_object_at(experiment, 0x1f800, 0)->path, "/lib/known");
	cr_assert_null(experiment_object_at(experiment, 0x20000, 0));
	cr_assert_null(experiment_object_at(experiment, 0x40010, 0), "of other programs");
	cr_assert_null(experiment_object_at(experiment, 0x60010, 0), "of other processes");
	end();
}

/* As `program`, with the time of its beginning. */
static void program_began(uint64_t pid, uint64_t time_ns)
{
	uint64_t *at = words + count;

	at[0] = FXT_HEAD(kernel_object, 4) | FXT_BITS(kernel_object, object, FXT_OBJECT_PROCESS) | FXT_BITS(kernel_object, arguments, 1);
	at[1] = pid;
	count += 2 + fxt_put_number(at + 2, FXT_ARGUMENT_UINT64, 1, time_ns);
}

Test(samples, of_a_program_that_its_collector_is_younger_than_count)
{
	const struct exp_data_set *set;

	begin(SETTING CLOCK EXEC);
	sample(MONO - 900, PID, 42, PCS(0x6000)); /* of the program before */
	sample(MONO - 500, PID, 42, PCS(0x5000));
	sample(MONO - 1, PID, 42, PCS(0x5000));
	sample(MONO + 1, PID, 42, PCS(0x5000));
	sample(MONO + 200, PID, 42, PCS(0x6000)); /* of the one after */
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

Test(samples, a_damaged_map_is_survived)
{
	begin(SETTING CLOCK EXIT);
	sample(MONO + 1, PID, 42, PCS(0x30010));
	maker_put(&maker, "sampler/cpu0.fxt", words, count * 8);
	count = fxt_put_magic(words);
	program("this");
	code(MONO + 1, PID, "/bin/this", 0x30000);
	code(MONO + 10, PID, "/lib/late", 0x50000);
	srand(5);
	for (int i = 0; i < 500; i++) {
		uint64_t kept[512];

		memcpy(kept, words, sizeof(kept));
		for (int k = rand() % 4; k >= 0; k--)
			((uint8_t *)kept)[8 + (size_t)rand() % (count * 8 - 8)] = (uint8_t)(rand() % 3 ? rand() : 0xff);
		maker_put(&maker, "sampler/map.fxt", kept, count * 8);
		cr_assert_eq(load()->quality.samples, 1);
		experiment_object_at(experiment, 0x30010, 0);
		experiment_close(experiment);
	}
	maker_destroy(&maker);
}
