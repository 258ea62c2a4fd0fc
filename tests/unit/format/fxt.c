/* fxt.c: tests of the FXT encoders and of the table of records. The expected words were worked out
 * by hand from the format. */
#include "format/fxt.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint64_t guard = 0x5a5a5a5a5a5a5a5a;

/* Exactly these words were written. */
static void check(const uint64_t *out, size_t written, const uint64_t *expected, size_t count)
{
	cr_assert(written == count, "%zu words, not %zu", written, count);
	for (size_t i = 0; i < count; i++)
		cr_assert(out[i] == expected[i], "word %zu is %#lx, not %#lx", i,
		          (unsigned long)out[i], (unsigned long)expected[i]);
	cr_assert(out[count] == guard, "a word behind the record was written");
}

#define CHECK(call, ...) \
	do { \
		uint64_t out[80]; \
		const uint64_t expected[] = {__VA_ARGS__}; \
		memset(out, 0x5a, sizeof(out)); \
		check(out, call, expected, sizeof(expected) / sizeof(expected[0])); \
	} while (0)

Test(fxt, metadata_words)
{
	static const char magic[8] = {0x10, 0, 0x04, 'F', 'x', 'T', 0x16, 0};
	uint64_t word;

	CHECK(fxt_put_magic(out), 0x0016547846040010);
	fxt_put_magic(&word);
	cr_assert(memcmp(&word, magic, sizeof(word)) == 0);
	CHECK(fxt_put_provider(out, 7, "cpu0", 4), 0x0040000000710020, 0x30757063);
	CHECK(fxt_put_provider(out, 1, "", 0), 0x0000000000110010);
	CHECK(fxt_put_section(out, 7), 0x720010);
	CHECK(fxt_put_provider_event(out, 0xffffffff, 0), 0x000ffffffff30010);
	CHECK(fxt_put_initialization(out, 1000000000), 0x21, 1000000000);
}

Test(fxt, strings_are_padded_with_zeros_and_have_no_terminator)
{
	CHECK(fxt_put_string(out, 1, "abcdefgh", 8), 0x0000000800010022, 0x6867666564636261);
	CHECK(fxt_put_string(out, 0x7fff, "abcdefghi", 9), 0x000000097fff0032, 0x6867666564636261,
	      0x69);
	CHECK(fxt_put_thread(out, 255, 10, 11), 0xff0033, 10, 11);
}

Test(fxt, texts_are_cut_at_what_a_record_can_hold)
{
	static uint64_t out[FXT_RECORD_WORDS_MAX + 10];
	static char text[40000];

	memset(text, 'x', sizeof(text));
	memset(out, 0x5a, sizeof(out));
	cr_assert(fxt_put_string(out, 1, text, sizeof(text)) == 1 + FXT_STRING_MAX / 8);
	cr_assert(FXT_GET(string, text, out[0]) == FXT_STRING_MAX);
	cr_assert(out[1 + FXT_STRING_MAX / 8] == guard);
	memset(out, 0x5a, sizeof(out));
	cr_assert(fxt_put_provider(out, 1, text, 300) == FXT_PROVIDER_WORDS_MAX);
	cr_assert(out[FXT_PROVIDER_WORDS_MAX] == guard);
	cr_assert(out[FXT_PROVIDER_WORDS_MAX - 1] >> 56 == 0);
}

Test(fxt, a_sample_takes_six_words_and_its_frames)
{
	const uint64_t pcs[] = {0x401000, 0x402000, 0x7fffffffffff};

	CHECK(fxt_put_sample(out, 123456789, 42, 43, pcs, 3), 15 | 9 << 4, 0, 123456789, 42, 43, 24,
	      0x401000, 0x402000, 0x7fffffffffff);
	CHECK(fxt_put_sample(out, 1, 2, 3, pcs, 0), 15 | 6 << 4, 0, 1, 2, 3, 0);
}

Test(fxt, names_of_processes_and_threads)
{
	CHECK(fxt_put_process_name(out, 42, 5), 0x5010027, 42);
	CHECK(fxt_put_thread_name(out, 42, 43, 6, 9), 0x0000010006020047, 43, 0x90028, 42);
}

