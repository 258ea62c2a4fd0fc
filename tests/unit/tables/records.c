/* Tests that each row of the tables of the format has what readers of the format need. */
#include "format/layout.h"
#include "format/record.h"
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_TABLE "format/datakind.def"
#define ENUM_TABLE "format/enums.def"
#define DESCRIPTOR_TABLE "format/descriptor.def"

static const struct {
	const char *name, *stream, *meaning;
	unsigned kind, size;
} records[] = {
#define RECORD(name, kind, stream, size, meaning) {#name, stream, meaning, kind, size},
#include "format/datakind.def"
};
enum { RECORDS = sizeof(records) / sizeof(records[0]) };

static const struct {
	const char *record, *field, *type, *unit, *meaning;
	size_t offset;
} fields[] = {
#define FIELD(record, type, field, unit, meaning) \
	{#record, #field, #type, unit, meaning, offsetof(struct fmt_##record, field)},
#include "format/datakind.def"
};
enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static const char *const streams[] = {
#define STREAM(id, name, role) name,
#include "format/datakind.def"
};
enum { STREAMS = sizeof(streams) / sizeof(streams[0]) };

static const char *const enums[] = {
#define ENUM(type) #type,
#define ENUM_VALUE(type, name, value, spelling)
#define ENUM_END(type)
#include "format/enums.def"
};
enum { ENUMS = sizeof(enums) / sizeof(enums[0]) };

static const struct {
	const char *type, *name, *spelling;
	unsigned value;
} values[] = {
#define ENUM(type)
#define ENUM_VALUE(type, name, value, spelling) {#type, #name, spelling, value},
#define ENUM_END(type)
#include "format/enums.def"
};
enum { VALUES = sizeof(values) / sizeof(values[0]) };

static const struct {
	const char *field, *key, *meaning;
} words[] = {
#define NUMBER(field, key, meaning) {#field, key, meaning},
#define TEXT(field, key, size, meaning) {#field, key, meaning},
#define STEP_NUMBER NUMBER
#define STEP_TEXT TEXT
#include "format/descriptor.def"
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static int is_stream(const char *name)
{
	for (size_t i = 0; i < STREAMS; i++)
		if (strcmp(streams[i], name) == 0)
			return 1;
	return 0;
}

/* Has a row of the record in VERSIONS this field (NULL: any)? */
static int is_in_versions(const char *record, const char *field)
{
	const char *page = strstr(text_of("man/experiment.5", ""), "\n.SH VERSIONS\n");
	char begin[64];

	snprintf(begin, sizeof(begin), "\t%s\tT{\n", record);
	for (; page && (page = strstr(page, begin)); page++) {
		const char *row = page + strlen(begin), *end = strstr(row, "\nT}");
		char *part = strndup(row, end ? (size_t)(end - row) : 0);
		int found = !field || text_has(part, field);

		free(part);
		if (found)
			return 1;
	}
	return 0;
}

Test(records, a_version_of_the_format_has_added_each_record_and_field)
{
	const char *page = text_of("man/experiment.5", "");

	for (size_t i = 0; i < RECORDS; i++)
		row_needs(is_in_versions(records[i].name, NULL), RECORD_TABLE, records[i].name,
		          "its row in VERSIONS of man/experiment.5");
	for (size_t i = 0; i < FIELDS; i++) {
		char name[96];

		snprintf(name, sizeof(name), "%s.%s", fields[i].record, fields[i].field);
		row_needs(is_in_versions(fields[i].record, fields[i].field), RECORD_TABLE, name,
		          "its version in VERSIONS of man/experiment.5");
	}
	cr_expect(strstr(page, "\nThis page describes version " FMT_VERSION_TEXT ".\n") != NULL);
}

Test(records, every_record_has_a_file_a_kind_and_a_meaning)
{
	for (size_t i = 0; i < RECORDS; i++) {
		row_needs(is_stream(records[i].stream), RECORD_TABLE, records[i].name,
		          "a file of format/datakind.def");
		row_needs(*records[i].meaning != '\0', RECORD_TABLE, records[i].name, "a meaning");
		for (size_t j = 0; j < i; j++)
			row_needs(records[i].kind != records[j].kind, RECORD_TABLE, records[i].name,
			          "a kind of its own");
	}
	for (size_t i = 0; i < FIELDS; i++)
		row_needs(*fields[i].meaning != '\0', RECORD_TABLE, fields[i].field, "a meaning");
}

Test(records, every_record_is_read_and_written)
{
	for (size_t i = 0; i < RECORDS; i++) {
		char word[64];

		snprintf(word, sizeof(word), "fmt_%s", records[i].name);
		row_needs(text_has(text_of("experiment", ".c"), word), RECORD_TABLE,
		          records[i].name, "a reader in experiment/");
		snprintf(word, sizeof(word), "FMT_KIND_%s", records[i].name);
		row_needs(text_has(text_of("libcollector", ".c"), word), RECORD_TABLE,
		          records[i].name, "a writer in libcollector/");
	}
}

/* The fields follow the heading of the record, in their order. */
Test(records, every_record_and_field_has_a_row_in_the_manual)
{
	char text[128], heading[64];

	for (size_t i = 0; i < RECORDS; i++) {
		snprintf(text, sizeof(text), "\n%s\t%u\t%s\t%u\t", records[i].name, records[i].kind,
		         records[i].stream, records[i].size);
		row_needs_between(RECORD_TABLE, records[i].name, text, ".SH RECORDS", "\n.SS",
		                  "experiment.5");
	}
	for (size_t i = 0; i < FIELDS; i++) {
		snprintf(heading, sizeof(heading), "\n.SS %s\n", fields[i].record);
		snprintf(text, sizeof(text), "\n%zu\t%s\t%s\t%s\t", fields[i].offset,
		         fields[i].type, fields[i].field, fields[i].unit);
		row_needs_between(RECORD_TABLE, fields[i].field, text, heading, "\n.TE",
		                  "experiment.5");
	}
}

Test(enums, every_type_is_that_of_a_field)
{
	for (size_t i = 0; i < ENUMS; i++) {
		int is_used = 0;

		for (size_t j = 0; j < FIELDS; j++)
			is_used |= strcmp(fields[j].unit, enums[i]) == 0;
		row_needs(is_used, ENUM_TABLE, enums[i], "a field of that type");
	}
}

Test(enums, every_value_has_a_number_and_a_spelling_of_its_own)
{
	for (size_t i = 0; i < VALUES; i++) {
		row_needs(*values[i].spelling != '\0', ENUM_TABLE, values[i].name, "a spelling");
		for (size_t j = 0; j < i; j++)
			if (strcmp(values[i].type, values[j].type) == 0) {
				row_needs(values[i].value != values[j].value, ENUM_TABLE,
				          values[i].name, "a number of its own");
				row_needs(strcmp(values[i].spelling, values[j].spelling) != 0,
				          ENUM_TABLE, values[i].name, "a spelling of its own");
			}
	}
}

Test(descriptor, every_word_has_a_key_a_meaning_a_writer_and_a_reader)
{
	for (size_t i = 0; i < WORDS; i++) {
		row_needs(*words[i].meaning != '\0', DESCRIPTOR_TABLE, words[i].field, "a meaning");
		for (size_t j = 0; j < i; j++)
			row_needs(strcmp(words[i].key, words[j].key) != 0, DESCRIPTOR_TABLE,
			          words[i].field, "a key of its own");
		row_needs(text_has(text_of("collect", ".c"), words[i].field) ||
		                  text_has(text_of("libcollector/process", ".c"), words[i].field) ||
		                  text_has(text_of("attach", ".c"), words[i].field),
		          DESCRIPTOR_TABLE, words[i].field, "who sets it");
		row_needs(text_has(text_of("libcollector", ""), words[i].field), DESCRIPTOR_TABLE,
		          words[i].field, "who reads it in libcollector/");
	}
}
