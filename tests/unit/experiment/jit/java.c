/* Java methods: their names, lines, and the calls that are inlined in their code. */
#include "tests/unit/experiment/make_experiment.h"

#include "experiment/symbols/method.h"
#include "experiment/jit/java.h"
#include "format/layout.h"
#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct maker maker;
static struct experiment *experiment;
static struct symbols *symbols;

/* dyntext: 8 bytes of code of f, in which g is inlined at bytecode 5 from offset 4 on; then the
 * lines of f and of g. */
struct text {
	uint8_t code[8];
	uint32_t places[2][2];
	uint32_t calls[2][3];
	uint32_t lines_of_f[3][2];
	uint32_t lines_of_g[1][2];
};

enum { LINES_OF_F = 8 + 16 + 24, LINES_OF_G = LINES_OF_F + 24 };

static const struct text good = {
	.places = {{4, 1}, {8, 2}},
	.calls = {{0, 1, 2}, {1, 2, 0}},
	.lines_of_f = {{0, 10}, {4, 12}, {2, 11}},
	.lines_of_g = {{0, 70}},
};

static void open_with(const struct text *text)
{
	struct exp_cause cause;
	char map[2048];

	_Static_assert(sizeof(struct text) == LINES_OF_G + 8, "offsets");
	snprintf(
		map, sizeof(map),
		"<map version=\"1.0\">\n"
		" <method id=\"2\" class=\"a/b/C\" name=\"g\" signature=\"(I[[Ljava/lang/String;J)V\" source=\"C.java\" offset=\"%d\" lines=\"1\"/>\n"
		" <method id=\"1\" class=\"a/b/C\" name=\"f\" signature=\"()I\" source=\"C.java\" offset=\"%d\" lines=\"3\"/>\n"
		" <method id=\"3\" class=\"a/b/C\" name=\"f\" signature=\"()I\" source=\"C.java\" offset=\"%d\" lines=\"3\"/>\n"
		" <function method=\"1\" address=\"0x2000\" size=\"8\" generation=\"0\" offset=\"0\" lines=\"0\" places=\"2\" calls=\"2\"/>\n"
		" <function method=\"9\" address=\"0x3000\" size=\"8\" generation=\"0\"/>\n"
		" <function name=\"stub\" kind=\"jvm\" address=\"0x4000\" size=\"8\" generation=\"0\"/>\n"
		"</map>\n",
		LINES_OF_G, LINES_OF_F, LINES_OF_F);
	maker_create(&maker);
	maker_put(&maker, FMT_FILE_MAP, map, strlen(map));
	maker_put(&maker, FMT_FILE_DYNTEXT, text, sizeof(*text));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	symbols = symbols_create();
}

static void close_all(void)
{
	symbols_destroy(symbols);
	experiment_close(experiment);
	maker_destroy(&maker);
}

Test(java, compiled_code_has_the_calls_that_are_inlined, .fini = close_all)
{
	const struct sym_frame *frames;

	open_with(&good);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2003, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "a.b.C.f()");
	cr_assert_str_eq(frames[0].function->mangled, "a.b.C.f()I");
	cr_assert_str_eq(frames[0].function->object->name, "<Java>");
	cr_assert(frames[0].function->object->is_java);
	cr_assert_str_eq(frames[0].file, "a/b/C.java");
	cr_assert_eq(frames[0].line, 11);
	cr_assert_eq(frames[0].function->line, 10);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2004, 0, 1, &frames), 2);
	cr_assert_str_eq(frames[0].function->name, "a.b.C.g(int, String[][], long)");
	cr_assert(frames[0].inlined && !frames[1].inlined);
	cr_assert_eq(frames[0].line, 70);
	cr_assert_str_eq(frames[1].function->name, "a.b.C.f()");
	cr_assert_eq(frames[1].line, 11);
	/* A return address belongs to the call before it. */
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2004, 0, 0, &frames), 1);
}

Test(java, interpreted_frames_are_the_same_functions, .fini = close_all)
{
	const struct sym_frame *interpreted, *compiled;

	open_with(&good);
	cr_assert_eq(symbols_frames(symbols, experiment, fmt_pc_java(3, 7), 0, 0, &interpreted), 1);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2000, 0, 1, &compiled), 1);
	cr_assert(interpreted[0].function == compiled[0].function);
	cr_assert_eq(interpreted[0].line, 12);
	cr_assert_eq(symbols_frames(symbols, experiment, fmt_pc_java(1, FMT_BCI_NONE), 0, 0,
	                            &interpreted),
	             1);
	cr_assert_eq(interpreted[0].line, 0);
	cr_assert_eq(symbols_frames(symbols, experiment, fmt_pc_java(77, 0), 0, 0, &interpreted),
	             1);
	cr_assert_str_eq(interpreted[0].function->name, "<Java method>");
}

