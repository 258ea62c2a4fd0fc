/* JIT functions, and the CPU time that was not recorded during pauses. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/symbols/code.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct maker maker;
static struct experiment *experiment;

static void open_with(const char *map, const char *log)
{
	struct exp_cause cause;
	char text[4096];

	maker_create(&maker);
	snprintf(text, sizeof(text), "<map version=\"1.0\">\n%s</map>\n", map);
	maker_put(&maker, FMT_FILE_MAP, text, strlen(text));
	if (log)
		maker_log(&maker, log);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

static void close_all(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

static const char *name_at(uint64_t pc, uint32_t generation)
{
	const struct exp_function *function = experiment_function_at(experiment, pc, generation);

	return function ? function->name : "";
}

Test(dynamic, a_place_that_is_used_again_is_told_by_generation, .fini = close_all)
{
	open_with(
		" <function name=\"one\" address=\"0x1000\" size=\"64\" generation=\"0\"/>\n"
		" <function_unload address=\"0x1000\" generation=\"1\"/>\n"
		" <function name=\"two\" alias=\"II\" source=\"x.jit\" address=\"0x1020\" size=\"64\" generation=\"1\"/>\n"
		" <function address=\"0x3000\" size=\"16\" generation=\"1\"/>\n",
		NULL);
	cr_assert_str_eq(name_at(0x1000, 0), "one");
	cr_assert_str_eq(name_at(0x103f, 0), "one");
	cr_assert_str_eq(name_at(0x1040, 0), "");
	cr_assert_str_eq(name_at(0x1000, 1), "");
	cr_assert_str_eq(name_at(0x1020, 1), "two");
	cr_assert_str_eq(name_at(0x105f, 9), "two");
	cr_assert_str_eq(name_at(0xfff, 1), "");
	cr_assert(experiment_function_at(experiment, 0x3000, 1) != NULL);
	cr_assert_str_eq(experiment_function_at(experiment, 0x1020, 1)->alias, "II");
}

/* A JIT compiler may use a place again without a word. */
Test(dynamic, of_several_at_one_place_the_last_is_there, .fini = close_all)
{
	char map[2048] = "", expected[16];

	for (int i = 0; i < 20; i++)
		snprintf(
			map + strlen(map), sizeof(map) - strlen(map),
			" <function name=\"f%d\" address=\"0x%x000\" size=\"64\" generation=\"0\"/>\n",
			i, i * 7 % 5 + 1);
	open_with(map, NULL);
	/* 20 functions in turn at 5 places: the last five are at places 15 * 7 % 5 and so on. */
	for (int i = 15; i < 20; i++) {
		snprintf(expected, sizeof(expected), "f%d", i);
		cr_expect_str_eq(name_at((uint64_t)(i * 7 % 5 + 1) << 12, 0), expected);
	}
}

Test(dynamic, functions_come_before_objects_and_have_lines, .fini = close_all)
{
	static const struct {
		char code[8];
		uint32_t lines[3][2];
	} text = {"code", {{0, 10}, {3, 20}, {6, 30}}};
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames, *inside;
	const uint8_t *bytes;
	char map[512];

	snprintf(
		map, sizeof(map),
		" <object id=\"1\" path=\"/no/prog\" bias=\"0\" start=\"0x1000\" end=\"0x9000\" generation=\"0\"/>\n"
		" <function name=\"_Z4jitfv\" source=\"/src/a.jit\" address=\"0x2000\" size=\"8\" generation=\"0\" offset=\"0\" "
		"lines=\"3\"/>\n");
	open_with(map, NULL);
	maker_put(&maker, FMT_FILE_DYNTEXT, &text, sizeof(text));
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2004, 0, 0, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "jitf()");
	cr_assert_str_eq(frames[0].function->object->name, "<Dynamic>");
	cr_assert_str_eq(frames[0].file, "/src/a.jit");
	cr_assert_eq(frames[0].line, 20); /* a return address counts as the call before */
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2007, 0, 1, &frames), 1);
	cr_assert_eq(frames[0].line, 30);
	cr_assert_eq(frames[0].function->line, 10);
	cr_assert(symbols_is_jit(symbols, frames[0].function));
	cr_assert_eq(symbols_bytes(symbols, frames[0].function, 0x2002, &bytes), 6);
	cr_assert_eq(memcmp(bytes, "de", 2), 0);
	cr_assert_eq(symbols_bytes(symbols, frames[0].function, 0x2008, &bytes), 0);
	cr_assert_eq(symbols_frames_in(symbols, frames[0].function, 0x2006, &inside), 1);
	cr_assert_eq(inside[0].line, 30);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2010, 0, 1, &frames), 1);
	cr_assert_str_neq(frames[0].function->name, "jitf()");
	symbols_destroy(symbols);
}

