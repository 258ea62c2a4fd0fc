/* descriptor.c: tests of the collection descriptor. */
#include "format/descriptor.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static char text[DESCRIPTOR_TEXT_MAX];

static void fill(struct descriptor *descriptor)
{
	memset(descriptor, 0, sizeof(*descriptor));
	descriptor->version = DESCRIPTOR_VERSION;
	strcpy(descriptor->directory, "/tmp/a b;c=d%e\xff\n.er");
	strcpy(descriptor->archive_mode, "usedsrc");
	descriptor->clock_is_tsc = 1;
	descriptor->clock_hz = 18446744073709551615u;
	descriptor->profile_us = 10007;
}

Test(descriptor, round_trip_with_odd_bytes)
{
	static struct descriptor in, out;
	int len;

	fill(&in);
	len = descriptor_put(&in, text, sizeof(text));
	cr_assert(len == (int)strlen(text));
	cr_assert(!strpbrk(text, " \n\xff"));
	cr_assert(descriptor_get(text, &out) == 0);
	cr_assert(memcmp(&in, &out, sizeof(in)) == 0);
}

/* Those that would end a value or a variable, or that a terminal does not show as they are. */
Test(descriptor, each_byte_is_itself_or_escaped)
{
	static struct descriptor in, out;

	for (unsigned c = 1; c < 256; c++) {
		char escaped[8], plain[8];
		int is_plain = c > ' ' && c <= '~' && c != ';' && c != '%';

		memset(&in, 0, sizeof(in));
		in.version = DESCRIPTOR_VERSION;
		snprintf(in.directory, sizeof(in.directory), "/%c/", c);
		snprintf(plain, sizeof(plain), "/%c/;", c);
		snprintf(escaped, sizeof(escaped), "/%%%02x/;", c);
		cr_assert_gt(descriptor_put(&in, text, sizeof(text)), 0);
		cr_expect_eq(strstr(text, plain) != NULL, is_plain, "%#x: %s", c, text);
		cr_expect_eq(strstr(text, escaped) != NULL, !is_plain, "%#x: %s", c, text);
		cr_assert_eq(descriptor_get(text, &out), 0);
		cr_expect_str_eq(out.directory, in.directory);
	}
}

Test(descriptor, a_step_behind_the_text_counts)
{
	static struct descriptor in, out;
	struct descriptor_step step = {.pid = 7, .parent = 18446744073709551615u, .process_ns = 5};
	int len;

	fill(&in);
	memset(step.lineage, '%', sizeof(step.lineage) - 1);
	len = descriptor_put(&in, text, sizeof(text));
	cr_assert(len > 0);
	cr_assert(descriptor_put_step(&step, text + len, sizeof(text) - (size_t)len) > 0);
	cr_assert(descriptor_get(text, &out) == 0);
	cr_assert(memcmp(&out.step, &step, sizeof(step)) == 0);
	in.step = step;
	cr_assert(memcmp(&in, &out, sizeof(in)) == 0);
}

Test(descriptor, every_path_of_full_length_fits)
{
	static struct descriptor in, out;

	fill(&in);
	memset(in.directory, ' ', sizeof(in.directory) - 1);
	memset(in.archive, '%', sizeof(in.archive) - 1);
	memset(in.preload, ';', sizeof(in.preload) - 1);
	cr_assert(descriptor_put(&in, text, sizeof(text)) > 0);
	cr_assert(descriptor_get(text, &out) == 0);
	cr_assert(memcmp(&in, &out, sizeof(in)) == 0);
}

Test(descriptor, no_room_is_refused_at_every_size)
{
	static struct descriptor in;
	int len;

	fill(&in);
	len = descriptor_put(&in, text, sizeof(text));
	for (size_t size = 1; size <= (size_t)len; size++)
		cr_assert(descriptor_put(&in, text, size) == -E2BIG, "%zu", size);
	cr_assert(descriptor_put(&in, text, (size_t)len + 1) == len);
}

Test(descriptor, every_truncation_is_refused_or_a_whole_pair_shorter)
{
	static struct descriptor in, out;
	int len;

	fill(&in);
	len = descriptor_put(&in, text, sizeof(text));
	for (int cut = 0; cut < len; cut++) {
		char short_text[512];

		memcpy(short_text, text, (size_t)cut);
		short_text[cut] = '\0';
		if (cut == 0)
			cr_assert(descriptor_get(short_text, &out) == -EPROTO);
		else if (text[cut - 1] != ';')
			cr_assert(descriptor_get(short_text, &out) == -EINVAL, "cut at %d", cut);
	}
}

Test(descriptor, bad_values_are_refused)
{
	static struct descriptor out;

	cr_assert(descriptor_get("v=1;p=99999999999999999999;", &out) == -E2BIG);
	cr_assert(descriptor_get("v=1;p=-1;", &out) == -EINVAL);
	cr_assert(descriptor_get("v=1;p=12x;", &out) == -EINVAL);
	cr_assert(descriptor_get("v=1;dir=%4;", &out) == -EINVAL);
	cr_assert(descriptor_get("v=1;dir=%00;", &out) == -EINVAL);
	cr_assert(descriptor_get("v=2;", &out) == -EPROTO);
	cr_assert(descriptor_get("v=1;future=%20;", &out) == 0, "unknown keys are skipped");
	cr_assert(descriptor_get("v=1;am=0123456789012345678901234567890123;", &out) == -E2BIG);
}

/* The recorder adds it to the text. */
Test(descriptor, a_name_begins_in_the_directory)
{
	static struct descriptor in, out;

	fill(&in);
	for (uint64_t at = 0; at < 100; at++) {
		in.name_at = at < 99 ? at : UINT64_MAX;
		cr_assert_gt(descriptor_put(&in, text, sizeof(text)), 0);
		cr_assert_eq(descriptor_get(text, &out), 0);
		cr_assert_eq(out.name_at, at <= strlen(in.directory) ? at : 0);
	}
}

Test(descriptor, random_texts_do_no_harm)
{
	uint64_t state = seed_start();
	static struct descriptor out;

	for (int i = 0; i < 2000; i++) {
		char random[64];
		size_t len = seed_below(&state, sizeof(random) - 1);

		for (size_t at = 0; at < len; at++)
			random[at] = "v=1;dirpHS%20;=\xff"[seed_below(&state, 16)];
		random[len] = '\0';
		cr_assert(descriptor_get(random, &out) <= 0);
	}
}
