/* What a made-up JVM (machine.h) reports about its code, in map.xml and dyntext. */
#include "libcollector/java/java_code.h"
#include "libcollector/java/java_batch.h"
#include "libcollector/java/java_method.h"
#include "tests/unit/libcollector/java/machine.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/base/collector.h"
#include "libcollector/jit/dynamic.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct made_class known = {"Ldemo/Known;", "Known.java"}, array = {"[I", NULL},
			       mute = {NULL, NULL};
static struct made_method run = {&known, "run", "()V", {{0, 10}, {3, 12}, {7, 11}}, 3},
			  add = {&known, "add", "(II)I", {{0, 20}}, 1},
			  bare = {&array, "clone", "()Ljava/lang/Object;", {{0, 0}}, -1},
			  nameless = {&known, NULL, NULL, {{0, 0}}, 0},
			  classless = {&mute, "lost", "()V", {{0, 0}}, -1};
static uint8_t code[256];

static void setup(void)
{
	scratch_open();
	made_open();
	java_code_open(&made_machine);
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)i;
}

static void done(void)
{
	cr_assert_eq(made.texts, 0, "all is given back");
	cr_assert_eq(made.references, 0);
	scratch_remove();
}

TestSuite(java_code, .init = setup, .fini = done);

static void compile(struct made_method *method, int32_t size, const void *records)
{
	java_code_compiled(&made_jvmti, method, size, code, 0, NULL, records);
}

/* The bytes of dyntext at the offset in attribute `name` of the element with this text. */
static const void *bytes_of(const char *element, const char *name, size_t *left)
{
	static char *text, *bytes;
	size_t len;
	char *at, *end;
	uint64_t offset;

	free(text);
	free(bytes);
	text = scratch_read("map.xml", &len);
	bytes = scratch_read("dyntext", &len);
	at = strstr(text, element);
	cr_assert(at && bytes, "%s", element);
	end = strchr(at, '>');
	at = strstr(at, name);
	cr_assert(at && at < end, "%s of %s", name, element);
	offset = strtoull(at + strlen(name) + 2, NULL, 10);
	cr_assert_leq(offset, len);
	*left = len - offset;
	return bytes + offset;
}

Test(java_code, a_compiled_method_is_written_with_its_code)
{
	const struct java_line {
		uint32_t bci, line;
	} * lines;
	char wanted[128];
	size_t left;

	compile(&run, 100, NULL);
	cr_assert_eq(scratch_count("map.xml", " <method id=\"1\" class=\"demo/Known\" name=\"run\" "
	                                      "signature=\"()V\" source=\"Known.java\" offset="),
	             1);
	lines = bytes_of("<method id=\"1\"", " offset", &left);
	cr_assert_geq(left, 24);
	cr_assert(lines[0].bci == 0 && lines[0].line == 10);
	cr_assert(lines[1].bci == 3 && lines[1].line == 12);
	cr_assert(lines[2].bci == 7 && lines[2].line == 11);
	cr_assert_eq(scratch_count("map.xml", " lines=\"3\"/>"), 1);
	snprintf(wanted, sizeof(wanted),
	         " <function method=\"1\" address=\"%#lx\" size=\"100\" generation=\"0\" time=",
	         (unsigned long)(uintptr_t)code);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
	cr_assert_eq(scratch_count("map.xml", "places="), 0);
	cr_assert_eq(memcmp(bytes_of("<function method", " offset", &left), code, 100), 0);
}

Test(java_code, a_method_is_written_once)
{
	compile(&run, 100, NULL);
	compile(&run, 50, NULL);
	compile(&add, 50, NULL);
	compile(&run, 50, NULL);
	cr_assert_eq(scratch_count("map.xml", "<method "), 2);
	cr_assert_eq(scratch_count("map.xml", "<function method=\"1\""), 3);
	cr_assert_eq(scratch_count("map.xml", "<function method=\"2\""), 1);
	java_code_forget();
	compile(&run, 50, NULL);
	cr_assert_eq(scratch_count("map.xml", "<method "), 3);
	cr_assert_eq(scratch_count("map.xml", "<function method=\"3\""), 1);
}

Test(java_code, what_the_machine_does_not_know_is_left_out)
{
	compile(&bare, 100, NULL);
	cr_assert_eq(scratch_count("map.xml", " <method id=\"1\" class=\"[I\" name=\"clone\" "
	                                      "signature=\"()Ljava/lang/Object;\"/>"),
	             1);
	compile(&nameless, 100, NULL);
	compile(&classless, 100, NULL);
	cr_assert_eq(scratch_count("map.xml", "<method "), 1);
	cr_assert_eq(scratch_count("map.xml", "<function address"), 2, "code without a method");
}

Test(java_code, nothing_is_written_of_no_code_or_while_nothing_is_recorded)
{
	compile(&run, 0, NULL);
	compile(&run, -1, NULL);
	atomic_store(&col.switches->recording, 0);
	compile(&run, 100, NULL);
	java_code_generated(&made_jvmti, "stub", code, 100);
	atomic_store(&col.switches->recording, 1);
	java_code_generated(&made_jvmti, "stub", code, 0);
	java_code_generated(&made_jvmti, "stub", NULL, 100);
	cr_assert_eq(scratch_count("map.xml", "<method "), 0);
	cr_assert_eq(scratch_count("map.xml", "<function"), 0);
}

