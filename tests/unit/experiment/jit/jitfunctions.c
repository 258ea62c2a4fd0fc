/* What files for perf(1) and registered object files say of functions, and which function was where
 * at which time. */
#include "experiment/jit/moments.h"
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/symbols/code.h"
#include "experiment/base/internal.h"
#include "format/layout.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

static struct maker maker;
static struct experiment *experiment;

static void open_it(const char *log)
{
	struct exp_cause cause;

	maker_log(&maker, log);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
}

static void set_up(void)
{
	maker_create(&maker);
	maker_put(&maker, FMT_FILE_MAP, "<map version=\"1.0\">\n</map>\n", 27);
}

static void close_all(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

TestSuite(jitfunctions, .init = set_up, .fini = close_all);

static void put_text(const char *name, const char *text)
{
	maker_put(&maker, name, text, strlen(text));
}

static const char *name_then(uint64_t pc, uint64_t ticks)
{
	const struct exp_function *function = exp_function_then(experiment, pc,
	                                                        (struct exp_instant){ticks, 0});

	return !function ? "" : function->name;
}

Test(jitfunctions, a_perf_map_is_read_by_lines)
{
	put_text(
		FMT_FILE_PERF_MAP,
		"1000 10 one\n2000 20 JS:*two /src/a.js:12:3\n\nnonsense\n3000 0 empty\n"
		"fffffffffffffff8 10 beyond\n0x4000 10 prefixed\n4000 10\n11111111111111111 1 large\n5000 8 half");
	open_it(NULL);
	cr_assert_str_eq(name_then(0x100f, 5), "one");
	cr_assert_str_eq(name_then(0x1010, 5), "");
	cr_assert_str_eq(name_then(0x2010, 5), "JS:*two /src/a.js:12:3");
	cr_assert_str_eq(exp_function_then(experiment, 0x2000, (struct exp_instant){5, 0})->source,
	                 "/src/a.js");
	cr_assert_eq(exp_function_then(experiment, 0x2000, (struct exp_instant){5, 0})->line, 12);
	cr_assert_str_eq(name_then(0x5000, 5), "", "half a line is none");
	cr_assert_eq(experiment_info(experiment)->jit_note_count, 1);
	cr_assert_str_eq(experiment_info(experiment)->jit_notes[0],
	                 "perf map: 3 functions, 6 entries without sense");
	cr_assert_eq(maker.warnings, 0, "it is not the experiment that is damaged");
}

Test(jitfunctions, lines_of_a_perf_map_count_since_it_was_too_short_for_them)
{
	put_text(FMT_FILE_PERF_MAP, "1000 10 one\n1000 10 two\n1008 20 three\n");
	open_it("<event kind=\"perf_map\" time=\"1000000100\" bytes=\"12\"/>\n"
	        "<event kind=\"perf_map\" time=\"1000000300\" before=\"1000000200\" bytes=\"24\"/>\n"
	        "<event kind=\"perf_map\" time=\"1000000350\" bytes=\"20\"/>\n");
	cr_assert_str_eq(name_then(0x1000, 1000000000), "one");
	cr_assert_str_eq(name_then(0x1000, 1000000199), "one");
	cr_assert_str_eq(name_then(0x1000, 1000000200), "two");
	cr_assert_str_eq(name_then(0x1008, 1000000299), "two");
	cr_assert_str_eq(name_then(0x1008, 1000000300), "three");
	cr_assert_str_eq(name_then(0x1000, 1000000300), "two");
	cr_assert_str_eq(name_then(0x1020, 1000000000), "three",
	                 "of one alone the time does not matter");
}

Test(jitfunctions, the_source_of_a_name_is_found_only_where_there_is_one)
{
	put_text(
		FMT_FILE_PERF_MAP,
		"1000 10 a /b:1\n2000 10 LazyCompile:~f file:///x/y.mjs:7:1\n3000 10 TRACE_1::w.lua:3\n"
		"4000 10 a /:\n5000 10 a /b:99999999:1\n6000 10 :1:1\n7000 10 x /\n");
	open_it(NULL);
	cr_assert_str_eq(exp_function_then(experiment, 0x1000, (struct exp_instant){5, 0})->source,
	                 "/b");
	cr_assert_str_eq(exp_function_then(experiment, 0x2000, (struct exp_instant){5, 0})->source,
	                 "/x/y.mjs");
	for (uint64_t pc = 0x3000; pc <= 0x7000; pc += 0x1000)
		if (pc != 0x5000)
			cr_assert_null(exp_function_then(experiment, pc, (struct exp_instant){5, 0})
			                       ->source);
}

/* ---- jitdump ---- */

static uint8_t dump[4096];
static size_t dump_size;

static void put(const void *bytes, size_t size)
{
	memcpy(dump + dump_size, bytes, size);
	dump_size += size;
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void put_header(uint32_t pid)
{
	dump_size = 0;
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(EM_X86_64);
	put32(0);
	put32(pid);
	put64(0);
	put64(1); /* times are in ticks */
}

static void put_record(uint32_t id, uint32_t size, uint64_t ticks)
{
	put32(id);
	put32(16 + size);
	put64(ticks);
}

static void put_load(const char *name, uint64_t address, uint64_t ticks, const char *code)
{
	put_record(0, (uint32_t)(40 + strlen(name) + 1 + strlen(code)), ticks);
	put32(42);
	put32(42);
	put64(address);
	put64(address);
	put64(strlen(code));
	put64(1);
	put(name, strlen(name) + 1);
	put(code, strlen(code));
}

static void put_move(uint64_t from, uint64_t to, uint64_t ticks)
{
	put_record(1, 48, ticks);
	put32(42);
	put32(42);
	put64(to);
	put64(from);
	put64(to);
	put64(8);
	put64(1);
}

/* name_size: the size of each name, without the NUL after it. */
static void put_lines(uint64_t address, uint64_t first, const char *names[], size_t name_size,
                      uint32_t count)
{
	put_record(2, (uint32_t)(16 + count * (16 + name_size + 1)), 0);
	put64(address);
	put64(count);
	for (uint32_t i = 0; i < count; i++) {
		put64(first + 2 * i);
		put32(10 + i);
		put32(0);
		put(names[i], name_size);
		put("", 1);
	}
}

static void open_dump(void)
{
	maker_put(&maker, "jit1.dump", dump, dump_size);
	open_it("<event kind=\"jitdump\" time=\"1000000001\" path=\"/tmp/jit-42.dump\"/>\n");
}

static const char *said(void)
{
	return experiment_info(experiment)->jit_note_count == 0
	               ? ""
	               : experiment_info(experiment)->jit_notes[0];
}

Test(jitfunctions, functions_of_a_jitdump_have_times_code_and_lines)
{
	const char *names[] = {"/a.x", "/a.x", "/b.x"}, *broken[] = {"a\0\1b", "\1\2\3\4", "xyz\0"};
	struct symbols *symbols = symbols_create();
	const struct sym_frame *frames;
	const uint8_t *bytes;

	put_header(42);
	put_lines(0x1000, 0x1000, names, 4, 3);
	put_load("one", 0x1000, 1000000100, "CODE_ONE");
	put_lines(0x1000, 0x1040, broken, 4, 3); /* as V8 writes them */
	put_load("two", 0x1000, 1000000200, "CODE_TWO");
	put_move(0x1000, 0x2000, 1000000300);
	put_move(0x7000, 0x2000, 1000000300);
	open_dump();
	cr_assert_str_eq(said(), "jitdump: 2 functions, 1 entries without sense");
	cr_assert_str_eq(name_then(0x1000, 1000000150), "one");
	cr_assert_str_eq(name_then(0x1000, 1000000250), "two");
	cr_assert_str_eq(name_then(0x1000, 1000000350), "one",
	                 "the last that nobody said to be gone");
	cr_assert_str_eq(name_then(0x2000, 1000000350), "two");
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2003, 0, 1, &frames), 1);
	cr_assert_eq(frames[0].line, 11);
	cr_assert_eq(symbols_bytes(symbols, frames[0].function, 0x2005, &bytes), 3);
	cr_assert_eq(memcmp(bytes, "TWO", 3), 0);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x1005,
	                            exp_instant_add(experiment, 1000000100, 0), 1, &frames),
	             1);
	cr_assert_str_eq(frames[0].function->name, "one");
	cr_assert_str_eq(frames[0].file, "/b.x");
	cr_assert_eq(frames[0].line, 12);
	symbols_destroy(symbols);
}

