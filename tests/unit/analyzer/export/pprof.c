/* Tests of the export for pprof: it is unpacked and shown as text, by the fields of profile.proto.
 * The sources of heap_known and inlined_heap say what they allocate. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BYTES_MAX = 1 << 18, STRINGS_MAX = 256, PLACES_MAX = 128, NUMBERS_MAX = 64 };

/* A message: bytes from `at` up to `end`. */
struct message {
	const uint8_t *at, *end;
};

struct field {
	unsigned number;
	uint64_t value;
	struct message inner; /* of fields with a length */
};

static uint64_t read_varint(struct message *message)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		uint8_t byte = *message->at++;

		cr_assert_leq(message->at, message->end);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

static int next(struct message *message, struct field *out)
{
	uint64_t key;

	if (message->at >= message->end)
		return 0;
	key = read_varint(message);
	*out = (struct field){.number = (unsigned)(key >> 3)};
	out->value = read_varint(message);
	if ((key & 7) == 2) {
		out->inner = (struct message){message->at, message->at + out->value};
		message->at += out->value;
	} else {
		cr_assert_eq(key & 7, 0);
	}
	return 1;
}

/* The fields of a message that occur once. */
static uint64_t number_of(struct message message, unsigned number)
{
	struct field field;

	while (next(&message, &field))
		if (field.number == number)
			return field.value;
	return 0;
}

static struct {
	uint8_t bytes[BYTES_MAX];
	struct message whole, functions[PLACES_MAX], locations[PLACES_MAX], mappings[PLACES_MAX];
	char *strings[STRINGS_MAX];
	size_t string_count;
} profile;

static const char *string_of(struct message message, unsigned number)
{
	uint64_t at = number_of(message, number);

	cr_assert_lt(at, profile.string_count);
	return profile.strings[at];
}

static void keep(struct message *list, struct message message)
{
	uint64_t id = number_of(message, 1);

	cr_assert_lt(id, PLACES_MAX);
	cr_assert_null(list[id].at, "id %u comes twice", (unsigned)id);
	list[id] = message;
}

/* Every id is the number of its position. */
static void read_profile(void)
{
	struct message whole = profile.whole;
	struct field field;

	while (next(&whole, &field)) {
		if (field.number == 3)
			keep(profile.mappings, field.inner);
		if (field.number == 4)
			keep(profile.locations, field.inner);
		if (field.number == 5)
			keep(profile.functions, field.inner);
		if (field.number == 6) {
			cr_assert_lt(profile.string_count, STRINGS_MAX);
			profile.strings[profile.string_count++] = strndup(
				(const char *)field.inner.at, field.value);
		}
	}
}

static void open_profile(const char *experiment)
{
	char path[] = "/tmp/xer-pprof-XXXXXX", lines[64], name[64];
	gzFile file;
	int size;

	close(mkstemp(path));
	snprintf(name, sizeof(name), "tests/golden/%s.er", experiment);
	snprintf(lines, sizeof(lines), "export pprof %s", path);
	answer_check(name, lines, "", "", 0);
	file = gzopen(path, "r");
	size = gzread(file, profile.bytes, BYTES_MAX);
	cr_assert(size > 0 && size < BYTES_MAX);
	gzclose(file);
	unlink(path);
	profile.whole = (struct message){profile.bytes, profile.bytes + size};
	read_profile();
}

static void close_profile(void)
{
	while (profile.string_count > 0)
		free(profile.strings[--profile.string_count]);
}

TestSuite(pprof, .fini = close_profile);

/* "make:28 in make.c" of each line of a location. */
static void tell_location(FILE *out, uint64_t id)
{
	struct message location;
	struct field field;

	cr_assert_lt(id, PLACES_MAX);
	location = profile.locations[id];
	while (next(&location, &field))
		if (field.number == 4) {
			struct message function = profile.functions[number_of(field.inner, 1)];

			cr_assert_not_null(function.at);
			fprintf(out, " %s:%u", string_of(function, 2),
			        (unsigned)number_of(field.inner, 2));
		}
	fprintf(out, " of %u;", (unsigned)number_of(profile.locations[id], 2));
}

