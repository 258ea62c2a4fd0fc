/* A log of LLVM's XRay runtime as an experiment: its header, its records as a trace, its
 * functions. */
#include "experiment/xray/foreign.h"

#include "format/record.h"
#include "tests/unit/experiment/make_elf.h"
#include "tests/unit/experiment/xray/make_log.h"
#include "tests/unit/experiment/xray/words_sink.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static struct maker maker;
static struct experiment *experiment;

static void set_up(void)
{
	maker_create(&maker);
	told_since = 0;
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(foreign, .init = set_up, .fini = tear_down);

/* Open the log that was made as an experiment. */
static void open_log(void)
{
	struct exp_cause cause;

	maker_put(&maker, "a.log", bytes, len);
	strcat(maker.path, "/a.log");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

static void says(const char *text)
{
	open_log();
	cr_expect_eq(foreign_walk(experiment_foreign(experiment), &sink), 0);
	cr_expect_str_eq(told, text);
}

static void argument(uint64_t value)
{
	put(metadata(ARGUMENT) + 1, 8, value);
}

static void typed(unsigned type, uint32_t delta, size_t size)
{
	size_t at = metadata(TYPED);

	put(at + 1, 4, size);
	put(at + 5, 4, delta);
	put(at + 9, 2, type);
	memset(bytes + len, 't', size);
	len += size;
}

Test(foreign, a_log_is_an_experiment_that_has_ended)
{
	const struct exp_object *objects;
	const struct exp_info *info;

	header(3, 0, 1, 0);
	put(8, 8, 2000000000); /* ticks a second */
	buffer(42, 1000);
	function(3, 0, 500);
	function(3, 1, 3000);
	end();
	open_log();
	info = experiment_info(experiment);
	cr_expect_eq(info->status, EXP_ENDED);
	cr_expect_eq(info->exit_code, -1);
	cr_expect_eq(info->pid, 99);
	cr_expect_str_eq(info->program, maker.path);
	cr_expect_str_eq(info->object, maker.path);
	cr_expect_eq(info->clock_is_tsc, 1);
	cr_expect_eq(info->clock_hz, 2e9);
	cr_expect_eq(info->start_ticks, 1500);
	cr_expect_float_eq(info->duration_s, 3000 / 2e9, 1e-12);
	cr_assert_eq(experiment_objects(experiment, &objects), 1);
	cr_expect_str_eq(objects[0].path, "xray");
	cr_expect_str_eq(objects[0].build_id, "");
	cr_expect_eq(objects[0].start, UINT64_C(1) << 32);
	cr_expect_eq(objects[0].bias, UINT64_C(1) << 32);
	cr_expect_eq(objects[0].end, (UINT64_C(1) << 32) + (1 << 28));
	cr_expect_eq(maker.warnings, 0, "%s", maker.warning);
	cr_expect_eq(experiment_object_at(experiment, UINT64_C(1) << 32, 7), &objects[0]);
	cr_expect_null(experiment_object_at(experiment, UINT32_MAX, 0));
}

Test(foreign, ticks_without_a_frequency_are_nanoseconds)
{
	header(3, 0, 1, 0);
	put(8, 8, 0);
	buffer(42, 1000);
	function(3, 0, 0);
	function(3, 1, 3000);
	end();
	open_log();
	cr_expect_eq(experiment_info(experiment)->clock_hz, 1e9);
	cr_expect_float_eq(experiment_info(experiment)->duration_s, 3e-6, 1e-15);
}

Test(foreign, functions_without_a_map_are_told_by_their_numbers)
{
	const struct exp_data_set *set;

	header(5, 0, 1, 0);
	buffer(42, 1000);
	function(3, 0, 10);
	function(7, 0, 10);
	function(7, 1, 20);
	function(3, 2, 10);
	end();
	open_log();
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->calls.function_count, 2);
	cr_expect_eq(set->calls.functions[0].address, (UINT64_C(1) << 32) + 3);
	cr_expect_eq(set->calls.functions[0].total_ns, 40);
	cr_expect_eq(set->calls.functions[0].self_ns, 20);
	cr_expect_eq(set->calls.functions[1].address, (UINT64_C(1) << 32) + 7);
	cr_expect_eq(set->calls.functions[1].total_ns, 20);
}

Test(foreign, what_is_damaged_is_told_once)
{
	header(1, 0, 1, 0);
	for (int i = 0; i < 2; i++) {
		buffer(7, 1000);
		function(1, 0, 5);
		function(1, 6, 5); /* no such action */
		end();
	}
	open_log();
	cr_expect_eq(maker.warnings, 1);
	cr_expect_str_eq(maker.warning + strlen(maker.path),
	                 ": offset 88: not a record, and more behind it");
}

Test(foreign, one_fault_has_nothing_behind_it)
{
	header(1, 0, 1, 0);
	buffer(7, 1000);
	function(1, 0, 5);
	function(1, 6, 5);
	open_log();
	cr_expect_str_eq(maker.warning + strlen(maker.path), ": offset 88: not a record");
}

/* A thread begins at the time of its first record. */
Test(foreign, records_come_with_their_threads_times_and_arguments)
{
	header(5, 0, 1, 0);
	buffer(8, 500);
	function(9, 2, 1);
	end();
	buffer(7, 1000);
	function(1, 0, 10);
	function(2, 3, 5);
	argument(77);
	argument(78);
	function(2, 1, 5);
	custom(0, 4, "text");
	typed(3, 1, 6);
	function(1, 1, 5);
	end();
	says("[7@1010] +1@1010 *2@1015 a77 a78 -2@1020 e116:20@1024 e116:22@1025 -1@1030[8@501] "
	     "~9@501");
}

/* A word of zero would be unused space. */
Test(foreign, an_entry_of_function_0_at_once_is_one_tick_later)
{
	header(5, 0, 1, 0);
	buffer(7, 1000);
	function(0, 0, 0);
	function(0, 1, 5);
	end();
	says("[7@1000] +0@1001 -0@1006");
}

Test(foreign, time_between_records_has_more_than_32_bits)
{
	header(5, 0, 1, 0);
	buffer(7, 1000);
	function(1, 0, 1);
	put(metadata(TSC_WRAP) + 1, 8, 10000000000);
	function(1, 1, 0);
	put(metadata(TSC_WRAP) + 1, 8, 10000000000 + UINT32_MAX);
	function(2, 0, 0);
	put(metadata(TSC_WRAP) + 1, 8, 5);
	function(2, 1, 0);
	end();
	says("[7@1001] +1@1001 -1@10000000000 +2@14294967295 -2@14294967295");
}

Test(foreign, runs_of_any_length_come_whole)
{
	char text[sizeof(told)];
	size_t at = (size_t)sprintf(text, "[7@1]");

	header(5, 0, 1, 0);
	buffer(7, 0);
	for (int i = 0; i < 1030; i++) {
		function(1, i % 2, 1);
		at += (size_t)sprintf(text + at, " %s1@%d", i % 2 == 1 ? "-" : "+", i + 1);
	}
	end();
	says(text);
}

Test(foreign, what_is_behind_the_longest_event_is_cut_off)
{
	header(5, 0, 1, 0);
	buffer(7, 0);
	typed(3, 1, 65520);
	typed(3, 1, 65521);
	end();
	says("[7@1] e116:65536@1 e116:65536@2");
}

static struct fmt_traced_event events[2];

static int keep_event(void *context, const uint8_t *payload, uint32_t size, uint64_t tsc)
{
	int *count = context;

	(void)tsc;
	cr_assert_lt(*count, 2);
	cr_expect_eq(size, sizeof(events[0]) + 5);
	memcpy(&events[*count], payload, sizeof(events[0]));
	cr_expect_eq(memcmp(payload + sizeof(events[0]), *count == 0 ? "words" : "ttttt", 5), 0);
	++*count;
	return 0;
}

Test(foreign, events_have_their_form_type_and_bytes)
{
	int count = 0;
	struct functrace_sink keep = sink;

	header(5, 0, 1, 0);
	buffer(7, 0);
	custom(0, 1, "words");
	typed(9, 1, 5);
	end();
	open_log();
	keep.event = keep_event;
	keep.context = &count;
	cr_assert_eq(foreign_walk(experiment_foreign(experiment), &keep), 0);
	cr_assert_eq(count, 2);
	cr_expect_eq(events[0].form, FMT_traced_form_CUSTOM);
	cr_expect_eq(events[0].type, 0);
	cr_expect_eq(events[1].form, FMT_traced_form_TYPED);
	cr_expect_eq(events[1].type, 9);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(events[i].kind, FMT_KIND_traced_event);
		cr_expect_eq(events[i].size, 5);
		cr_expect_eq(events[i].whole, 5);
	}
}

