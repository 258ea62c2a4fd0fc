/* logfile.c: tests of the texts that xcollect writes: log.xml, and quoted command lines. */
#include "collect/base/quote.h"
#include "collect/experiment/logfile.h"

#include "format/layout.h"
#include "format/record.h"
#include "format/xml.h"

#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct request request = {.profile_us = 997,
                                       .clock = {.kind = PROFILECLOCK_PARANOID},
                                       .sample_ms = 500,
                                       .archive = "src",
                                       .follow = "on",
                                       .mpi_launcher = "off"};
static const struct clock_source clock_source = {.is_tsc = 1, .hz = 2600000000u};
static const struct clock_moment start = {100, 200, 300, 400};

static xmlDoc *parse(char *const *argv, char **text, size_t *len)
{
	static struct target target;

	strcpy(target.path, "/bin/odd\xff name");
	target.argv = (char **)argv;
	*text = logfile_log_text(&request, &target, argv, &clock_source, &start, len);
	cr_assert(*text != NULL);
	return xmlReadMemory(*text, (int)*len, "log.xml", NULL,
	                     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
}

static xmlNode *find(xmlNode *parent, const char *name)
{
	xmlNode *node = parent->children;

	while (node && strcmp((const char *)node->name, name) != 0)
		node = node->next;
	return node;
}

Test(logfile, any_arguments_survive_and_the_end_is_appendable)
{
	/* Paddings of every length around the end of a page. */
	for (size_t size = 0; size < 300; size++) {
		char argument[400], got[400];
		char *argv[] = {"a\x01\xff<&>\"'\\", argument, NULL};
		xmlDoc *document;
		xmlNode *node;
		xmlChar *content;
		char *text;
		size_t len;
		long end;

		memset(argument, 'x', size);
		argument[size] = '\0';
		document = parse(argv, &text, &len);
		cr_assert(document != NULL);
		end = xml_end_find(text, len, FMT_LOG_CLOSE);
		cr_assert(end > 0 && xml_end_is_appendable((uint64_t)end, FMT_LOG_CLOSE));
		cr_assert((size_t)end + strlen(FMT_LOG_CLOSE) == len);
		node = find(find(xmlDocGetRootElement(document), "process"), "arg");
		content = xmlNodeGetContent(node);
		strcpy(got, (const char *)content);
		xml_decode(got);
		cr_assert_str_eq(got, argv[0]);
		xmlFree(content);
		xmlFreeDoc(document);
		free(text);
	}
}

Test(logfile, very_long_arguments_fit)
{
	size_t size = 128 * 1024 - 1;
	char *argument = malloc(size + 1);
	char *argv[] = {argument, argument, NULL};
	xmlDoc *document;
	char *text;
	size_t len;

	memset(argument, '"', size);
	argument[size] = '\0';
	document = parse(argv, &text, &len);
	cr_assert(document != NULL);
	xmlFreeDoc(document);
	free(text);
	free(argument);
}

Test(logfile, schema_lists_every_record)
{
	char *argv[] = {"x", NULL};
	char *text;
	size_t len, count = 0;
	xmlDoc *document = parse(argv, &text, &len);
	xmlNode *schema = find(xmlDocGetRootElement(document), "schema");

	for (xmlNode *node = schema->children; node; node = node->next)
		count += node->type == XML_ELEMENT_NODE;
	cr_assert(count == fmt_record_count);
	xmlFreeDoc(document);
	free(text);
}

/* The attribute of the first such element that has another one, name="NAME". */
static void expect_attribute(xmlNode *parent, const char *element, const char *name,
                             const char *attribute, const char *expected)
{
	for (xmlNode *node = parent->children; node; node = node->next) {
		xmlChar *is = xmlGetProp(node, (const xmlChar *)"name"), *value;

		if (strcmp((const char *)node->name, element) == 0 &&
		    (!name || (is && strcmp((const char *)is, name) == 0))) {
			value = xmlGetProp(node, (const xmlChar *)attribute);
			cr_expect(value && strcmp((const char *)value, expected) == 0, "%s",
			          value ? (const char *)value : "(none)");
			xmlFree(value);
			xmlFree(is);
			return;
		}
		xmlFree(is);
	}
	cr_expect(0, "no %s %s", element, name ? name : "");
}

Test(logfile, the_clock_of_samples_and_the_tick_are_told)
{
	char *argv[] = {"x", NULL};
	char *text, tick[24];
	size_t len;
	xmlDoc *document = parse(argv, &text, &len);
	struct timespec step;

	cr_assert_eq(clock_getres(CLOCK_MONOTONIC_COARSE, &step), 0);
	snprintf(tick, sizeof(tick), "%ld", step.tv_nsec);
	expect_attribute(xmlDocGetRootElement(document), "host", NULL, "tick_ns", tick);
	expect_attribute(xmlDocGetRootElement(document), "setting", "profile_clock", "value",
	                 "paranoid");
	xmlFreeDoc(document);
	free(text);
}

Test(logfile, empty_map_is_well_formed_and_appendable)
{
	const char *text = logfile_map_text();
	xmlDoc *document = xmlReadMemory(text, (int)strlen(text), "map.xml", NULL, 0);

	cr_assert(document != NULL);
	cr_assert_str_eq((const char *)xmlDocGetRootElement(document)->name, FMT_MAP_ROOT);
	cr_assert(xml_end_is_appendable((uint64_t)xml_end_find(text, strlen(text), FMT_MAP_CLOSE),
	                                FMT_MAP_CLOSE));
	xmlFreeDoc(document);
}

Test(quote, words_are_as_a_shell_takes_them)
{
	char line[256];

	quote_command((char *[]){"xcollect", "-C", "it's \"odd\"", "", "a=b", "$x", NULL}, line,
	              sizeof(line));
	cr_assert_str_eq(line, "xcollect -C 'it'\\''s \"odd\"' '' a=b '$x'");
}

Test(quote, what_does_not_fit_is_cut)
{
	char line[64];

	for (size_t size = 8; size < sizeof(line); size++) {
		memset(line, '#', sizeof(line));
		quote_command((char *[]){"abcdefgh", "a'b'c", "0123456789", NULL}, line, size);
		cr_assert(strlen(line) < size && line[size] == '#');
	}
}