static void tell_sample(FILE *out, struct message sample)
{
	struct field field;

	while (next(&sample, &field)) {
		while (field.number == 1 && field.inner.at < field.inner.end)
			tell_location(out, read_varint(&field.inner));
		while (field.number == 2 && field.inner.at < field.inner.end)
			fprintf(out, " %llu", (unsigned long long)read_varint(&field.inner));
		if (field.number == 3 && number_of(field.inner, 3) != 0)
			fprintf(out, " %s=%u", string_of(field.inner, 1),
			        (unsigned)number_of(field.inner, 3));
		else if (field.number == 3)
			fprintf(out, " %s=%s", string_of(field.inner, 1),
			        string_of(field.inner, 2));
	}
	fputc('\n', out);
}

/* All samples, one a line; the caller frees it. */
static char *tell_samples(void)
{
	struct message whole = profile.whole;
	struct field field;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (next(&whole, &field))
		if (field.number == 2)
			tell_sample(out, field.inner);
	fclose(out);
	return text;
}

/* The frames that begin all stacks, and the labels that end all samples of a thread. */
#define START " libc.so.6+0x27249:0 of 3; libc.so.6+0x27304:0 of 3; _start:0 of 2;"
#define LABELS(name, pid) \
	" process=" name " " pid " pid=" pid " thread=Thread 1, " name " tid=" pid "\n"

static void check_samples(const char *experiment, const char *expected)
{
	char *text;

	open_profile(experiment);
	text = tell_samples();
	cr_expect_str_eq(text, expected, "%s", text);
	free(text);
}

Test(pprof, samples_are_the_stacks_with_all_their_values)
{
#define STACK(lines, values) lines START " " values LABELS("heap_known", "21769")
	check_samples(
		"heap",
		STACK(" use_malloc:28 of 2; main:115 of 2;", "100 1000 0 0 0 0 100 0 0 0 0") STACK(
			" use_calloc:36 of 2; main:116 of 2;",
			"50 5000 0 0 0 0 50 0 0 0 0") STACK(" use_realloc:44 of 2; main:117 of 2;",
	                                                    "20 320 0 0 0 0 20 0 0 0 0")
			STACK(" use_realloc:45 of 2; main:117 of 2;", "20 1280 0 0 0 0 20 0 0 0 0") STACK(
				" use_reallocarray:53 of 2; main:118 of 2;",
				"10 640 0 0 0 0 10 0 0 0 0") STACK(" use_aligned:63 of 2; main:119 of 2;",
	                                                           "5 640 0 0 0 0 5 0 0 0 0")
				STACK(" use_aligned:65 of 2; main:119 of 2;", "5 1280 0 0 0 0 5 0 0 0 0") STACK(
					" use_aligned:68 of 2; main:119 of 2;",
					"5 2560 0 0 0 0 5 0 0 0 0") STACK(" use_aligned:70 of 2; main:119 of 2;",
	                                                                  "5 500 0 0 0 0 5 0 0 0 0")
					STACK(" use_aligned:72 of 2; main:119 of 2;", "5 500 0 0 0 0 5 0 0 0 0") STACK(
						" libc.so.6+0x9e9a9:0 of 3; use_strdup:80 of 2; main:120 of 2;",
						"30 390 0 0 0 0 30 0 0 0 0")
						STACK(" leak_malloc:88 of 2; main:121 of 2;",
	                                              "7 7000 7 7000 7 7000 0 0 0 0 0")
							STACK(" leak_calloc:94 of 2; main:122 of 2;",
	                                                      "3 1500 3 1500 3 1500 0 0 0 0 0")
								STACK(" zero_malloc:100 of 2; main:123 of 2;",
	                                                              "4 0 0 0 0 0 4 0 0 0 0"));
#undef STACK
}