Test(foreign, a_walk_ends_where_its_sink_says_so)
{
	header(5, 0, 1, 0);
	buffer(7, 0);
	function(1, 3, 1);
	argument(77);
	argument(78);
	custom(0, 1, "x");
	function(1, 1, 1);
	end();
	buffer(8, 0);
	function(2, 0, 1);
	end();
	open_log();
	for (int last = 1; last <= 8; last++) {
		static const char *const tells[] = {"[7@1]",      " *1@1", " a77",  " a78",
		                                    " e116:17@2", " -1@3", "[8@1]", " +2@1"};
		char text[128] = "";

		for (int i = 0; i < last; i++)
			strcat(text, tells[i]);
		told[0] = '\0';
		calls = 0;
		stop_at = last;
		/* A callback for functions has no way to say why. */
		cr_expect_eq(foreign_walk(experiment_foreign(experiment), &sink),
		             last == 2 || last == 6 || last == 8 ? -ECANCELED : -EINTR);
		cr_expect_str_eq(told, text);
	}
}

/* ---- the instrumentation map of a program ---- */

enum { SLEDS = 5, MAP_AT = 0x2000 };

/* A sled of xray_instr_map. */
struct sled {
	uint64_t address, function;
	uint8_t kind, always, version, padding[13];
};

