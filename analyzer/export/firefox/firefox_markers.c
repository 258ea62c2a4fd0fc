/* firefox_markers.c: what markers are in a profile for the Firefox Profiler: their categories,
 * which have colours, and their fields. See firefox.h. */
#include "analyzer/export/firefox/firefox.h"

#include "format/record.h"

#include <string.h>

enum category { OTHER, WAIT, INPUT_OUTPUT, USER_EVENT, PROCESS, PARALLEL, FIRST_STATE };

/* The viewer knows these colours, and no others. */
static const struct {
	const char *name, *colour;
} categories[] = {{"Other", "grey"},       {"Wait", "lightblue"},   {"I/O", "orange"},
                  {"User event", "green"}, {"Process", "darkgrey"}, {"MPI and OpenMP", "purple"}};

/* Of states, in the order of enum fmt_wall_state. */
static const char *const colours[] = {
	"yellow", "orange", "red",       "magenta", "purple",    "transparent", "brown",    "brown",
	"blue",   "blue",   "lightblue", "green",   "lightblue", "lightred",    "darkgrey", "grey"};
_Static_assert(sizeof(colours) / sizeof(colours[0]) == FMT_wall_state_OTHER + 1,
               "each state has a colour");

void firefox_put_categories(FILE *out)
{
	fputs("  \"categories\": [", out);
	for (size_t i = 0; i < FIRST_STATE; i++)
		fprintf(out,
		        "%s{\"name\": \"%s\", \"color\": \"%s\", \"subcategories\": [\"Other\"]}",
		        i ? ",\n    " : "", categories[i].name, categories[i].colour);
	for (unsigned i = 0; i <= FMT_wall_state_OTHER; i++)
		fprintf(out,
		        ",\n    {\"name\": \"state %s\", \"color\": \"%s\", \"subcategories\": [\"Other\"]}",
		        fmt_enum_name("wall_state", i), colours[i]);
	fputs("],\n", out);
}

unsigned firefox_category(const struct trace *trace, const struct export_marker *marker)
{
	switch (marker->category) {
	case TRACE_WORD_WALL:
	case TRACE_WORD_SYNC:
		return WAIT;
	case TRACE_WORD_IO:
		return INPUT_OUTPUT;
	case TRACE_WORD_USER:
		return USER_EVENT;
	case TRACE_WORD_LIFE:
	case TRACE_WORD_USAGE:
		return PROCESS;
	case TRACE_WORD_OMP:
	case TRACE_WORD_MPI:
		return PARALLEL;
	case TRACE_WORD_STATE:
		for (unsigned i = 0; i <= FMT_wall_state_OTHER; i++)
			if (strcmp(trace->names[marker->name].text,
			           fmt_enum_name("wall_state", i)) == 0)
				return FIRST_STATE + i;
		return OTHER;
	default:
		return OTHER;
	}
}

/* The fields of a type: keys, words of the trace, with how the viewer shows them. */
struct field {
	const char *key, *label, *format;
};
#define ADDRESS_FIELD \
	{ \
		"address", "Address", "string" \
	}
#define ERRNO_FIELD \
	{ \
		"errno", "Error", "integer" \
	}
#define OBJECT_FIELD \
	{ \
		"object", "Object", "string" \
	}
#define OWNER_FIELDS \
	{"held_by", "Held by", "string"}, {"held_at", "Locked at", "string"}, \
		{"end_of", "End of", "string"}, {"signalled_by", "Signalled by", "string"}, \
		{"signalled_at", "Signalled at", "string"}, \
		{"released_by", "Released by", "string"}, \
		{"released_at", "Released at", "string"}, WRITER_FIELDS
/* Of input, too. */
#define WRITER_FIELDS \
	{"written_by", "Written by", "string"}, {"written_at", "Written at", "string"}, \
		{"owner", "Thread id of that", "integer"}, \
	{ \
		"owner_process", "Its process", "integer" \
	}

static const struct schema {
	uint32_t category;
	const char *type, *label, *places;
	struct field fields[20];
} schemas[] = {
	{TRACE_WORD_SYNC,
         "XerSync",
         "{marker.data.object}",
         "",
         {OBJECT_FIELD, ADDRESS_FIELD, OWNER_FIELDS, ERRNO_FIELD}},
	{TRACE_WORD_WALL,
         "XerWait",
         "{marker.data.object}{marker.data.file}",
         "",
         {{"state", "State", "string"},
          OBJECT_FIELD,
          ADDRESS_FIELD,
          {"file", "File", "string"},
          OWNER_FIELDS,
          ERRNO_FIELD}},
	{TRACE_WORD_IO,
         "XerIO",
         "{marker.data.file}",
         ", \"timeline-fileio\"",
         {{"file", "File", "string"},
          {"bytes", "Bytes", "bytes"},
          {"fd", "Descriptor", "integer"},
          WRITER_FIELDS,
          ERRNO_FIELD}},
	{TRACE_WORD_USER,
         "XerUser",
         "",
         ", \"timeline-overview\"",
         {{"d1", "Word 1", "string"},
          {"d2", "Word 2", "string"},
          {"d3", "Word 3", "string"},
          {"d4", "Word 4", "string"},
          {"d5", "Word 5", "string"},
          {"bytes", "Bytes", "bytes"}}},
	{TRACE_WORD_LIFE,
         "XerProcess",
         "{marker.data.command}",
         ", \"timeline-overview\"",
         {{"command", "Command", "string"},
          {"parent", "Parent process", "integer"},
          {"status", "Exit status", "integer"}}},
	{TRACE_WORD_USAGE,
         "XerSample",
         "{marker.data.label}",
         ", \"timeline-overview\"",
         {{"label", "Label", "string"}}},
	{TRACE_WORD_OMP, "XerOpenMP", "", "", {OBJECT_FIELD}},
	{TRACE_WORD_MPI,
         "XerMPI",
         "",
         "",
         {{"bytes", "Bytes", "bytes"}, {"rank", "Rank", "integer"}}},
	{TRACE_WORD_STATE, "XerState", "", ", \"timeline-overview\"", {{NULL, NULL, NULL}}},
};
enum { SCHEMAS = sizeof(schemas) / sizeof(schemas[0]) };

void firefox_put_schemas(FILE *out)
{
	fputs("  \"markerSchema\": [", out);
	for (size_t i = 0; i < SCHEMAS; i++) {
		const struct schema *schema = &schemas[i];

		fprintf(out,
		        "%s\n   {\"name\": \"%s\", \"tooltipLabel\": \"{marker.name} %s\", \"tableLabel\": \"%s\", "
		        "\"chartLabel\": \"%s\", \"display\": [\"marker-chart\", \"marker-table\"%s], \"data\": [",
		        i ? "," : "", schema->type, schema->label, schema->label, schema->label,
		        schema->places);
		for (const struct field *field = schema->fields; field->key; field++)
			fprintf(out,
			        "%s{\"key\": \"%s\", \"label\": \"%s\", \"format\": \"%s\", \"searchable\": true}",
			        field > schema->fields ? ", " : "", field->key, field->label,
			        field->format);
		fputs("]}", out);
	}
	fputs("],\n", out);
}

const char *firefox_type(const struct export_marker *marker)
{
	for (size_t i = 0; i < SCHEMAS; i++)
		if (schemas[i].category == marker->category)
			return schemas[i].type;
	return NULL;
}
