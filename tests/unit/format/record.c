/* record.c: tests of the record tables. */
#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

static size_t type_size(unsigned type)
{
	return (size_t[]){1, 2, 4, 6, 8, 16}[type];
}

Test(record, fields_cover_each_record_without_gaps)
{
	for (size_t i = 0; i < fmt_record_count; i++) {
		const struct fmt_record *record = &fmt_records[i];
		size_t at = 0;

		for (size_t j = 0; j < record->field_count; j++) {
			cr_assert(record->fields[j].offset == at, "%s.%s", record->name,
			          record->fields[j].name);
			cr_assert(record->fields[j].kind == record->kind);
			at += type_size(record->fields[j].type);
		}
		cr_assert(at == record->size, "%s", record->name);
		cr_assert(record->size % 16 == 0, "%s: payloads are multiples of 16", record->name);
		cr_assert((record->kind & 9) == 0, "%s: its first word reads as a function record",
		          record->name);
		cr_assert_str_eq(record->fields[0].name, "kind");
		cr_assert(record->fields[0].offset == 0);
	}
}

Test(record, kinds_are_unique_and_found)
{
	for (size_t i = 0; i < fmt_record_count; i++) {
		cr_assert(fmt_records[i].kind != 0);
		cr_assert(fmt_record_find(fmt_records[i].kind) == &fmt_records[i]);
	}
	cr_assert(!fmt_record_find(0));
	cr_assert(!fmt_record_find(255));
}

Test(record, kinds_are_never_renumbered)
{
	static const struct {
		unsigned kind;
		const char *name;
	} published[] = {{2, "clock"},      {16, "heap_alloc"}, {18, "heap_alloc_wide"},
	                 {20, "heap_free"}, {32, "usage"},      {34, "thread"},
	                 {48, "nodes"},     {64, "sync"},       {80, "io"},
	                 {82, "io_file"}};

	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		cr_assert_str_eq(fmt_record_find(published[i].kind)->name, published[i].name);
}

Test(record, u48_round_trip)
{
	struct fmt_u48 at;
	static const uint64_t values[] = {0, 1, 0x7fffffffffff, 0xffffffffffff, 0x123456789abc};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		cr_assert(fmt_u48_fits(values[i]));
		fmt_u48_put(&at, values[i]);
		cr_assert(fmt_u48_get(&at) == values[i]);
	}
	cr_assert(!fmt_u48_fits(1ull << 48));
}

/* For every type: all values in order, each with a spelling, and no others. */
Test(record, enumerated_values_are_found_in_order)
{
	static const struct {
		const char *type;
		unsigned value;
	} all[] = {
#define ENUM(type)
#define ENUM_VALUE(type, name, value, spelling) {#type, value},
#define ENUM_END(type)
#include "format/enums.def"
	};
	size_t count = sizeof(all) / sizeof(all[0]), found = 0;

	for (size_t i = 0; i < count; i++) {
		int is_first = i == 0 || strcmp(all[i].type, all[i - 1].type) != 0;

		cr_assert(fmt_enum_name(all[i].type, all[i].value) != NULL);
		cr_assert_eq(fmt_enum_next(all[i].type, (int)all[i].value - 1), (int)all[i].value);
		for (int value = -1; is_first && (value = fmt_enum_next(all[i].type, value)) >= 0;
		     found++)
			cr_assert(fmt_enum_name(all[i].type, (unsigned)value) != NULL);
	}
	cr_assert_eq(found, count);
	cr_assert_eq(fmt_enum_next("heap_func", 1000), -1);
	cr_assert_eq(fmt_enum_next("nothing", -1), -1);
}

Test(record, enumerations_have_spellings)
{
	cr_assert_str_eq(fmt_enum_name("heap_func", FMT_heap_func_REALLOCARRAY), "reallocarray");
	cr_assert_str_eq(fmt_enum_name("clock_state", FMT_clock_state_SYSTEM), "system");
	cr_assert(!fmt_enum_name("heap_func", 200));
	cr_assert(!fmt_enum_name("heap_func", FMT_map_func_BRK + 1000));
	cr_assert(!fmt_enum_name("nothing", 1));
	cr_assert(!fmt_field_type_name(99));
	cr_assert_str_eq(fmt_field_type_name(FMT_u48), "u48");
}

/* The lowest four bits of the word that the two fields make are 0. */
Test(record, ticks_of_more_than_48_bits)
{
	const uint64_t values[] = {0, 1, (UINT64_C(1) << 48) - 1, UINT64_C(1) << 48,
	                           (UINT64_C(1) << 60) - 1};
	struct {
		uint16_t high;
		struct fmt_u48 low;
	} at;
	uint64_t word;

	cr_assert_eq(sizeof(at), sizeof(word));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		fmt_ticks_put(&at.high, &at.low, values[i]);
		cr_assert_eq(fmt_ticks_get(at.high, &at.low), values[i]);
		memcpy(&word, &at, sizeof(word));
		cr_assert_eq(word & 15, 0);
	}
}