/* The bytes of jitf(), as the text is named by its first two. */
static void expect_code(struct symbols *symbols, const char *expected)
{
	const struct sym_frame *frames;
	const uint8_t *bytes;

	cr_assert_eq(symbols_frames(symbols, experiment, 0x2004, 0, 0, &frames), 1);
	cr_assert(symbols_is_jit(symbols, frames[0].function));
	cr_assert_eq(symbols_bytes(symbols, frames[0].function, 0x2000, &bytes), 8);
	cr_assert_eq(memcmp(bytes, expected, 8), 0, "%.8s, not %s", (const char *)bytes, expected);
}

/* Functions of several experiments with one name and address are the same function; its code is the
 * first experiment's, while that is open. */
Test(dynamic, code_is_of_an_experiment_that_is_open, .fini = close_all)
{
	struct symbols *symbols = symbols_create();
	struct experiment *other;
	struct exp_cause cause;

	open_with(
		" <function name=\"_Z4jitfv\" address=\"0x2000\" size=\"8\" generation=\"0\" offset=\"0\"/>\n",
		NULL);
	maker_put(&maker, FMT_FILE_DYNTEXT, "the code", 8);
	expect_code(symbols, "the code");
	maker_put(&maker, FMT_FILE_DYNTEXT, "new code", 8);
	symbols_forget(symbols, experiment);
	experiment_close(experiment);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	expect_code(symbols, "new code");
	/* When that is closed, another one is known as well. */
	other = experiment;
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0);
	expect_code(symbols, "new code");
	maker_put(&maker, FMT_FILE_DYNTEXT, "its code", 8);
	symbols_forget(symbols, other);
	experiment_close(other);
	expect_code(symbols, "its code");
	symbols_destroy(symbols);
}

Test(dynamic, hostile_elements_do_no_harm, .fini = close_all)
{
	static const uint32_t lines[2] = {5, 7};

	open_with(
		" <function name=\"empty\" address=\"0x1000\" size=\"0\"/>\n"
		" <function name=\"beyond\" address=\"0xfffffffffffffff0\" size=\"100\"/>\n"
		" <function name=\"far\" address=\"0x1000\" size=\"8\" offset=\"0x7ffffffffffffff0\" lines=\"5\"/>\n"
		" <function name=\"many\" address=\"0x2000\" size=\"8\" offset=\"0\" lines=\"18446744073709551615\"/>\n"
		" <function_unload address=\"0x7777\"/>\n",
		NULL);
	maker_put(&maker, FMT_FILE_DYNTEXT, lines, sizeof(lines));
	cr_assert_gt(maker.warnings, 0);
	cr_assert_eq(experiment_function_line(
			     experiment, experiment_function_at(experiment, 0x1000, 0), 0x1000),
	             0);
	cr_assert_eq(experiment_function_line(
			     experiment, experiment_function_at(experiment, 0x2000, 0), 0x2007),
	             0);
}

Test(pauses, are_counted_by_the_cpu_time_of_the_process, .fini = close_all)
{
	open_with("", " <event kind=\"pause\" cpu_ns=\"100\"/>\n"
	              " <event kind=\"resume\" cpu_ns=\"300\"/>\n"
	              " <event kind=\"resume\" cpu_ns=\"310\"/>\n"
	              " <event kind=\"pause\" cpu_ns=\"1000\"/>\n"
	              " <event kind=\"pause\" cpu_ns=\"1100\"/>\n");
	cr_assert_eq(experiment_paused_ns(experiment, 50), 0);
	cr_assert_eq(experiment_paused_ns(experiment, 150), 50);
	cr_assert_eq(experiment_paused_ns(experiment, 900), 200);
	cr_assert_eq(experiment_paused_ns(experiment, 1500), 700);
}

Test(pauses, without_any_nothing_is_paused, .fini = close_all)
{
	open_with("", " <event kind=\"pause\"/>\n <event kind=\"resume\" cpu_ns=\"x\"/>\n");
	cr_assert_eq(experiment_paused_ns(experiment, 1500), 0);
}