Test(jitfunctions, hostile_jitdumps_do_no_harm)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
	} lies[] = {
		{0, 0, 4}, /* magic */
		{4, 9, 4}, /* version */
		{8, 0, 4}, /* size of the header */
		{8, UINT32_MAX, 4},
		{12, EM_386, 4},
		{20, 43, 4}, /* another process */
		{44, 0, 4},  /* size of a record */
		{44, 8, 4},
		{44, UINT32_MAX, 4},
		{64, UINT64_MAX, 8}, /* number of lines */
		{64, 0, 8},
		{72, 0, 8},                                  /* address of a line */
		{56 + 16 + 3 * 21 + 16 + 16, UINT64_MAX, 8}, /* address of the function */
		{56 + 16 + 3 * 21 + 16 + 24, UINT64_MAX, 8}, /* its size */
		{56 + 16 + 3 * 21 + 16 + 24, 12, 8},
	};
	const char *names[] = {"/a.x", "/a.x", "/b.x"};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (i > 0) {
			experiment_close(experiment);
			experiment = NULL;
		}
		put_header(42);
		put_lines(0x1000, 0x1000, names, 4, 3);
		put_load("one", 0x1000, 1000000100, "CODE_ONE");
		memcpy(dump + lies[i].at, &lies[i].value, lies[i].size);
		open_dump();
		cr_assert_str_neq(said(), "jitdump: 1 functions", "lie %zu", i);
		cr_assert_eq(maker.warnings, 0);
	}
	for (size_t size = 0; size < 200; size++) {
		experiment_close(experiment);
		experiment = NULL;
		put_header(42);
		put_load("one", 0x1000, 1000000100, "CODE_ONE");
		put_load("two", 0x2000, 1000000100, "CODE_TWO");
		dump_size = size < dump_size ? size : dump_size;
		open_dump();
	}
}

