/* record.c: the schema of all record kinds as tables, expanded from datakind.def. */
#include "format/record.h"

static const char *const type_names[] = {
	[FMT_u8] = "u8",   [FMT_u16] = "u16", [FMT_u32] = "u32",
	[FMT_u48] = "u48", [FMT_u64] = "u64", [FMT_name16] = "name16",
};

#define RECORD(name, kind, stream, size, meaning) \
	static const struct fmt_field fields_of_##name[] = {
#define FIELD(name, type, field, unit, meaning) \
	{FMT_KIND_##name, FMT_##type, offsetof(struct fmt_##name, field), #field, unit, meaning},
#define RECORD_END(name) \
	} \
	;
#include "format/datakind.def"

const struct fmt_record fmt_records[] = {
#define RECORD(name, kind, stream, size, meaning) \
	{kind, \
	 size, \
	 sizeof(fields_of_##name) / sizeof(struct fmt_field), \
	 #name, \
	 stream, \
	 meaning, \
	 fields_of_##name},
#include "format/datakind.def"
};

const size_t fmt_record_count = sizeof(fmt_records) / sizeof(fmt_records[0]);

static const struct {
	unsigned value;
	const char *spelling;
} enum_values[] = {
#define ENUM(type)
#define ENUM_VALUE(type, name, value, spelling) {value, spelling},
#define ENUM_END(type)
#include "format/enums.def"
};

/* Where the values of each type begin and end there: an enumerator beside those of the values takes
 * back its number. */
enum {
#define ENUM(type) FIRST_##type, BEFORE_##type = FIRST_##type - 1,
#define ENUM_VALUE(type, name, value, spelling) AT_##type##_##name,
#define ENUM_END(type) END_##type, LAST_##type = END_##type - 1,
#include "format/enums.def"
};

static const struct {
	const char *name;
	unsigned first, end;
} enum_types[] = {
#define ENUM(type) {#type, FIRST_##type, END_##type},
#define ENUM_VALUE(type, name, value, spelling)
#define ENUM_END(type)
#include "format/enums.def"
};
enum { ENUM_TYPES = sizeof(enum_types) / sizeof(enum_types[0]) };

const struct fmt_record *fmt_record_find(unsigned kind)
{
	for (size_t i = 0; i < fmt_record_count; i++)
		if (fmt_records[i].kind == kind)
			return &fmt_records[i];
	return NULL;
}

const char *fmt_field_type_name(unsigned type)
{
	return type < sizeof(type_names) / sizeof(type_names[0]) ? type_names[type] : NULL;
}

static size_t find_type(const char *name)
{
	size_t at = 0;

	while (at < ENUM_TYPES && strcmp(enum_types[at].name, name) != 0)
		at++;
	return at;
}

const char *fmt_enum_name(const char *type, unsigned value)
{
	size_t at = find_type(type);

	for (unsigned i = at < ENUM_TYPES ? enum_types[at].first : 0;
	     at < ENUM_TYPES && i < enum_types[at].end; i++)
		if (enum_values[i].value == value)
			return enum_values[i].spelling;
	return NULL;
}

int fmt_enum_next(const char *type, int value)
{
	size_t at = find_type(type);
	int next = -1;

	for (unsigned i = at < ENUM_TYPES ? enum_types[at].first : 0;
	     at < ENUM_TYPES && i < enum_types[at].end; i++)
		if ((int)enum_values[i].value > value &&
		    (next < 0 || (int)enum_values[i].value < next))
			next = (int)enum_values[i].value;
	return next;
}