Test(java_code, the_machines_own_code_is_told_of_and_not_kept)
{
	char wanted[128];

	java_code_generated(&made_jvmti, "Interpreter", code, 64);
	snprintf(wanted, sizeof(wanted),
	         " <function name=\"Interpreter\" kind=\"jvm\" address=\"%#lx\" size=\"64\" ",
	         (unsigned long)(uintptr_t)code);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
	cr_assert_eq(scratch_count("map.xml", "offset="), 0);
	java_code_unloaded(&made_jvmti, &run, code);
	snprintf(wanted, sizeof(wanted), " <function_unload address=\"%#lx\" generation=\"1\" ",
	         (unsigned long)(uintptr_t)code);
	cr_assert_eq(scratch_count("map.xml", wanted), 1);
}

/* ---- inlined calls */

static void *const alone[] = {&run}, *const inner[] = {&add, &run},
		   *const deepest[] = {&bare, &add, &run};
static const int32_t at_5[] = {5}, in_5[] = {1, 5}, in_6[] = {1, 6}, in_1[] = {2, 1, 5};

static struct jvmti_place place(int end, int32_t count, void *const *methods, const int32_t *bcis)
{
	return (struct jvmti_place){code + end, count, (void **)(uintptr_t)methods, bcis};
}

Test(java_code, places_know_the_calls_that_are_inlined_in_them)
{
	const struct jvmti_place places[] = {
		place(10, 1, alone, at_5),   /* run at 5 */
		place(20, 2, inner, in_5),   /* add at 1 in run at 5 */
		place(30, 3, deepest, in_1), /* clone at 2 in that */
		place(40, 2, inner, in_6),   /* add at 1 in run at 6 */
		place(50, 2, inner, in_5),   /* as the second */
		place(60, 0, NULL, NULL),    /* not known */
	};
	const struct jvmti_inline_record inlines = {{2, 1, 0, NULL}, 6, places};
	const struct jvmti_record other = {1, 1, 0, &inlines.header};
	const uint32_t *table;
	size_t left;

	compile(&run, 100, &other);
	cr_assert_eq(scratch_count("map.xml", " places=\"6\" calls=\"5\"/>"), 1);
	table = bytes_of("<function method", " offset", &left);
	cr_assert_geq(left, 104 + 6 * 8 + 5 * 12);
	table += 104 / 4; /* after the code, at a multiple of 8 */
	{
		static const uint32_t expected[] = {10, 1, 20, 2, 30, 3, 40, 5, 50, 2, 60,
		                                    0, /* end, call */
		                                    /* outer, method, bci: */
		                                    0, 1, 5, 1, 2, 1, 2, 3, 2, 0, 1, 6, 4, 2, 1};

		cr_assert_arr_eq(table, expected, sizeof(expected));
	}
}

Test(java_code, places_one_after_another_are_in_methods_of_their_own)
{
	static void *const other[] = {&add};
	static const int32_t at_1[] = {1};
	const struct jvmti_place places[] = {
		place(10, 1, alone, at_5), /* run at 5 */
		place(20, 1, other, at_1), /* add at 1 */
		place(30, 2, inner, in_5), /* add at 1 in run at 5 */
	};
	const struct jvmti_inline_record inlines = {{2, 1, 0, NULL}, 3, places};
	static const uint32_t expected[] = {10, 1, 20, 2, 30, 3,           /* end, call */
	                                    0,  1, 5,  0, 2,  1, 1, 2, 1}; /* outer, method, bci */
	const uint32_t *table;
	size_t left;

	compile(&run, 100, &inlines);
	table = bytes_of("<function method", " offset", &left);
	cr_assert_geq(left, 104 + sizeof(expected));
	cr_assert_arr_eq(table + 104 / 4, expected, sizeof(expected));
}

Test(java_code, records_that_cannot_be_are_passed_over)
{
	const struct jvmti_place many[] = {place(10, 1001, alone, at_5)},
				 negative[] = {place(10, -1, alone, at_5)};
	const struct jvmti_inline_record records[] = {{{2, 1, 0, NULL}, 1, many},
	                                              {{2, 1, 0, NULL}, 1, negative},
	                                              {{2, 1, 0, NULL}, 0, many},
	                                              {{2, 1, 0, NULL}, -1, many},
	                                              {{2, 1, 0, NULL}, (1 << 20) + 1, many}};

	for (int i = 0; i < 5; i++)
		compile(&run, 100, &records[i]);
	cr_assert_eq(scratch_count("map.xml", "<function method=\"1\""), 5);
	cr_assert_eq(scratch_count("map.xml", "places="), 0);
}