static void put_nothing(uint32_t id, uint32_t size)
{
	put_record(id, size, 1000000100);
	memset(dump + dump_size, 'x', size);
	dump_size += size;
}

/* Each is counted, and what follows is read. */
Test(jitfunctions, records_of_a_jitdump_that_are_too_short_are_passed_over)
{
	static const struct {
		uint32_t id, size;
	} records[] = {{0, 0}, {0, 40}, {1, 0}, {1, 47}, {2, 0}, {2, 15}};

	put_header(42);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		put_nothing(records[i].id, records[i].size);
	put_load("one", 0x1000, 1000000100, "CODE_ONE");
	dump[dump_size - strlen("CODE_ONE") - 1] = 'x'; /* its name does not end */
	put_load("two", 0x2000, 1000000200, "CODE_TWO");
	put_nothing(7, 3); /* a kind of a later version */
	put_load("three", 0x3000, 1000000300, "CODE_THREE");
	open_dump();
	cr_expect_str_eq(said(), "jitdump: 2 functions, 7 entries without sense");
	cr_expect_str_eq(name_then(0x2000, 1000000200), "two");
	cr_expect_str_eq(name_then(0x1000, 1000000200), "");
}

/* ---- stacks ---- */

Test(jitfunctions, stacks_are_divided_by_time)
{
	/* 0x1000 is one until 100, then two; three at 0x2000 calls it, is called by it, and by
	 * itself. */
	const uint64_t pcs[] = {0x2004, 0x1004, 0x2005};
	const int parents[] = {-1, 0, 1};
	struct maker_stream heap;
	const struct exp_data_set *set;
	struct symbols *symbols = symbols_create();
	uint32_t ids[3];
	unsigned counts[2] = {0, 0};

	put_header(42);
	put_load("one", 0x1000, 1000000000, "CODE_ONE");
	put_load("three", 0x2000, 1000000000, "CODE_3..");
	put_load("two", 0x1000, 1000000100, "CODE_TWO");
	maker_put(&maker, "jit1.dump", dump, dump_size);
	maker_nodes(&maker, 3, pcs, parents, ids);
	maker_stream_init(&heap);
	maker_extent(&heap, 42, 1000000001, 4096);
	for (unsigned i = 0; i < 7; i++)
		maker_alloc(&heap, 1000000010 + i, 0x5000 + 64 * i, 10, ids[2]);
	for (unsigned i = 0; i < 5; i++)
		maker_alloc(&heap, 1000000110 + i, 0x6000 + 64 * i, 10, ids[2]);
	maker_stream_put(&maker, &heap, "heaptrace");
	open_it("<event kind=\"jitdump\" time=\"1000000001\" path=\"/tmp/jit-42.dump\"/>\n");
	cr_assert_eq(experiment_load(experiment, &set), 0);
	for (size_t i = 0; i < set->nodes.count; i++) {
		uint64_t count = exp_node_value(&set->nodes, EXP_ALLOC_COUNT, i);
		const struct sym_frame *frames;
		uint32_t caller = set->nodes.parent[i];

		if (count == 0)
			continue;
		cr_assert_lt(caller, i);
		cr_assert_eq(symbols_frames(symbols, experiment, set->nodes.pc[caller],
		                            set->nodes.generation[caller], 0, &frames),
		             1);
		counts[strcmp(frames[0].function->name, "two") == 0] += (unsigned)count;
		cr_assert_eq(symbols_frames(symbols, experiment, set->nodes.pc[i],
		                            set->nodes.generation[i], 0, &frames),
		             1);
		cr_assert_str_eq(frames[0].function->name, "three");
	}
	cr_assert_eq(counts[0], 7);
	cr_assert_eq(counts[1], 5);
	symbols_destroy(symbols);
}

Test(jitfunctions, hostile_images_do_no_harm)
{
	uint8_t image[512] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

	memset(image + 16, 0xff, sizeof(image) - 16);
	maker_put(&maker, FMT_FILE_DYNTEXT, image, sizeof(image));
	put_text(
		FMT_FILE_MAP,
		"<map version=\"1.0\">\n"
		" <image address=\"1\" size=\"512\" offset=\"0\" time=\"5\"/>\n"
		" <image address=\"2\" size=\"64\" offset=\"500\"/>\n"
		" <image address=\"3\" size=\"18446744073709551615\" offset=\"18446744073709551615\"/>\n"
		" <image_unload address=\"1\" time=\"x\"/>\n <image_unload/>\n"
		" <code address=\"0xfffffffffffffff0\" size=\"100\"/>\n <code/>\n"
		" <code address=\"0x1000\" size=\"4096\" start=\"0x2000\" offset=\"0xfffffffffffffff0\" time=\"9\"/>\n</map>\n");
	open_it(NULL);
	cr_assert_str_eq(said(), "registered for debuggers: 0 functions in 3 files");
	cr_assert_gt(maker.warnings, 0);
}