Test(fxt, modules_and_mappings)
{
	static const uint8_t id[] = {1, 2, 3};
	const struct fxt_module module = {
		.id = 2, .name = "libc", .name_size = 4, .build_id = id, .build_id_size = 3};
	const struct fxt_mapping mapping = {
		.module = 2, .flags = 5, .start = 0x1000, .size = 0x2000, .address = 0x300};

	CHECK(fxt_put_module(out, 9, 42, 43, &module), 0x003040002000006a, 9, 42, 43, 0x6362696c,
	      0x030201);
	CHECK(fxt_put_mapping(out, 9, 42, 43, &mapping), 0x000050002001007a, 9, 42, 43, 0x1000,
	      0x2000, 0x300);
}

static size_t put_whole_event(uint64_t *out)
{
	const struct fxt_event event = {.kind = FXT_EVENT_COMPLETE,
	                                .arguments = 3,
	                                .thread = 1,
	                                .category = 2,
	                                .name = 3,
	                                .ticks = 100};
	size_t words = fxt_put_event(out, &event);

	words += fxt_put_number(out + words, FXT_ARGUMENT_INT64, 4, (uint64_t)-1);
	words += fxt_put_text(out + words, 5, "hello, world", 12);
	words += fxt_put_string_ref(out + words, 6, 7);
	out[words++] = 200;
	fxt_end(out, words);
	return words;
}

Test(fxt, events_with_arguments)
{
	const struct fxt_event bare = {.kind = FXT_EVENT_BEGIN,
	                               .category = 2,
	                               .name = 3,
	                               .ticks = 5,
	                               .process = 6,
	                               .tid = 7};
	uint64_t words[4];

	CHECK(put_whole_event(out), 0x0003000201340094, 100, 0x40023, UINT64_MAX,
	      0x0000800c00050036, 0x77202c6f6c6c6568, 0x646c726f, 0x0000000700060016, 200);
	cr_assert(fxt_put_event(words, &bare) == 4);
	fxt_end(words, 4);
	cr_assert(words[0] == 0x0003000200020044 && words[1] == 5 && words[2] == 6 &&
	          words[3] == 7);
	cr_assert(fxt_put_text(words, 1, "", 0) == 1 && words[0] == 0x10016);
}

Test(fxt, the_table_finds_each_record_and_no_others)
{
	for (int i = 0; i < FXT_RECORDS; i++) {
		const struct fxt_record *record = &fxt_records[i];
		uint64_t header = record->type | (uint64_t)record->sub << record->sub_low | 5 << 4;

		cr_assert(fxt_record_find(header) == record, "%s", record->name);
		cr_assert((header & ~fxt_used[0][i]) == 0, "%s", record->name);
	}
	cr_assert(!fxt_record_find(11));
	cr_assert(!fxt_record_find(0));
	cr_assert(!fxt_record_find(10 | 3 << 16));
	cr_assert(!fxt_record_find(8 | (uint64_t)3 << 60));
	cr_assert(!fxt_record_find(15 | (uint64_t)1 << 36));
}

Test(fxt, fields_of_a_record_do_not_overlap)
{
	for (int i = 0; i < FXT_RECORDS; i++) {
		uint64_t taken[2] = {fxt_records[i].type == FXT_LARGE ? 0xfffffffff : 0xffff, 0};

		if (fxt_records[i].sub_width > 0)
			taken[0] |= (((uint64_t)1 << fxt_records[i].sub_width) - 1)
			            << fxt_records[i].sub_low;
		for (const struct fxt_field *field = fxt_records[i].fields; field->name != NULL;
		     field++) {
			uint64_t bits = (((uint64_t)1 << field->width) - 1) << field->low;

			cr_assert((taken[field->word] & bits) == 0, "%s %s", fxt_records[i].name,
			          field->name);
			taken[field->word] |= bits;
		}
		cr_assert(taken[0] == fxt_used[0][i] && taken[1] == fxt_used[1][i], "%s",
		          fxt_records[i].name);
	}
}

Test(fxt, words_for_numbers)
{
	cr_assert(strcmp(fxt_event_title(FXT_EVENT_FLOW_END), "flow end") == 0 &&
	          !fxt_event_title(11));
	cr_assert(strcmp(fxt_event_word(FXT_EVENT_COMPLETE), "end") == 0 &&
	          !fxt_event_word(FXT_EVENT_BEGIN));
	cr_assert(strcmp(fxt_argument_title(10), "blob") == 0 && !fxt_argument_title(11));
	cr_assert(strcmp(fxt_state_title(5), "dead") == 0 && !fxt_state_title(6));
}
