/* xml.c: tests of building XML, and of appending, which must survive a kill after any write. */
#include "format/xml.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#define CLOSE "</r>\n"
enum { PARSE = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };

/* A file as the kernel keeps it: bytes, and zeros where a write leaves a hole. */
struct model {
	char *bytes;
	size_t size;
	uint64_t end;
};

static void model_write(struct model *model, const struct xml_write *write)
{
	if (write->at + write->len > model->size) {
		model->bytes = realloc(model->bytes, write->at + write->len);
		memset(model->bytes + model->size, 0, write->at + write->len - model->size);
		model->size = write->at + write->len;
	}
	memcpy(model->bytes + write->at, write->bytes, write->len);
}

static void model_init(struct model *model, size_t padding)
{
	static const char header[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r>\n";

	model->end = sizeof(header) - 1 + padding;
	while (!xml_end_is_appendable(model->end, CLOSE))
		model->end++;
	model->size = model->end + strlen(CLOSE);
	model->bytes = malloc(model->size);
	memset(model->bytes, ' ', model->size);
	memcpy(model->bytes, header, sizeof(header) - 1);
	memcpy(model->bytes + model->end, CLOSE, strlen(CLOSE));
}

/* Number of <e> elements under the root of the text, -1 if it is not well-formed. */
static int count_elements(const char *bytes, size_t size)
{
	xmlDoc *document = xmlReadMemory(bytes, (int)size, "model", NULL, PARSE);
	int count = 0;

	if (!document)
		return -1;
	for (xmlNode *node = xmlDocGetRootElement(document)->children; node; node = node->next)
		count += node->type == XML_ELEMENT_NODE;
	xmlFreeDoc(document);
	return count;
}

/* An element whose length is close to `wish`, with odd bytes in it. */
static size_t make_element(uint64_t *state, size_t wish, char *out, size_t capacity)
{
	struct xml_text text = {.at = out, .capacity = capacity};
	static const char odd[] = "a<>&\"'\\?-]\n\t\0\x01\x7f\xff\xc3\xa9\xed\xa0\x80 xyz?>";

	xml_put(&text, "<e a=\"");
	while (text.len + 12 < wish) {
		size_t at = seed_below(state, sizeof(odd) - 1);

		xml_put_content(&text, odd + at, 1 + seed_below(state, sizeof(odd) - 1 - at) % 4);
	}
	xml_put(&text, "\"/>\n");
	cr_assert(!text.overflow);
	return text.len;
}

static void append_and_check(struct model *model, const char *element, size_t len, int before)
{
	static struct xml_append plan;

	cr_assert(xml_append_plan(&plan, model->end, element, len, CLOSE) == 0);
	for (size_t i = 0; i < plan.count; i++) {
		const struct xml_write *write = &plan.write[i];
		int count;

		cr_assert(write->at / XML_PAGE == (write->at + write->len - 1) / XML_PAGE,
		          "a write crosses a page");
		model_write(model, write);
		count = count_elements(model->bytes, model->size);
		cr_assert(count >= 0, "not well-formed after write %zu of %zu, end %lu, length %zu",
		          i + 1, plan.count, model->end, len);
		cr_assert(count == before + (i + 1 == plan.count));
	}
	model->end = plan.end;
	cr_assert(xml_end_find(model->bytes, model->size, CLOSE) == (long)model->end);
	cr_assert(xml_end_is_appendable(model->end, CLOSE));
}

Test(xml, appended_file_is_well_formed_after_every_write, .timeout = 100)
{
	uint64_t state = seed_start();
	static char element[XML_PAGE + 64];

	for (int round = 0; round < 40; round++) {
		struct model model;
		size_t wish = (size_t[]){30, 200, 1500, XML_ELEMENT_MAX - 40}[round % 4];

		model_init(&model, seed_below(&state, 2 * XML_PAGE));
		for (int i = 0; i < 60; i++)
			append_and_check(&model, element,
			                 make_element(&state, 16 + seed_below(&state, wish),
			                              element, sizeof(element)),
			                 i);
		free(model.bytes);
	}
}

Test(xml, appends_work_at_every_offset_of_a_page, .timeout = 100)
{
	static const char element[] = "<e n=\"123456789\"/>\n";

	for (size_t padding = XML_PAGE - 120; padding < XML_PAGE + 20; padding++) {
		struct model model;

		model_init(&model, padding);
		for (int i = 0; i < 4; i++)
			append_and_check(&model, element, sizeof(element) - 1, i);
		free(model.bytes);
	}
}

Test(xml, element_sizes_are_bounded)
{
	static struct xml_append plan;
	static char element[XML_PAGE];

	memset(element, ' ', sizeof(element));
	cr_assert(xml_append_plan(&plan, 100, element, XML_ELEMENT_MIN - 1, CLOSE) == -EINVAL);
	cr_assert(xml_append_plan(&plan, 100, element, XML_ELEMENT_MAX + 1, CLOSE) == -E2BIG);
	cr_assert(xml_append_plan(&plan, 100, element, XML_ELEMENT_MAX, CLOSE) == 0);
}

static size_t round_trip(const char *value, size_t len, char *out)
{
	char text[4096];
	struct xml_text build = XML_TEXT(text);
	xmlDoc *document;
	xmlChar *got;
	size_t result;

	xml_put(&build, "<e");
	xml_put_attribute(&build, "a", value, len);
	xml_put(&build, ">");
	xml_put_content(&build, value, len);
	xml_put(&build, "</e>");
	document = xmlReadMemory(text, (int)build.len, "value", NULL, PARSE);
	cr_assert(document != NULL, "not well-formed: %s", text);
	got = xmlNodeGetContent(xmlDocGetRootElement(document));
	strcpy(out, (const char *)got);
	xmlFree(got);
	got = xmlGetProp(xmlDocGetRootElement(document), (const xmlChar *)"a");
	cr_assert(strcmp(out, (const char *)got) == 0, "attribute and content differ");
	xmlFree(got);
	xmlFreeDoc(document);
	result = xml_decode(out);
	return result;
}

Test(xml, any_bytes_survive_the_round_trip)
{
	uint64_t state = seed_start();
	char value[64], out[4096];

	for (int i = 0; i < 20000; i++) {
		size_t len = seed_below(&state, sizeof(value));
		size_t got;

		for (size_t at = 0; at < len; at++)
			value[at] =
				(char)(seed_next(&state) & 3
			                       ? "\\x\"&<>41\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
			                                 [seed_below(&state, 18)]
			                       : (char)seed_next(&state));
		got = round_trip(value, len, out);
		cr_assert(got == len && memcmp(out, value, len) == 0);
	}
}

Test(xml, what_xml_cannot_carry_is_encoded)
{
	static const char *const odd[] = {
		"\xef\xbf\xbe", "\xef\xbf\xbf", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80",
		"\x7f",         "\r\n\t",       "\\x41",        "\xe2\x82"};
	char out[4096];

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		cr_assert(round_trip(odd[i], strlen(odd[i]), out) == strlen(odd[i]), "%zu", i);
		cr_assert(strcmp(out, odd[i]) == 0, "%zu", i);
	}
}

