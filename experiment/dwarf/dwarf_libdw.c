/* dwarf_libdw.c: reads by libdw what die.h cannot. Units may be split: then the skeleton in the
 * object has the addresses and lines, and a .dwo file, or a package of them, has the functions.
 * See doc/decisions/20-debug-entries.md and doc/decisions/69-untrusted-values.md. */
#include "experiment/dwarf/dwarf_unit.h"
#include "experiment/elf/binary.h"
#include "experiment/elf/object.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	DEPTH_MAX = 512, /* of calls and blocks in a function */
	NESTING_MAX = 32 /* of namespaces and types around one */
};

/* A string of the skeleton itself: dwarf_attr_integrate would look in the split unit. */
static const char *own_text(Dwarf_Die *skeleton, unsigned name)
{
	Dwarf_Attribute attribute;

	return !dwarf_attr(skeleton, name, &attribute) ? NULL : dwarf_formstring(&attribute);
}

static const char *split_name(Dwarf_Die *skeleton)
{
	const char *name = own_text(skeleton, DW_AT_dwo_name);

	return name ? name : own_text(skeleton, DW_AT_GNU_dwo_name);
}

/* Is there nothing at a path, or a regular file? */
static int is_harmless(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* May libdw open a file of this name, relative to a directory, or, if that is relative or NULL,
 * below that of the file that names it? It opens it by itself, and would wait forever at a FIFO. */
static int may_open(const struct exp_dwarf *dwarf, const char *directory, const char *name)
{
	const int from[] = {dwarf->binary->fd, dwarf->binary->debug_fd};
	char path[3 * EXP_PLACE_MAX], place[EXP_PLACE_MAX];
	int may = 1;

	if (!name || name[0] == '/')
		return !name || is_harmless(name);
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]) && may; i++) {
		if (from[i] < 0 || exp_descriptor_path(from[i], place) != 0 || !strrchr(place, '/'))
			continue;
		*strrchr(place, '/') = '\0';
		if (!directory)
			snprintf(path, sizeof(path), "%s/%s", place, name);
		else
			snprintf(path, sizeof(path), "%s/%s/%s", directory[0] == '/' ? "" : place,
			         directory, name);
		may = is_harmless(path);
	}
	return may;
}

Dwarf *exp_dwarf_libdw(struct exp_dwarf *dwarf)
{
	const char *shared;
	const void *build_id;
	Dwarf_Addr bias;

	if (dwarf->is_libdw_tried)
		return dwarf->dwarf;
	dwarf->is_libdw_tried = 1;
	dwarf->dwarf = dwfl_module_getdwarf(dwarf->binary->module, &bias);
	if (dwarf->dwarf && dwelf_dwarf_gnu_debugaltlink(dwarf->dwarf, &shared, &build_id) > 0 &&
	    !may_open(dwarf, NULL, shared))
		dwarf->dwarf = NULL;
	if (dwarf->dwarf && !dwarf->dies)
		dwarf->bias = dwarf->binary->bias - bias;
	/* The other reader has found addresses that are those of the binary. */
	if (dwarf->dies && dwarf->binary->bias != bias)
		dwarf->dwarf = NULL;
	return dwarf->dwarf;
}

static void make_ranges(struct exp_dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(dwarf->dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Addr base, start, end;
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0)
			if (exp_dwarf_ranges_add(&dwarf->ranges, start, end,
			                         dwarf_dieoffset(&die)) != 0)
				break;
	}
	exp_dwarf_ranges_sort(&dwarf->ranges);
}

int exp_dwarf_libdw_find(struct exp_dwarf *dwarf, Dwarf_Addr address, Dwarf_Off *out)
{
	Dwarf_Die die;

	if (!exp_dwarf_libdw(dwarf))
		return -ENOENT;
	if (dwarf_addrdie(dwarf->dwarf, address, &die)) {
		*out = dwarf_dieoffset(&die);
		return 0;
	}
	if (!dwarf->ranges.is_made)
		make_ranges(dwarf);
	return exp_dwarf_ranges_find(&dwarf->ranges, address, out);
}

/* Text of an attribute of a DIE or of what it is an instance of, or NULL. */
static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return !dwarf_attr_integrate(die, name, &attribute) ? NULL : dwarf_formstring(&attribute);
}

