/* linetable.c: runs the programs of line tables (DWARF 5, section 6.2.5), and finds the row of an
 * address.
 * See doc/decisions/19-line-tables.md. */
#include "experiment/dwarf/linetable_internal.h"
#include "experiment/table/arena.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_A_MARK = 32 };

/* What one step of a program made. */
enum step { STEP_NOTHING, STEP_ROW, STEP_END, STEP_OVER /* the program has no more steps */ };

struct exp_line_section exp_line_section_find(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return (struct exp_line_section){NULL, 0};
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strncmp(name, ".debug_", 7) != 0 || strcmp(name, wanted) != 0)
			continue;
		/* libdw may have decompressed it already. */
		if (header.sh_flags & SHF_COMPRESSED)
			elf_compress(section, 0, 0);
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf)
			return (struct exp_line_section){data->d_buf, data->d_size};
	}
	return (struct exp_line_section){NULL, 0};
}

void exp_line_sections_find(Elf *elf, struct exp_line_sections *out)
{
	GElf_Ehdr header;

	*out = (struct exp_line_sections){.is_big_endian = 0};
	if (!gelf_getehdr(elf, &header))
		return;
	out->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	out->line = exp_line_section_find(elf, ".debug_line");
	out->line_str = exp_line_section_find(elf, ".debug_line_str");
	out->str = exp_line_section_find(elf, ".debug_str");
}

static enum step step_extended(struct exp_reader *in, struct exp_line_state *state)
{
	uint64_t length = exp_read_uleb(in);
	struct exp_reader operand = *in;
	unsigned opcode;

	exp_read_skip(in, length);
	if (in->is_bad || length == 0)
		return STEP_NOTHING;
	operand.end = in->at;
	opcode = (unsigned)exp_read_fixed(&operand, 1);
	if (opcode == DW_LNE_set_address && length - 1 <= sizeof(uint64_t))
		state->address = exp_read_fixed(&operand, (unsigned)(length - 1));
	return opcode == DW_LNE_end_sequence ? STEP_END : STEP_NOTHING;
}

static void step_unknown(const struct exp_line_table *table, struct exp_reader *in, unsigned opcode)
{
	for (unsigned i = 0; i < table->opcode_lengths[opcode - 1]; i++)
		exp_read_uleb(in);
}

