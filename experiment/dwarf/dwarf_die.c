/* dwarf_die.c: reads by die.h the functions and inlined calls of units whose entries are all in one
 * file.
 * See doc/decisions/20-debug-entries.md. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/elf/binary.h"
#include "experiment/elf/object.h"
#include "experiment/table/arena.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 512, /* of calls and blocks in a function */
	NESTING_MAX = 32 /* of namespaces and types around a function */
};

/* The virtual address of a file's first segment: a debug file whose addresses are others than its
 * object's (prelink(8)) is for libdw. Returns 0 or -ENOENT. */
static int first_address(Elf *elf, GElf_Addr *out)
{
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count) != 0)
		return -ENOENT;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		*out = header.p_vaddr;
		return 0;
	}
	return -ENOENT;
}

/* Open the sections of a file, which is taken. Returns 0, -ENOTSUP or -ENOMEM. */
static int open_file(struct exp_dwarf *dwarf, int fd)
{
	GElf_Addr own, other;
	int rc;

	dwarf->fd = fd;
	if (fd < 0)
		return -ENOTSUP;
	dwarf->elf = exp_elf_begin(fd);
	if (first_address(dwarf->elf, &own) != 0 ||
	    first_address(dwarf->binary->elf, &other) != 0 || own != other)
		return -ENOTSUP;
	rc = exp_debug_sections_open(dwarf->elf, &dwarf->debug_sections);
	return rc == 0 && dwarf->debug_sections.of[EXP_DEBUG_INFO].size == 0 ? -ENOTSUP : rc;
}

static void close_file(struct exp_dwarf *dwarf)
{
	exp_debug_sections_close(&dwarf->debug_sections);
	elf_end(dwarf->elf);
	if (dwarf->fd >= 0)
		close(dwarf->fd);
	dwarf->elf = NULL;
	dwarf->fd = -1;
}

int exp_dwarf_die_open(struct exp_dwarf *dwarf)
{
	int fds[] = {dwarf->binary->fd, dwarf->binary->debug_fd};
	int rc = -ENOTSUP;

	dwarf->fd = -1;
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]) && rc == -ENOTSUP; i++) {
		rc = fds[i] < 0 ? -ENOTSUP : open_file(dwarf, fcntl(fds[i], F_DUPFD_CLOEXEC, 0));
		if (rc != 0)
			close_file(dwarf);
	}
	if (rc != 0)
		return rc;
	dwarf->dies = malloc(sizeof(*dwarf->dies));
	if (!dwarf->dies) {
		close_file(dwarf);
		return -ENOMEM;
	}
	exp_dies_init(dwarf->dies, &dwarf->debug_sections);
	return 0;
}

void exp_dwarf_die_close(struct exp_dwarf *dwarf)
{
	if (!dwarf->dies)
		return;
	exp_dies_fini(dwarf->dies);
	free(dwarf->dies);
	close_file(dwarf);
}

static int take_indexed(void *context, uint64_t start, uint64_t end, uint64_t unit)
{
	return exp_dwarf_ranges_add(context, start, end, unit);
}

/* Ranges of one unit on their way to those of all. */
struct unit_ranges {
	struct exp_dwarf_ranges *to;
	const struct exp_die_unit *unit;
};

static int take_range(void *context, uint64_t start, uint64_t end)
{
	const struct unit_ranges *ranges = context;

	return exp_dwarf_ranges_add(ranges->to, start, end, ranges->unit->start);
}

static void make_ranges(struct exp_dwarf *dwarf)
{
	struct unit_ranges ranges = {.to = &dwarf->ranges};
	struct exp_die_unit *unit = NULL;
	struct exp_die die;

	while ((unit = exp_dies_unit_next(dwarf->dies, unit))) {
		ranges.unit = unit;
		if (exp_die_read(dwarf->dies, unit, unit->first, &die) == 0 && die.tag != 0 &&
		    exp_die_each_range(dwarf->dies, &die, take_range, &ranges) != 0)
			break;
	}
	exp_dwarf_ranges_sort(&dwarf->ranges);
}