/* Write a program whose section `name` has five sleds of functions at 0x1100, 0x1100, 0x1200,
 * 0x1300 and, by a distance from where it stands, 0x1400; the last is cut to `rest` bytes. */
static void put_program(const char *name, size_t rest, char *path, size_t size)
{
	static const uint64_t functions[SLEDS] = {0x1100, 0x1100, 0x1200, 0x1300};
	struct sled sleds[SLEDS];
	uint8_t program[2048];

	for (size_t i = 0; i < SLEDS; i++)
		sleds[i] = (struct sled){.function = functions[i], .version = 1};
	sleds[4].version = 2;
	sleds[4].function = 0x1400 - (MAP_AT + 4 * sizeof(struct sled) + 8);
	snprintf(path, size, "%s/program", maker.path);
	maker_put(&maker, "program", program,
	          made_elf(program, sizeof(program),
	                   &(struct made_section){.name = name,
	                                          .type = SHT_PROGBITS,
	                                          .address = MAP_AT,
	                                          .bytes = sleds,
	                                          .size = 4 * sizeof(struct sled) + rest},
	                   1));
}

static void make_log(void)
{
	header(5, 0, 1, 0);
	buffer(42, 1000);
	for (uint32_t id = 0; id <= 5; id++)
		function(id, 0, 10);
	end();
}

Test(foreign, a_map_numbers_the_functions_of_its_program)
{
	static const uint64_t addresses[] = {(UINT64_C(1) << 32),    0x1100, 0x1200, 0x1300, 0x1400,
	                                     (UINT64_C(1) << 32) + 5};
	const struct exp_object *objects;
	const struct exp_data_set *set;
	char path[256], real[PATH_MAX];

	put_program("xray_instr_map", sizeof(struct sled), path, sizeof(path));
	make_log();
	open_log();
	cr_assert_eq(experiment_instr_map(experiment, path), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_assert_eq(set->calls.function_count, 6);
	for (size_t i = 0; i < 6; i++)
		cr_expect_eq(set->calls.functions[i].address, addresses[i]);
	cr_assert_eq(experiment_objects(experiment, &objects), 2);
	cr_expect_str_eq(objects[0].path, realpath(path, real));
	cr_expect_str_eq(objects[0].build_id, "");
	cr_expect_eq(objects[0].start, 0);
	cr_expect_eq(objects[0].bias, 0);
	cr_expect_eq(objects[0].end, UINT64_C(1) << 32);
	cr_expect_str_eq(objects[1].path, "xray");
	cr_expect_eq(experiment_object_at(experiment, 0x1100, 0), &objects[0]);
	cr_expect_eq(experiment_object_at(experiment, UINT32_MAX, 0), &objects[0]);
	cr_expect_eq(experiment_object_at(experiment, UINT64_C(1) << 32, 0), &objects[1]);
}

Test(foreign, a_sled_that_is_cut_off_is_none)
{
	const struct exp_data_set *set;
	char path[256];

	put_program("xray_instr_map", sizeof(struct sled) - 1, path, sizeof(path));
	make_log();
	open_log();
	cr_assert_eq(experiment_instr_map(experiment, path), 0);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_eq(set->calls.functions[3].address, 0x1300);
	cr_expect_eq(set->calls.functions[4].address, (UINT64_C(1) << 32) + 4);
}

Test(foreign, what_has_no_map_is_refused)
{
	char path[256];

	put_program("xray_instr_maps", 32, path, sizeof(path));
	maker_put(&maker, "text", "text", 4);
	make_log();
	open_log();
	cr_expect_eq(experiment_instr_map(experiment, path), -EBADMSG);
	strcpy(strrchr(path, '/'), "/text");
	cr_expect_eq(experiment_instr_map(experiment, path), -EBADMSG);
	strcpy(strrchr(path, '/'), "/none");
	cr_expect_eq(experiment_instr_map(experiment, path), -ENOENT);
	cr_expect_eq(experiment_objects(experiment, &(const struct exp_object *){NULL}), 1);
}

Test(foreign, an_experiment_of_xer_needs_no_map)
{
	struct exp_cause cause;

	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_expect_null(experiment_foreign(experiment));
	cr_expect_eq(experiment_instr_map(experiment, "/nonexistent/program"), 0);
}
