/* readpage.c: see readpage.h. */
#include "tests/unit/analyzer/readpage.h"
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- columns */

enum { BYTES_MAX = 1 << 20 };

/* Returns how many bytes there are. */
static size_t from_base64(const char *text, size_t length, unsigned char *bytes)
{
	static const char
		digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = 0;

	cr_assert_eq(length % 4, 0);
	for (size_t i = 0; i < length; i += 4) {
		unsigned value = 0;

		for (size_t digit = 0; digit < 4; digit++) {
			const char *at = strchr(digits, text[i + digit]);

			value = value << 6 | (text[i + digit] == '=' ? 0 : (unsigned)(at - digits));
		}
		bytes[size++] = (unsigned char)(value >> 16);
		bytes[size++] = (unsigned char)(value >> 8);
		bytes[size++] = (unsigned char)value;
	}
	return size;
}

unsigned char *unpack(const char *text, size_t length, size_t *size)
{
	unsigned char *packed = malloc(length + 1), *bytes = calloc(BYTES_MAX + 1, 1);
	z_stream stream = {.avail_out = BYTES_MAX, .next_out = bytes, .next_in = packed};

	cr_assert(packed && bytes);
	stream.avail_in = (unsigned)from_base64(text, length, packed);
	cr_assert_eq(inflateInit2(&stream, -15), Z_OK);
	cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	*size = stream.total_out;
	inflateEnd(&stream);
	free(packed);
	return bytes;
}

uint64_t unpack_number(const unsigned char *bytes, size_t *at)
{
	uint64_t number = 0;
	unsigned shift = 0;

	do
		number |= (uint64_t)(bytes[*at] & 127) << shift;
	while (shift += 7, bytes[(*at)++] > 127);
	return number;
}

int64_t unpack_zigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* ---- sections */

enum coding { JSON, LINES, NUMBERS, STEPS };

struct page_section_read page_sections[PAGE_SECTIONS];
struct page_total_read page_totals[EXP_METRICS];
const char **page_strings;

static void read_numbers(struct page_section_read *section, const unsigned char *bytes, size_t size,
                         enum coding coding)
{
	int64_t last = 0;

	section->numbers = calloc(size + 1, sizeof(*section->numbers));
	for (size_t at = 0; at < size; section->count++) {
		uint64_t number = unpack_number(bytes, &at);

		last = coding == STEPS ? (int64_t)((uint64_t)last + (uint64_t)unpack_zigzag(number))
		                       : (int64_t)number;
		section->numbers[section->count] = last;
	}
}

/* Read the section NAME; there may be none of a total. */
static int read_section(const char *page, const char *name, enum coding coding,
                        struct page_section_read *section)
{
	char tag[96];
	const char *begin;
	unsigned char *bytes;
	size_t size;

	*section = (struct page_section_read){.text = NULL};
	snprintf(tag, sizeof(tag), "<script type=\"application/octet-stream\" id=\"xer-%s\">",
	         name);
	begin = strstr(page, tag);
	if (!begin)
		return 0;
	begin += strlen(tag);
	bytes = unpack(begin, strcspn(begin, "<"), &size);
	if (coding == JSON || coding == LINES) {
		section->text = (char *)bytes;
		for (size_t i = 0; i < size; i++)
			section->count += bytes[i] == '\n';
		return 1;
	}
	read_numbers(section, bytes, size, coding);
	free(bytes);
	return 1;
}

static void read_strings(void)
{
	char *rest = page_sections[PAGE_STRINGS].text;

	page_strings = calloc(page_sections[PAGE_STRINGS].count + 1, sizeof(*page_strings));
	for (size_t i = 0; i < page_sections[PAGE_STRINGS].count; i++)
		page_strings[i] = strsep(&rest, "\n");
}

void page_take(const char *page)
{
	static const struct {
		const char *name;
		enum coding coding;
	} all[] = {
#define SECTION(id, name, coding, meaning) {name, coding},
#include "analyzer/page/section.def"
	};
	char name[40];

	for (size_t i = 0; i < PAGE_SECTIONS; i++)
		cr_assert(read_section(page, all[i].name, all[i].coding, &page_sections[i]) ||
		                  all[i].coding == NUMBERS || all[i].coding == STEPS,
		          "%s", all[i].name);
	for (unsigned i = 0; i < EXP_METRICS; i++) {
		int has_rows;

		snprintf(name, sizeof(name), "total.%u.row", i);
		has_rows = read_section(page, name, STEPS, &page_totals[i].rows);
		snprintf(name, sizeof(name), "total.%u.value", i);
		cr_assert_eq(read_section(page, name, NUMBERS, &page_totals[i].values), has_rows);
		cr_assert_eq(page_totals[i].rows.count, page_totals[i].values.count);
	}
	read_strings();
}

static void forget(struct page_section_read *section)
{
	free(section->text);
	free(section->numbers);
}

void page_forget(void)
{
	for (size_t i = 0; i < PAGE_SECTIONS; i++)
		forget(&page_sections[i]);
	for (size_t i = 0; i < EXP_METRICS; i++) {
		forget(&page_totals[i].rows);
		forget(&page_totals[i].values);
	}
	free(page_strings);
}

void page_read(const char *path, const char *commands)
{
	struct answer answer;
	char lines[256];

	snprintf(lines, sizeof(lines), "%sreport -", commands);
	answer = answer_of(path, lines);
	cr_assert_str_eq(answer.messages, "");
	cr_assert_eq(answer.status, 0);
	page_take(answer.text);
	answer_fini(&answer);
}

/* ---- what is expected */

void page_expect(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "%s, not %s", text, part);
}

void page_same_tables(const char *made, const char *wanted)
{
	size_t same = 0;

	made = strstr(made, "\"tables\": [");
	wanted = strstr(wanted, "\"tables\": [");
	cr_assert(made && wanted);
	while (wanted[same] != '\0' && made[same] == wanted[same])
		same++;
	cr_expect_eq(wanted[same], '\0', "%.200s, not %.200s", made + same, wanted + same);
}