int exp_dwarf_die_find(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Off *out)
{
	struct exp_die_unit *unit;
	Dwarf_Off start;

	if (!dwarf->index.is_made) {
		exp_dies_each_indexed(dwarf->dies, take_indexed, &dwarf->index);
		exp_dwarf_ranges_sort(&dwarf->index);
	}
	if (exp_dwarf_ranges_find(&dwarf->index, address, &start) != 0) {
		if (!dwarf->ranges.is_made)
			make_ranges(dwarf);
		if (exp_dwarf_ranges_find(&dwarf->ranges, address, &start) != 0)
			return -ENOENT;
	}
	unit = exp_dies_unit_at(dwarf->dies, start);
	if (!unit || unit->start != start)
		return -ENOENT;
	*out = unit->first;
	return 0;
}

int exp_dwarf_die_unit(struct exp_dwarf *dwarf, Dwarf_Off offset, struct exp_dwarf_unit *out)
{
	struct exp_die_unit *unit = exp_dies_unit_at(dwarf->dies, offset);

	if (!unit || !unit->abbrevs || unit->is_split)
		return -1;
	out->reader = &exp_dwarf_die_reader;
	out->unit = unit;
	out->directory = unit->directory;
	out->stmt_list = unit->stmt_list;
	return 0;
}

static int take_code(void *context, uint64_t start, uint64_t end)
{
	return exp_dwarf_add_code(context, start, end);
}

static int add_function(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                        const struct exp_die *die)
{
	const union exp_dwarf_entry entry = {.offset = die->offset};

	if (exp_die_each_range(dwarf->dies, die, take_code, unit) != 0)
		return -ENOMEM;
	return exp_dwarf_add_function(unit, &entry);
}

/* Gather the functions below an entry. On return `die` is at the end of the list
 * of its children, where its next sibling follows; or reading has failed. Returns 0 or -errno. */
static int gather_functions(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                            struct exp_die *die, int depth)
{
	int rc = exp_die_read(dwarf->dies, unit->unit, die->behind, die);

	while (rc == 0 && die->tag != 0) {
		int is_below = die->has_children && depth < NESTING_MAX &&
		               exp_dwarf_is_scope(die->tag);

		if (die->tag == DW_TAG_subprogram)
			rc = add_function(dwarf, unit, die);
		if (rc == 0 && is_below)
			rc = gather_functions(dwarf, unit, die, depth + 1);
		if (rc == 0)
			rc = is_below ? exp_die_read(dwarf->dies, unit->unit, die->behind, die)
			              : exp_die_next(dwarf->dies, die);
	}
	return rc;
}

static void read_functions(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit)
{
	struct exp_die die;

	if (exp_die_read(dwarf->dies, unit->unit, unit->unit->first, &die) == 0 && die.has_children)
		gather_functions(dwarf, unit, &die, 0);
}

static int take_call_range(void *context, uint64_t start, uint64_t end)
{
	return exp_dwarf_add_call_range(context, start, end);
}

static uint32_t add_call(struct exp_dwarf *dwarf, const struct exp_die *die, uint32_t parent)
{
	const union exp_dwarf_entry entry = {.offset = die->offset};
	uint32_t index = exp_dwarf_add_call(dwarf, &entry, parent);

	if (index != UINT32_MAX &&
	    exp_die_each_range(dwarf->dies, die, take_call_range, dwarf) != 0)
		return UINT32_MAX;
	return index;
}

/* Add the calls below an entry. Blocks stand between calls and mean nothing here. Goes as
 * gather_functions. */
static int gather_calls(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit, struct exp_die *die,
                        uint32_t outer, int depth)
{
	int rc = exp_die_read(dwarf->dies, unit->unit, die->behind, die);

	while (rc == 0 && die->tag != 0) {
		int is_call = die->tag == DW_TAG_inlined_subroutine;
		int is_below = die->has_children && depth < DEPTH_MAX &&
		               (is_call || die->tag == DW_TAG_lexical_block);
		uint32_t at = is_call ? add_call(dwarf, die, outer) : outer;

		if (at == UINT32_MAX)
			return -ENOMEM;
		if (is_below)
			rc = gather_calls(dwarf, unit, die, at, depth + 1);
		if (is_call)
			exp_dwarf_end_call(dwarf, at);
		if (rc == 0)
			rc = is_below ? exp_die_read(dwarf->dies, unit->unit, die->behind, die)
			              : exp_die_next(dwarf->dies, die);
	}
	return rc;
}

