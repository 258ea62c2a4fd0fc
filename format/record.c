/* record.c: the schema of all record kinds as tables, expanded from record.def. */
#include "record.h"

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
#include "record.def"

const struct fmt_record fmt_records[] = {
#define RECORD(name, kind, stream, size, meaning) \
	{kind,  size,   sizeof(fields_of_##name) / sizeof(struct fmt_field), \
	 #name, stream, meaning, \
	 fields_of_##name},
#define FIELD(name, type, field, unit, meaning)
#define RECORD_END(name)
#include "record.def"
};

const size_t fmt_record_count = sizeof(fmt_records) / sizeof(fmt_records[0]);

static const struct {
	const char *type;
	unsigned value;
	const char *spelling;
} enum_values[] = {
#define ENUM(type)
#define ENUM_VALUE(type, name, value, spelling) {#type, value, spelling},
#define ENUM_END(type)
#include "enums.def"
};

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

const char *fmt_enum_name(const char *type, unsigned value)
{
	for (size_t i = 0; i < sizeof(enum_values) / sizeof(enum_values[0]); i++)
		if (enum_values[i].value == value && strcmp(enum_values[i].type, type) == 0)
			return enum_values[i].spelling;
	return NULL;
}