Test(java, the_machine_sees_code, .fini = close_all)
{
	const struct sym_frame *frames;

	open_with(&good);
	cr_assert_eq(symbols_machine_frames(symbols, experiment, fmt_pc_java(1, 0), 0, 0, &frames),
	             0);
	cr_assert_eq(symbols_machine_frames(symbols, experiment, 0x2004, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "a.b.C.f()");
	cr_assert_eq(frames[0].function->address, 0x2000);
	cr_assert_eq(frames[0].line, 11);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x4004, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "stub");
	cr_assert(frames[0].function->object->is_machine);
}

Test(java, hidden_classes_have_one_name, .fini = close_all)
{
	static const char map[] =
		"<map version=\"1.0\">\n"
		" <method id=\"1\" class=\"A$$Lambda$1+0x01\" name=\"f\" signature=\"()V\"/>\n"
		" <method id=\"2\" class=\"A$$Lambda$1.0x01\" name=\"f\" signature=\"()V\"/>\n</map>\n";
	const struct sym_frame *interpreted, *compiled;
	struct exp_cause cause;

	maker_create(&maker);
	maker_put(&maker, FMT_FILE_MAP, map, strlen(map));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	symbols = symbols_create();
	cr_assert_eq(symbols_frames(symbols, experiment, fmt_pc_java(1, 0), 0, 0, &interpreted), 1);
	cr_assert_eq(symbols_frames(symbols, experiment, fmt_pc_java(2, 0), 0, 0, &compiled), 1);
	cr_assert(interpreted[0].function == compiled[0].function);
}

Test(java, an_unknown_method_has_a_name, .fini = close_all)
{
	const struct sym_frame *frames;

	open_with(&good);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x3004, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "<Java method>");
}

/* Calls that are inlined in themselves, or in later ones, or in ones that do not exist. */
Test(java, damaged_tables_end, .fini = close_all)
{
	struct text bad = good;
	const struct sym_frame *frames;

	bad.calls[0][0] = 2;
	bad.calls[1][0] = 2;
	bad.places[0][1] = 77;
	open_with(&bad);
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2004, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "a.b.C.g(int, String[][], long)");
	cr_assert_eq(symbols_frames(symbols, experiment, 0x2001, 0, 1, &frames), 1);
	cr_assert_str_eq(frames[0].function->name, "a.b.C.f()");
}

Test(java, a_signature_that_breaks_off_is_read_to_its_end)
{
	enum { PAGE = 4096 };
	static const char *const broken[] = {"(", "([", "(I[[", "(Ljava/lang/String", "(L"};
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                   0);
	struct symbols *own = symbols_create();

	cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		char *signature = pages + PAGE - strlen(broken[i]) - 1;
		const struct exp_method method = {
			.class_name = "C", .name = "f", .signature = signature};

		memcpy(signature, broken[i], strlen(broken[i]) + 1);
		cr_assert_str_eq(exp_sym_method_title(own, &method), i == 0   ? "C.f()"
		                                                     : i == 1 ? "C.f(?[])"
		                                                     : i == 2 ? "C.f(int, ?[][])"
		                                                     : i == 3 ? "C.f(String)"
		                                                              : "C.f()");
	}
	symbols_destroy(own);
	munmap(pages, 2 * PAGE);
}

/* Calls inlined as deep as possible, in a method with as many lines as possible: what was read of
 * them for one address is kept for the next. */
Test(java, many_lines_are_not_read_again_for_each_place, .fini = close_all)
{
	enum { SIZE = 512, CALLS = 999, LINES = 32768, TABLES = SIZE + SIZE * 8 + CALLS * 12 + 4 };
	uint32_t *text = calloc(1, TABLES + LINES * 8), *at = text + SIZE / 4;
	struct exp_cause cause;
	const struct sym_frame *frames;
	char map[512];

	for (uint32_t i = 0; i < SIZE; i++)
		*at++ = i + 1, *at++ = CALLS;
	for (uint32_t i = 0; i < CALLS; i++)
		*at++ = i, *at++ = 1, *at++ = 30000 + i;
	at = text + TABLES / 4;
	for (uint32_t i = 0; i < LINES; i++)
		*at++ = i, *at++ = i + 1;
	maker_create(&maker);
	maker_put(
		&maker, FMT_FILE_MAP, map,
		(size_t)snprintf(
			map, sizeof(map),
			"<map version=\"1.0\">\n <method id=\"1\" class=\"C\" name=\"f\" signature=\"()V\" source=\"C.java\" offset=\"%d\" lines=\"%d\"/>\n"
			" <function method=\"1\" address=\"0x2000\" size=\"%d\" generation=\"0\" offset=\"0\" lines=\"0\" places=\"%d\" calls=\"%d\"/>\n"
			"</map>\n",
			TABLES, LINES, SIZE, SIZE, CALLS));
	maker_put(&maker, FMT_FILE_DYNTEXT, text, TABLES + LINES * 8);
	free(text);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	symbols = symbols_create();
	for (uint64_t pc = 0x2001; pc < 0x2000 + SIZE; pc++) {
		cr_assert_eq(symbols_frames(symbols, experiment, pc, 0, 1, &frames), CALLS);
		cr_assert_eq(frames[0].line, 30000 + CALLS);
	}
}
