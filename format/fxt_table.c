/* fxt_table.c: the records of fxt.def as tables, for readers of any FXT file. */
#include "format/fxt.h"

#define MASK(low, high) ((UINT64_MAX >> (63 - (high) + (low))) << (low))

/* The size takes bits 4..15, of large records bits 4..35. */
#define HEAD_BITS(type) ((type) == FXT_LARGE ? MASK(0, 35) : MASK(0, 15))

#define FXT_RECORD(name, type, low, high, sub, title) \
	static const struct fxt_field fields_##name[] = {
#define FXT_FIELD(record, field, word, low, high, kind) \
	{#field, word, low, high - low + 1, FXT_FIELD_##kind},
#define FXT_RECORD_END(name) \
	{ \
		0 \
	} \
	} \
	;
#include "format/fxt.def"

#define FXT_RECORD(name, type, low, high, sub, title) \
	static const struct fxt_part parts_##name[] = {
#define FXT_PART(record, part, field) \
	{#field, FXT_PART_##part, FXT_IN_##record##_##field, FXT_LOW_##record##_##field, \
	 FXT_WIDTH_##record##_##field},
#define FXT_WORD(record, part, name) {#name, FXT_PART_##part, 0, 0, 0},
#define FXT_RECORD_END(name) \
	{ \
		0 \
	} \
	} \
	;
#include "format/fxt.def"

enum {
#define FXT_RECORD(name, type, low, high, sub, title) HAS_SUB_##name = (high) > 0,
#define FXT_RECORD_END(name)
#include "format/fxt.def"
};

const struct fxt_record fxt_records[FXT_RECORDS] = {
#define FXT_RECORD(record, type_, low, high, sub_, title_) \
	{.name = #record, \
	 .title = title_, \
	 .type = type_, \
	 .sub_low = low, \
	 .sub_width = HAS_SUB_##record ? (high) - (low) + 1 : 0, \
	 .sub = sub_, \
	 .fields = fields_##record, \
	 .parts = parts_##record},
#define FXT_RECORD_END(name)
#include "format/fxt.def"
};

const uint64_t fxt_used[2][FXT_RECORDS] = {
	{
#define FXT_RECORD(name, type, low, high, sub, title) \
	HEAD_BITS(type) | (HAS_SUB_##name ? MASK(low, high) : 0)
#define FXT_FIELD(record, field, word, low, high, kind) | ((word) == 0 ? MASK(low, high) : 0)
#define FXT_RECORD_END(name) ,
#include "format/fxt.def"
	},
	{
#define FXT_RECORD(name, type, low, high, sub, title) 0
#define FXT_FIELD(record, field, word, low, high, kind) | ((word) == 1 ? MASK(low, high) : 0)
#define FXT_RECORD_END(name) ,
#include "format/fxt.def"
	},
};

static int is_record(const struct fxt_record *record, uint64_t header)
{
	return record->type == fxt_type(header) &&
	       (header >> record->sub_low & (((uint64_t)1 << record->sub_width) - 1)) ==
	               record->sub;
}

const struct fxt_record *fxt_record_find(uint64_t header)
{
	for (int i = 0; i < FXT_RECORDS; i++)
		if (is_record(&fxt_records[i], header))
			return &fxt_records[i];
	return NULL;
}

static const struct {
	const char *title, *word;
} events[] = {
#define FXT_EVENT(name, kind, word, title) [kind] = {title, word},
#include "format/fxt.def"
};

static const char *const arguments[] = {
#define FXT_ARGUMENT(name, type, title) [type] = title,
#include "format/fxt.def"
};

static const char *const states[] = {
#define FXT_STATE(name, value, title) [value] = title,
#include "format/fxt.def"
};

const char *fxt_event_title(unsigned kind)
{
	return kind < sizeof(events) / sizeof(events[0]) ? events[kind].title : NULL;
}

const char *fxt_event_word(unsigned kind)
{
	return kind < sizeof(events) / sizeof(events[0]) ? events[kind].word : NULL;
}

const char *fxt_argument_title(unsigned type)
{
	return type < sizeof(arguments) / sizeof(arguments[0]) ? arguments[type] : NULL;
}

const char *fxt_state_title(unsigned state)
{
	return state < sizeof(states) / sizeof(states[0]) ? states[state] : NULL;
}