/* 64 KiB are kept for the next one; this one needs more. */
Test(java_code, a_method_of_many_places_is_written_whole)
{
	enum { PLACES = 5000 };
	static struct jvmti_place places[PLACES];
	static int32_t bcis[PLACES][2];
	const struct jvmti_inline_record inlines = {{2, 1, 0, NULL}, PLACES, places};
	const uint32_t *table;
	size_t left;

	for (int i = 0; i < PLACES; i++) {
		bcis[i][0] = i;
		bcis[i][1] = 5;
		places[i] = place(0, 2, inner, bcis[i]);
	}
	for (int turn = 0; turn < 2; turn++) {
		compile(&run, 100, &inlines);
		cr_assert_eq(scratch_count("map.xml", " places=\"5000\" calls=\"5001\"/>"),
		             turn + 1);
	}
	table = bytes_of("<function method", " offset", &left);
	table += 104 / 4;
	cr_assert_eq(table[2 * 4999 + 1], 5001);
	cr_assert_eq(table[2 * PLACES + 3 * 5000 + 2], 4999);
}

/* ---- batches */

Test(java_code, elements_of_a_batch_come_at_its_end)
{
	java_batch_begin();
	for (int i = 0; i < 3; i++)
		java_code_generated(&made_jvmti, "stub", code + 16 * i, 16);
	cr_assert_eq(scratch_count("map.xml", "<function"), 0);
	compile(&run, 100, NULL); /* which begins and ends a batch itself */
	cr_assert_eq(scratch_count("map.xml", "<function"), 4);
	java_code_generated(&made_jvmti, "stub", code, 16);
	cr_assert_eq(scratch_count("map.xml", "<function"), 5, "none waits");
	java_batch_end();
	cr_assert_eq(memcmp(bytes_of("<function method", " offset", &(size_t){0}), code, 100), 0);
}

Test(java_code, a_full_batch_is_written)
{
	char name[600];

	memset(name, 'n', sizeof(name));
	name[499] = '\0';
	java_batch_begin();
	java_code_generated(&made_jvmti, name, code, 16);
	cr_assert_eq(scratch_count("map.xml", "<function"), 0);
	java_code_generated(&made_jvmti, name, code, 16);
	cr_assert_eq(scratch_count("map.xml", "<function"), 1);
	name[499] = 'n';
	name[500] = '\0';
	java_code_generated(&made_jvmti, name, code, 16);
	cr_assert_eq(scratch_count("map.xml", "<function"), 2, "longer names go alone");
	java_batch_end();
	cr_assert_eq(scratch_count("map.xml", "<function"), 3);
	java_batch_begin();
	java_code_generated(&made_jvmti, "s", code, 16);
	java_batch_forget();
	java_batch_end();
	cr_assert_eq(scratch_count("map.xml", "<function"), 3);
}

Test(java_code, bytes_of_a_batch_are_written_before_their_elements)
{
	static char first[12], second[20];
	uint64_t at = 1, next;
	struct xml_text *text;
	size_t len;
	char *bytes;

	memset(first, 'a', sizeof(first));
	memset(second, 'b', sizeof(second));
	java_batch_begin();
	text = java_batch(10);
	cr_assert_not_null(text);
	cr_assert_eq(java_batch_bytes(first, 12, second, 20, &at), 0);
	cr_assert_eq(java_batch_bytes(second, 20, NULL, 0, &next), 0);
	cr_assert_eq(next, at + 16 + 24);
	xml_put(text, " <something/>\n");
	cr_assert_null(scratch_read("dyntext", &len));
	java_batch_end();
	bytes = scratch_read("dyntext", &len);
	cr_assert_eq(len, at + 16 + 24 + 24);
	cr_assert_eq(memcmp(bytes + at, "aaaaaaaaaaaa\0\0\0\0bbbbbbbbbbbbbbbbbbbb\0\0\0\0", 40), 0);
	free(bytes);
	/* More than can wait is written at once. */
	bytes = malloc(40000);
	memset(bytes, 'c', 40000);
	java_batch_begin();
	cr_assert_eq(java_batch_bytes(bytes, 40000, NULL, 0, &at), 0);
	free(bytes);
	bytes = scratch_read("dyntext", &len);
	cr_assert(len >= at + 40000 && bytes[at] == 'c' && bytes[at + 39999] == 'c');
	free(bytes);
	java_batch_end();
}

Test(java_code, a_batch_whose_bytes_cannot_be_written_is_lost_and_the_next_ones_go_alone)
{
	struct rlimit limit = {8192, RLIM_INFINITY};

	java_batch_begin();
	compile(&run, 100, NULL);
	java_batch_begin();
	cr_assert_eq(dynamic_text_reserve(1 << 20), 1 << 20);
	setrlimit(RLIMIT_FSIZE, &limit);
	java_batch_forget();
	java_batch_begin();
	compile(&add, 100, NULL);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(atomic_load(&col.count.lost_log), 1);
	cr_assert_eq(scratch_count("map.xml", "<function"), 1);
	java_batch_begin();
	cr_assert_null(java_batch(10));
	java_batch_end();
	compile(&run, 100, NULL);
	cr_assert_eq(scratch_count("map.xml", "<function"), 2);
}