/* The characters of XML 1.0, section 2.2, in UTF-8: the first and the last of each range. They stay
 * as they are, their neighbours do not. */
Test(xml, what_xml_can_carry_is_not_encoded)
{
	static const char *const whole[] = {" ",
	                                    "~",
	                                    "\xc2\x80",
	                                    "\xdf\xbf",
	                                    "\xe0\xa0\x80",
	                                    "\xed\x9f\xbf",
	                                    "\xee\x80\x80",
	                                    "\xef\xbf\x80",
	                                    "\xef\xbf\xbd",
	                                    "\xf0\x90\x80\x80",
	                                    "\xf4\x8f\xbf\xbf"};
	static const char *const neighbours[] = {"\x1f",
	                                         "\x80",
	                                         "\xc1\xbf",
	                                         "\xe0\x9f\xbf",
	                                         "\xed\xa0\x80",
	                                         "\xed\xbf\xbf",
	                                         "\xef\xbf\xbe",
	                                         "\xef\xbf\xbf",
	                                         "\xf0\x8f\xbf\xbf",
	                                         "\xf4\x90\x80\x80",
	                                         "\xf5\x80\x80\x80"};
	char bytes[64];

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		struct xml_text text = XML_TEXT(bytes);

		xml_put_content(&text, whole[i], strlen(whole[i]));
		cr_expect_str_eq(bytes, whole[i], "%zu: %s", i, bytes);
	}
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++) {
		struct xml_text text = XML_TEXT(bytes);

		xml_put_content(&text, neighbours[i], strlen(neighbours[i]));
		cr_expect_eq(text.len, 4 * strlen(neighbours[i]), "%zu: %s", i, bytes);
		cr_expect(strncmp(bytes, "\\x", 2) == 0, "%zu: %s", i, bytes);
	}
}

Test(xml, decode_leaves_what_is_no_escape)
{
	char text[] = "a\\q\\x4 \\xZZ \\";

	cr_assert(xml_decode(text) == strlen("a\\q\\x4 \\xZZ \\"));
	cr_assert_str_eq(text, "a\\q\\x4 \\xZZ \\");
}

Test(xml, overflow_is_flagged_at_every_capacity)
{
	char bytes[64];

	for (size_t capacity = 1; capacity < sizeof(bytes); capacity++) {
		struct xml_text text = {.at = bytes, .capacity = capacity};

		memset(bytes, '#', sizeof(bytes));
		xml_put(&text, "<event");
		xml_put_number(&text, "n", 18446744073709551615u);
		xml_put(&text, "/>");
		cr_assert(text.len < capacity);
		cr_assert(bytes[capacity] == '#');
		cr_assert(text.overflow ==
		          (capacity < sizeof("<event n=\"18446744073709551615\"/>")));
	}
}

Test(xml, numbers)
{
	char bytes[256];
	struct xml_text text = XML_TEXT(bytes);

	xml_put_number(&text, "a", 0);
	xml_put_signed(&text, "b", INT64_MIN);
	xml_put_signed(&text, "c", 7);
	xml_put_hex(&text, "d", 0xdeadbeef);
	xml_put_string(&text, "e", NULL);
	cr_assert_str_eq(bytes, " a=\"0\" b=\"-9223372036854775808\" c=\"7\" d=\"0xdeadbeef\"");
}

Test(xml, end_is_found_behind_padding)
{
	cr_assert(xml_end_find("<r></r>\n<?x ?>\n   ", 18, "</r>\n") == 3);
	cr_assert(xml_end_find("<r>", 3, "</r>\n") == -ENODATA);
	cr_assert(xml_end_find("", 0, "</r>\n") == -ENODATA);
}