Test(pprof, inlined_calls_are_lines_of_one_location)
{
#define STACK(lines, values) " block:13 " lines START " " values LABELS("split", "25343")
	/* The first block makes the C library map 132 KiB. */
	check_samples(
		"split",
		STACK("make:28 of 2; main:33 of 2;", "1 100 1 100 1 100 0 1 135168 135168 135168")
			STACK("make:28 of 2; main:33 of 2;", "1 100 1 100 1 100 0 0 0 0 0")
				STACK("make:28 of 2; main:33 of 2;", "1 100 1 100 1 100 0 0 0 0 0")
					STACK("make_more:20 of 2; main:34 of 2;",
	                                      "1 50 1 50 1 50 0 0 0 0 0")
						STACK("make_more:20 of 2; main:34 of 2;",
	                                              "1 50 1 50 1 50 0 0 0 0 0"));
#undef STACK
}

Test(pprof, the_head_says_what_was_measured)
{
	static const char *const metrics[] = {"heapalloccnt",  "heapallocbytes", "heapleakcnt",
	                                      "heapleakbytes", "heappeakcnt",    "heappeakbytes",
	                                      "heaptempcnt",   "heapmapcnt",     "heapmapbytes",
	                                      "heapmaplive",   "heapmappeak"};
	struct message whole;
	struct field field, period = {.number = 0};
	size_t count = 0;

	open_profile("heap");
	whole = profile.whole;
	while (next(&whole, &field)) {
		if (field.number == 11)
			period = field;
		if (field.number != 1)
			continue;
		cr_assert_lt(count, 11);
		cr_expect_str_eq(string_of(field.inner, 1), metrics[count]);
		cr_expect_str_eq(string_of(field.inner, 2),
		                 strstr(metrics[count], "cnt") ? "count" : "bytes");
		count++;
	}
	cr_expect_eq(count, 11);
	cr_expect_str_eq(profile.strings[0], "");
	cr_expect_str_eq(string_of(period.inner, 1), "totalcpu");
	cr_expect_str_eq(string_of(period.inner, 2), "nanoseconds");
	cr_expect_eq(number_of(profile.whole, 12), 0);
	/* 2026-11-21 04:49:28 UTC, for 1.2 ms */
	cr_expect_eq(number_of(profile.whole, 9) / 1000000000, 1795236568u);
	cr_expect_eq(number_of(profile.whole, 10) / 100000, 12u);
	cr_expect_str_eq(string_of(profile.whole, 14), "heapallocbytes");
	cr_expect_str_eq(string_of(profile.whole, 13), "xer_print " XER_VERSION);
}

Test(pprof, the_program_is_the_first_mapping)
{
	struct message whole;
	struct field field;
	int is_first = 1;

	open_profile("heap");
	whole = profile.whole;
	while (next(&whole, &field)) {
		if (field.number != 3)
			continue;
		if (is_first) {
			cr_expect_str_eq(string_of(field.inner, 5), "/tmp/xer-golden/heap_known");
			cr_expect(strncmp(string_of(field.inner, 6), "99a605a8c7b4f053", 16) == 0);
		}
		for (unsigned i = 7; i <= 10; i++)
			cr_expect_eq(number_of(field.inner, i), 1);
		is_first = 0;
	}
	cr_expect_not(is_first);
}

Test(pprof, functions_have_their_place_and_a_linker_name_if_that_is_another)
{
	unsigned known = 0;

	open_profile("heap");
	for (size_t i = 1; i < PLACES_MAX; i++) {
		struct message function = profile.functions[i];

		if (!function.at || strcmp(string_of(function, 2), "main") != 0)
			continue;
		known++;
		cr_expect_eq(number_of(function, 3), 0);
		cr_expect_str_eq(string_of(function, 4), "/tmp/xer-golden/heap_known.c");
		cr_expect_eq(number_of(function, 5), 113);
	}
	cr_expect_eq(known, 1);
}

Test(pprof, clock_samples_have_their_period)
{
	open_profile("profile");
	cr_expect_eq(number_of(profile.whole, 12), 997000);
	cr_expect_str_eq(string_of(profile.whole, 14), "totalcpu");
}
