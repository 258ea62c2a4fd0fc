/* Debug information without an ELF file: line tables, and entries. */
#include "tests/fuzz/targets/target.h"

#include "experiment/dwarf/abbrev.h"
#include "experiment/dwarf/die.h"
#include "experiment/dwarf/linetable.h"

#include <string.h>

void fuzz_lines(const uint8_t *bytes, size_t size)
{
	const struct exp_line_section all = {bytes, size};
	const struct exp_line_sections sections = {.line = all, .line_str = all, .str = all};
	struct exp_line_table *table;
	unsigned file, line;

	if (exp_line_table_open(&sections, 0, "/directory", &table) != 0)
		return;
	for (uint64_t address = 0; address < 0x4000; address += 0x111)
		if (exp_line_table_find(table, address, &file, &line) == 0)
			exp_line_table_file(table, file);
	for (unsigned i = 0; i < exp_line_table_file_end(table) && i < 64; i++) {
		exp_line_table_file(table, i);
		exp_line_table_md5(table, i);
	}
	exp_line_table_close(table);
}

static int count_range(void *context, uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
	return ++*(int *)context > 1000;
}

static int count_indexed(void *context, uint64_t start, uint64_t end, uint64_t unit)
{
	(void)unit;
	return count_range(context, start, end);
}

static void ask(struct exp_dies *dies, struct exp_die *die)
{
	struct exp_die other = *die;
	uint64_t number;
	int ranges = 0;

	for (unsigned i = 0; i < EXP_DIE_ATTRIBUTE_COUNT; i++) {
		const char *text;

		if (!exp_die_has(die, i))
			continue;
		exp_die_number(die, i, &number);
		exp_die_address(dies, die, i, &number);
		text = exp_die_text(dies, die, i);
		FUZZ_ASSERT(!text || strlen(text) < SIZE_MAX);
	}
	exp_die_each_range(dies, die, count_range, &ranges);
	exp_die_integrate(dies, &other, EXP_DIE_NAME);
	exp_die_refer(dies, die, EXP_DIE_ORIGIN, &other);
}

static void walk(struct exp_dies *dies)
{
	size_t left = 2000;

	for (struct exp_die_unit *unit = exp_dies_unit_next(dies, NULL); unit && left > 0;
	     unit = exp_dies_unit_next(dies, unit)) {
		struct exp_die die;

		for (uint64_t at = unit->first; left > 0 && exp_die_read(dies, unit, at, &die) == 0;
		     at = die.behind) {
			struct exp_die next = die;

			left--;
			FUZZ_ASSERT(die.behind > at && die.behind <= unit->end);
			if (die.tag == 0)
				continue;
			ask(dies, &die);
			if (exp_die_next(dies, &next) == 0)
				FUZZ_ASSERT(next.offset > die.offset);
		}
		left -= left > 0;
	}
}

void fuzz_entries(const uint8_t *bytes, size_t size)
{
	struct exp_debug_sections sections;
	struct exp_dies dies;
	size_t at = 2 * EXP_DEBUG_COUNT;
	int indexed = 0;

	if (size < at)
		return;
	memset(&sections, 0, sizeof(sections));
	for (unsigned i = 0; i < EXP_DEBUG_COUNT; i++) {
		struct exp_debug_section *section = &sections.of[i];
		size_t length = (size_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);

		section->size = section->ready = length < size - at ? length : size - at;
		section->bytes = bytes + at;
		at += section->size;
	}
	exp_dies_init(&dies, &sections);
	walk(&dies);
	exp_dies_each_indexed(&dies, count_indexed, &indexed);
	exp_dies_fini(&dies);
}