static uint64_t stmt_list_of(const struct exp_dwarf *dwarf, Dwarf_CU *cu, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (dwarf_cu_getdwarf(cu) != dwarf->dwarf ||
	    dwarf_cu_info(cu, NULL, NULL, die, NULL, NULL, NULL, NULL) != 0 ||
	    !dwarf_attr(die, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0)
		return UINT64_MAX;
	return offset;
}

/* Is what stands in place of a package something else, such as a FIFO? libdw would wait for that.
 */
static int is_odd_package(const char *path)
{
	char name[EXP_PLACE_MAX];
	struct stat st;

	return path && snprintf(name, sizeof(name), "%s.dwp", path) < (int)sizeof(name) &&
	       stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The package of split units stands beside the program, or beside its separate debug file. */
static void open_package(struct exp_dwarf *dwarf)
{
	const int from[] = {dwarf->binary->fd, dwarf->binary->debug_fd};
	char places[2][EXP_PLACE_MAX];
	const char *paths[3] = {NULL, NULL, dwarf->binary->path};

	dwarf->is_package_tried = 1;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		paths[i] = from[i] >= 0 && exp_descriptor_path(from[i], places[i]) == 0 ? places[i]
		                                                                        : NULL;
		dwarf->is_package_odd |= is_odd_package(paths[i]);
	}
	dwarf->package = exp_dwarf_package_open(paths, sizeof(paths) / sizeof(paths[0]));
}

/* The split unit of a skeleton in the package. Returns 0 or -errno. */
static int find_in_package(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit)
{
	int rc = dwarf->package ? exp_dwarf_package_find(dwarf->package, dwarf->dwarf, &unit->die,
	                                                 &unit->packaged)
	                        : -ENOENT;

	if (rc != 0)
		return rc;
	unit->content = unit->packaged.die;
	if (unit->packaged.sections.line.size != 0)
		exp_line_table_open(&unit->packaged.sections, 0, unit->directory, &unit->files);
	return 0;
}

/* Find the split unit of a skeleton: in a part of the package, or in a file of its own, which libdw
 * looks for. Newer versions of libdw look into packages, too; 0.190 does not find inlined calls
 * there. */
static void find_split(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit)
{
	Dwarf_Die split;

	if (!dwarf->is_package_tried)
		open_package(dwarf);
	if (find_in_package(dwarf, unit) != 0 && !dwarf->is_package_odd &&
	    dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
	    dwarf_tag(&split) == DW_TAG_compile_unit)
		unit->content = split;
}

int exp_dwarf_libdw_unit(struct exp_dwarf *dwarf, Dwarf_Off offset, struct exp_dwarf_unit *out)
{
	Dwarf_Die die;
	uint8_t type;

	if (!exp_dwarf_libdw(dwarf) || !dwarf_offdie(dwarf->dwarf, offset, &out->die))
		return -1;
	out->reader = &exp_dwarf_libdw_reader;
	out->content = out->die;
	out->directory = own_text(&out->die, DW_AT_comp_dir);
	if (!may_open(dwarf, NULL, split_name(&out->die)) ||
	    !may_open(dwarf, out->directory, split_name(&out->die)))
		return -1;
	out->stmt_list = stmt_list_of(dwarf, out->die.cu, &die);
	if (dwarf_cu_info(out->die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton)
		find_split(dwarf, out);
	return 0;
}

static int add_function(struct exp_dwarf_unit *unit, Dwarf_Die *die)
{
	const union exp_dwarf_entry entry = {.libdw = *die};
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (exp_dwarf_add_code(unit, start, end) != 0)
			return -ENOMEM;
	return exp_dwarf_add_function(unit, &entry);
}

/* Gather the functions below a DIE. */
static void gather_functions(struct exp_dwarf_unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > NESTING_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && add_function(unit, &die) != 0)
			return;
		if (exp_dwarf_is_scope((unsigned)tag))
			gather_functions(unit, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_functions(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit)
{
	(void)dwarf;
	gather_functions(unit, &unit->content, 0);
}

static uint32_t add_call(struct exp_dwarf *dwarf, Dwarf_Die *die, uint32_t parent)
{
	const union exp_dwarf_entry entry = {.libdw = *die};
	uint32_t index = exp_dwarf_add_call(dwarf, &entry, parent);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (index != UINT32_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (exp_dwarf_add_call_range(dwarf, start, end) != 0)
			return UINT32_MAX;
	return index;
}

/* Add the calls below a DIE. Blocks stand between calls and mean nothing here. */
static void gather_calls(struct exp_dwarf *dwarf, Dwarf_Die *parent, uint32_t outer, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		uint32_t at = outer;
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			at = add_call(dwarf, &die, outer);
		if (at == UINT32_MAX)
			return;
		gather_calls(dwarf, &die, at, depth + 1);
		if (at != outer)
			exp_dwarf_end_call(dwarf, at);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void read_calls(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                       const struct exp_dwarf_function *function)
{
	Dwarf_Die die = function->entry.libdw;

	(void)unit;
	if (add_call(dwarf, &die, 0) == 0)
		gather_calls(dwarf, &die, 0, 0);
}

/* The file that an attribute of a unit names by its number, or NULL. */
static const char *file_of(struct exp_dwarf *dwarf, const struct exp_dwarf_unit *unit,
                           Dwarf_Attribute *attribute)
{
	struct exp_line_table *table = NULL;
	Dwarf_Files *files;
	Dwarf_Word number;
	uint64_t offset;
	size_t count;
	Dwarf_Die die;

	if (dwarf_formudata(attribute, &number) != 0)
		return NULL;
	if (unit->files)
		return exp_line_table_file(unit->files, (unsigned)number);
	/* In DWARF 4 of clang a split unit has the numbers of its skeleton. */
	if (unit->packaged.dwarf && unit->packaged.sections.line.size == 0 &&
	    unit->stmt_list != UINT64_MAX)
		table = exp_dwarf_lines(dwarf, unit->stmt_list, unit->directory);
	offset = stmt_list_of(dwarf, attribute->cu, &die);
	if (offset != UINT64_MAX)
		table = exp_dwarf_lines(dwarf, offset, text_of(&die, DW_AT_comp_dir));
	if (table)
		return exp_line_table_file(table, (unsigned)number);
	if (dwarf_cu_info(attribute->cu, NULL, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles(&die, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* A lambda's function is declared nowhere; its type, which it stands below, is. */
static void place_lambda(struct exp_dwarf *dwarf, const struct exp_dwarf_unit *unit, Dwarf_Die *die,
                         struct exp_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin = *die, *scopes = NULL;
	int line;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	    !dwarf_formref_die(&attribute, &origin))
		return;
	if (dwarf_getscopes_die(&origin, &scopes) > 1) {
		if (dwarf_attr(&scopes[1], DW_AT_decl_file, &attribute))
			frame->decl_file = file_of(dwarf, unit, &attribute);
		if (dwarf_decl_line(&scopes[1], &line) == 0 && line > 0)
			frame->decl_line = (unsigned)line;
	}
	free(scopes);
}

static void describe_callee(struct exp_dwarf *dwarf, const struct exp_dwarf_unit *unit,
                            Dwarf_Die *die, struct exp_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	int line;

	frame->linkage_name = text_of(die, DW_AT_linkage_name);
	if (!frame->linkage_name)
		frame->linkage_name = text_of(die, DW_AT_MIPS_linkage_name);
	if (!frame->linkage_name)
		frame->name = dwarf_diename(die);
	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute))
		frame->decl_file = file_of(dwarf, unit, &attribute);
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		frame->decl_line = (unsigned)line;
	if (frame->name && frame->decl_line == 0 &&
	    strncmp(frame->name, "operator()", strlen("operator()")) == 0)
		place_lambda(dwarf, unit, die, frame);
}

static void describe(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                     union exp_dwarf_entry *entry, int is_call, struct exp_dwarf_described *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	describe_callee(dwarf, unit, &entry->libdw, &out->callee);
	if (!is_call)
		return;
	if (dwarf_attr(&entry->libdw, DW_AT_call_line, &attribute) &&
	    dwarf_formudata(&attribute, &number) == 0)
		out->line = (unsigned)number;
	if (dwarf_attr(&entry->libdw, DW_AT_call_file, &attribute))
		out->file = file_of(dwarf, unit, &attribute);
}

void exp_dwarf_libdw_line(struct exp_dwarf *dwarf, const struct exp_dwarf_unit *unit,
                          Dwarf_Addr address, const char **file, unsigned *out)
{
	Dwarf_Die die;
	Dwarf_Line *line;
	int number;

	if (!exp_dwarf_libdw(dwarf) || !dwarf_offdie(dwarf->dwarf, unit->offset, &die))
		return;
	line = dwarf_getsrc_die(&die, address);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	*out = (unsigned)number;
	*file = dwarf_linesrc(line, NULL, NULL);
}

static const char *missing_file(struct exp_dwarf_unit *unit)
{
	uint8_t type;

	if (unit->content.addr != unit->die.addr ||
	    dwarf_cu_info(unit->die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton)
		return NULL;
	return split_name(&unit->die);
}

/* What dwz has put into a file that the programs of a directory share. */
static const char *missing_shared(Dwarf *dwarf)
{
	const char *name;
	const void *build_id;

	return !dwarf_getalt(dwarf) && dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) > 0
	               ? name
	               : NULL;
}

static void compilation(struct exp_dwarf *dwarf, struct exp_dwarf_unit *unit,
                        struct exp_dwarf_compilation *out)
{
	Dwarf_Half version;

	out->name = dwarf_diename(&unit->content);
	out->producer = text_of(&unit->content, DW_AT_producer);
	out->missing = missing_file(unit);
	out->missing_shared = missing_shared(dwarf->dwarf);
	if (dwarf_cu_info(unit->die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0)
		out->version = version;
}

const struct exp_dwarf_reader exp_dwarf_libdw_reader = {
	.functions = read_functions,
	.calls = read_calls,
	.describe = describe,
	.compilation = compilation,
};