static enum step step_standard(const struct exp_line_table *table, struct exp_reader *in,
                               unsigned opcode, struct exp_line_state *state)
{
	switch (opcode) {
	case DW_LNS_copy:
		return STEP_ROW;
	case DW_LNS_advance_pc:
		state->address += table->instruction_size * exp_read_uleb(in);
		break;
	case DW_LNS_advance_line:
		state->line += (uint32_t)exp_read_sleb(in);
		break;
	case DW_LNS_set_file:
		state->file = (uint32_t)exp_read_uleb(in);
		break;
	case DW_LNS_const_add_pc:
		state->address += table->instruction_size *
		                  ((255 - table->opcode_base) / table->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		state->address += exp_read_fixed(in, 2);
		break;
	default:
		step_unknown(table, in, opcode);
		break;
	}
	return STEP_NOTHING;
}

static enum step step(const struct exp_line_table *table, struct exp_reader *in,
                      struct exp_line_state *state)
{
	unsigned opcode;

	if (in->at == in->end)
		return STEP_OVER;
	opcode = *in->at++;
	if (opcode >= table->opcode_base) {
		unsigned special = opcode - table->opcode_base;

		state->address += table->instruction_size * (special / table->line_range);
		state->line += (uint32_t)(table->line_base + (int)(special % table->line_range));
		return STEP_ROW;
	}
	return opcode == 0 ? step_extended(in, state) : step_standard(table, in, opcode, state);
}

static int add_mark(struct exp_line_table *table, const struct exp_line_state *state,
                    const uint8_t *at)
{
	int rc = exp_array_reserve(&table->marks, &table->mark_capacity, table->mark_count,
	                           sizeof(*table->marks));

	if (rc == 0)
		table->marks[table->mark_count++] = (struct exp_line_bookmark){*state, at, 0};
	return rc;
}

/* A sequence is over: its marks learn where it ends. One that is empty, or of code that the linker
 * dropped, has none. */
static void end_sequence(struct exp_line_table *table, size_t first, uint64_t end)
{
	if (first < table->mark_count &&
	    (table->marks[first].state.address == 0 || table->marks[first].state.address >= end))
		table->mark_count = first;
	for (size_t i = first; i < table->mark_count; i++)
		table->marks[i].end = end;
}

static int compare_marks(const void *a, const void *b)
{
	const struct exp_line_bookmark *x = a, *y = b;

	if (x->state.address != y->state.address)
		return x->state.address < y->state.address ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int make_marks(struct exp_line_table *table)
{
	static const struct exp_line_state begin = {.file = 1, .line = 1};
	struct exp_reader in = table->program;
	struct exp_line_state state = begin;
	size_t first = 0, rows = 0;
	enum step made;

	table->mark_count = 0;
	while ((made = step(table, &in, &state)) != STEP_OVER) {
		if (made == STEP_ROW && rows++ % ROWS_A_MARK == 0 &&
		    add_mark(table, &state, in.at) != 0)
			return -ENOMEM;
		if (made != STEP_END)
			continue;
		end_sequence(table, first, state.address);
		first = table->mark_count;
		state = begin;
		rows = 0;
	}
	table->mark_count = first; /* without those of a sequence that does not end */
	if (table->mark_count > 1)
		qsort(table->marks, table->mark_count, sizeof(*table->marks), compare_marks);
	return 0;
}

int exp_line_table_open(const struct exp_line_sections *sections, uint64_t offset,
                        const char *directory, struct exp_line_table **out)
{
	struct exp_line_table *table = exp_zeroed(1, sizeof(*table));
	int rc;

	if (!table)
		return -ENOMEM;
	table->sections = sections;
	table->directory = !directory ? "" : directory;
	rc = exp_line_header_read(table, offset);
	if (rc != 0)
		exp_line_table_close(table);
	else
		*out = table;
	return rc;
}

void exp_line_table_close(struct exp_line_table *table)
{
	if (!table)
		return;
	free(table->directories);
	free(table->files);
	free(table->marks);
	exp_arena_fini(&table->arena);
	free(table);
}

/* The last mark that is not beyond an address. */
static const struct exp_line_bookmark *find_mark(const struct exp_line_table *table,
                                                 uint64_t address)
{
	size_t low = 0, high = table->mark_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->marks[middle].state.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < table->marks[low - 1].end ? &table->marks[low - 1] : NULL;
}

int exp_line_table_find(struct exp_line_table *table, uint64_t address, unsigned *file,
                        unsigned *line)
{
	const struct exp_line_bookmark *mark;
	struct exp_reader in = table->program;
	struct exp_line_state state, row;
	enum step made;

	/* Many tables are opened only for the names of files. */
	if (!table->has_marks && make_marks(table) != 0)
		return -ENOENT;
	table->has_marks = 1;
	mark = find_mark(table, address);
	if (!mark)
		return -ENOENT;
	state = row = mark->state;
	in.at = mark->at;
	/* What ends the sequence is beyond the address, or it had no mark. */
	while ((made = step(table, &in, &state)) != STEP_OVER) {
		if (made == STEP_NOTHING)
			continue;
		if (state.address > address)
			break;
		row = state;
	}
	*file = row.file;
	*line = row.line;
	return row.line == 0 ? -ENOENT : 0;
}

unsigned exp_line_table_file_end(const struct exp_line_table *table)
{
	return (unsigned)table->file_count;
}

const uint8_t *exp_line_table_md5(const struct exp_line_table *table, unsigned number)
{
	return number < table->file_count ? table->files[number].md5 : NULL;
}

/* A name in a directory; NULL if memory is out. */
static const char *join(struct exp_line_table *table, const char *directory, const char *name)
{
	if (!directory || directory[0] == '\0' || name[0] == '/')
		return name;
	return name[0] == '\0' ? directory
	                       : exp_arena_printf(&table->arena, "%s/%s", directory, name);
}

const char *exp_line_table_file(struct exp_line_table *table, unsigned number)
{
	struct exp_line_file *file = number < table->file_count ? &table->files[number] : NULL;
	const char *directory;

	if (!file || file->name[0] == '\0')
		return NULL;
	if (file->path)
		return file->path;
	directory = file->directory < table->directory_count ? table->directories[file->directory]
	                                                     : "";
	file->path = join(table, join(table, table->directory, directory), file->name);
	return file->path;
}
