/* linetable_header.c: reads the header of a line table (DWARF 5, section 6.2.4; DWARF 2 to 4,
 * section 6.2.4): how its program is encoded, its directories and its files.
 * See doc/decisions/19-line-tables.md. */
#include "experiment/dwarf/linetable_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum { MD5_SIZE = 16, FORMATS_MAX = 255 };

/* A string of another section. */
static const char *string_at(const struct exp_line_section *section, uint64_t offset)
{
	if (offset >= section->size ||
	    !memchr(section->bytes + offset, '\0', section->size - offset))
		return "";
	return (const char *)section->bytes + offset;
}

static int add_directory(struct exp_line_table *table, const char *name)
{
	int rc = exp_array_reserve(&table->directories, &table->directory_capacity,
	                           table->directory_count, sizeof(*table->directories));

	if (rc == 0)
		table->directories[table->directory_count++] = name;
	return rc;
}

static int add_file(struct exp_line_table *table, struct exp_line_file file)
{
	int rc = exp_array_reserve(&table->files, &table->file_capacity, table->file_count,
	                           sizeof(*table->files));

	if (rc == 0)
		table->files[table->file_count++] = file;
	return rc;
}

/* DWARF 2 to 4: directories and files are lists that end with an empty name. Both are numbered from
 * 1: directory 0 is that of the compilation, file 0 is none. */
static int read_old_names(struct exp_line_table *table, struct exp_reader *in)
{
	int rc = add_file(table, (struct exp_line_file){.name = ""});
	const char *name;

	while (rc == 0 && !in->is_bad && (name = exp_read_string(in))[0] != '\0')
		rc = add_directory(table, name);
	while (rc == 0 && !in->is_bad && (name = exp_read_string(in))[0] != '\0') {
		uint64_t directory = exp_read_uleb(in);

		exp_read_uleb(in); /* time of the last change: compilers write 0 */
		exp_read_uleb(in); /* size: the same */
		rc = add_file(table,
		              (struct exp_line_file){.name = name, .directory = directory - 1});
	}
	return rc;
}

/* What one entry of a DWARF 5 list says. */
struct entry {
	const char *name;
	uint64_t directory;
	const uint8_t *md5;
};

/* One value of an entry. Returns 0, or -ENOTSUP: a form that is not known here. */
static int read_value(struct exp_line_table *table, struct exp_reader *in, uint64_t content,
                      uint64_t form, struct entry *entry)
{
	const char *text = NULL;
	const uint8_t *bytes = in->at;
	uint64_t number = 0;

	switch (form) {
	case DW_FORM_string:
		text = exp_read_string(in);
		break;
	case DW_FORM_line_strp:
		text = string_at(&table->sections->line_str,
		                 exp_read_fixed(in, table->offset_size));
		break;
	case DW_FORM_strp:
		text = string_at(&table->sections->str, exp_read_fixed(in, table->offset_size));
		break;
	case DW_FORM_udata:
		number = exp_read_uleb(in);
		break;
	case DW_FORM_data1:
		number = exp_read_fixed(in, 1);
		break;
	case DW_FORM_data2:
		number = exp_read_fixed(in, 2);
		break;
	case DW_FORM_data4:
		number = exp_read_fixed(in, 4);
		break;
	case DW_FORM_data8:
		number = exp_read_fixed(in, 8);
		break;
	case DW_FORM_data16:
		exp_read_skip(in, MD5_SIZE);
		break;
	case DW_FORM_block:
		exp_read_skip(in, exp_read_uleb(in));
		break;
	default:
		return -ENOTSUP;
	}
	if (content == DW_LNCT_path && text)
		entry->name = text;
	if (content == DW_LNCT_directory_index)
		entry->directory = number;
	if (content == DW_LNCT_MD5 && form == DW_FORM_data16 && !in->is_bad)
		entry->md5 = bytes;
	return 0;
}

/* DWARF 5: a description of entries, then the entries; numbered from 0. */
static int read_list(struct exp_line_table *table, struct exp_reader *in, int is_files)
{
	uint64_t contents[FORMATS_MAX], forms[FORMATS_MAX], count;
	unsigned format_count = (unsigned)exp_read_fixed(in, 1);
	int rc = 0;

	for (unsigned i = 0; i < format_count; i++) {
		contents[i] = exp_read_uleb(in);
		forms[i] = exp_read_uleb(in);
	}
	count = exp_read_uleb(in);
	for (uint64_t n = 0; n < count && format_count != 0 && !in->is_bad && rc == 0; n++) {
		struct entry entry = {.name = ""};

		for (unsigned i = 0; i < format_count && rc == 0; i++)
			rc = read_value(table, in, contents[i], forms[i], &entry);
		if (rc == 0)
			rc = is_files
			             ? add_file(table,
			                        (struct exp_line_file){.name = entry.name,
			                                               .directory = entry.directory,
			                                               .md5 = entry.md5})
			             : add_directory(table, entry.name);
	}
	return rc;
}

static int read_names(struct exp_line_table *table, struct exp_reader *in)
{
	int rc;

	if (table->version < 5)
		return read_old_names(table, in);
	rc = read_list(table, in, 0);
	return rc == 0 ? read_list(table, in, 1) : rc;
}

/* The encoding of the program. Returns 0 or -ENOTSUP. */
static int read_encoding(struct exp_line_table *table, struct exp_reader *in)
{
	unsigned operations = 1;

	table->instruction_size = (unsigned)exp_read_fixed(in, 1);
	if (table->version >= 4)
		operations = (unsigned)exp_read_fixed(in, 1);
	exp_read_fixed(in, 1); /* whether rows begin statements, at first */
	table->line_base = (int8_t)exp_read_fixed(in, 1);
	table->line_range = (unsigned)exp_read_fixed(in, 1);
	table->opcode_base = (unsigned)exp_read_fixed(in, 1);
	table->opcode_lengths = in->at;
	exp_read_skip(in, table->opcode_base == 0 ? 0 : table->opcode_base - 1);
	/* Several operations in an instruction: on processors that Xer does not support. */
	return operations > 1 || table->line_range == 0 || table->opcode_base == 0 ? -ENOTSUP : 0;
}

int exp_line_header_read(struct exp_line_table *table, uint64_t offset)
{
	const struct exp_line_section *line = &table->sections->line;
	struct exp_reader in = {.is_big_endian = table->sections->is_big_endian}, names;
	uint64_t length;
	int rc;

	if (offset >= line->size)
		return -EBADMSG;
	in.at = line->bytes + offset;
	in.end = line->bytes + line->size;
	table->offset_size = 4;
	length = exp_read_fixed(&in, 4);
	if (length == 0xffffffff) { /* the 64-bit format */
		table->offset_size = 8;
		length = exp_read_fixed(&in, 8);
	}
	if (in.is_bad || length > (uint64_t)(in.end - in.at))
		return -EBADMSG;
	in.end = in.at + length;
	table->version = (unsigned)exp_read_fixed(&in, 2);
	if (table->version < 2 || table->version > 5)
		return -ENOTSUP;
	if (table->version == 5)
		exp_read_skip(
			&in, 2); /* sizes of addresses, which operands say again, and of segments */
	length = exp_read_fixed(&in, table->offset_size);
	names = in;
	exp_read_skip(&in, length);
	if (in.is_bad)
		return -EBADMSG;
	table->program = in;
	names.end = in.at;
	rc = read_encoding(table, &names);
	if (rc == 0)
		rc = read_names(table, &names);
	return rc == 0 && names.is_bad ? -EBADMSG : rc;
}