static void read_calls(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                       const struct exp_dwarf_function *function)
{
	struct exp_die die;

	if (exp_die_read(dwarf->dies, unit->unit, function->entry.offset, &die) == 0 &&
	    add_call(dwarf, &die, 0) == 0 && die.has_children)
		gather_calls(dwarf, unit, &die, 0, 0);
}

/* The file that an attribute names by its number, or NULL. */
static const char *file_of(struct exp_dwarf *dwarf, const struct exp_die *die,
                           enum exp_die_attribute attribute)
{
	const struct exp_die_unit *unit = die->unit;
	struct exp_line_table *table = NULL;
	uint64_t number;

	if (exp_die_number(die, attribute, &number) != 0 || number > UINT32_MAX)
		return NULL;
	if (unit->stmt_list != UINT64_MAX)
		table = exp_dwarf_lines(dwarf, unit->stmt_list, unit->directory);
	return !table ? NULL : exp_line_table_file(table, (unsigned)number);
}

/* An attribute of an entry, or of the one that it is an instance of. */
static int integrate(struct exp_dwarf *dwarf, const struct exp_die *die,
                     enum exp_die_attribute attribute, struct exp_die *at)
{
	*at = *die;
	return exp_die_integrate(dwarf->dies, at, attribute);
}

static const char *text_of(struct exp_dwarf *dwarf, const struct exp_die *die,
                           enum exp_die_attribute attribute)
{
	struct exp_die at;

	return integrate(dwarf, die, attribute, &at) == 0
	               ? exp_die_text(dwarf->dies, &at, attribute)
	               : NULL;
}

static unsigned line_of(const struct exp_die *die, enum exp_die_attribute attribute)
{
	uint64_t line;

	return exp_die_number(die, attribute, &line) == 0 && line <= INT32_MAX ? (unsigned)line : 0;
}

/* A lambda's function is declared nowhere; its type, which it stands below, is. */
static void place_lambda(struct exp_dwarf *dwarf, const struct exp_die *die,
                         struct exp_dwarf_frame *callee)
{
	struct exp_die at, type;

	if (integrate(dwarf, die, EXP_DIE_NAME, &at) != 0 ||
	    exp_die_parent(dwarf->dies, &at, &type) != 0)
		return;
	callee->decl_file = file_of(dwarf, &type, EXP_DIE_DECL_FILE);
	callee->decl_line = line_of(&type, EXP_DIE_DECL_LINE);
}

static void describe(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                     union exp_dwarf_entry *entry, int is_call, struct exp_dwarf_described *out)
{
	struct exp_dwarf_frame *callee = &out->callee;
	struct exp_die die, at;

	if (exp_die_read(dwarf->dies, unit->unit, entry->offset, &die) != 0)
		return;
	callee->linkage_name = text_of(dwarf, &die, EXP_DIE_LINKAGE_NAME);
	if (!callee->linkage_name)
		callee->linkage_name = text_of(dwarf, &die, EXP_DIE_MIPS_LINKAGE_NAME);
	if (!callee->linkage_name)
		callee->name = text_of(dwarf, &die, EXP_DIE_NAME);
	if (integrate(dwarf, &die, EXP_DIE_DECL_FILE, &at) == 0)
		callee->decl_file = file_of(dwarf, &at, EXP_DIE_DECL_FILE);
	if (integrate(dwarf, &die, EXP_DIE_DECL_LINE, &at) == 0)
		callee->decl_line = line_of(&at, EXP_DIE_DECL_LINE);
	if (callee->name && callee->decl_line == 0 &&
	    strncmp(callee->name, "operator()", strlen("operator()")) == 0)
		place_lambda(dwarf, &die, callee);
	if (!is_call)
		return;
	out->line = line_of(&die, EXP_DIE_CALL_LINE);
	out->file = file_of(dwarf, &die, EXP_DIE_CALL_FILE);
}

static void compilation(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                        struct exp_dwarf_compilation *out)
{
	struct exp_die die;

	out->version = unit->unit->version;
	if (exp_die_read(dwarf->dies, unit->unit, unit->unit->first, &die) != 0)
		return;
	out->name = exp_die_text(dwarf->dies, &die, EXP_DIE_NAME);
	out->producer = exp_die_text(dwarf->dies, &die, EXP_DIE_PRODUCER);
}

const struct exp_dwarf_reader exp_dwarf_die_reader = {
	.functions = read_functions,
	.calls = read_calls,
	.describe = describe,
	.compilation = compilation,
};
