/* cfi.c: find and run call frame instructions. See cfi.h.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/cfi.h"

#include "libcollector/base/leb.h"

#include <errno.h>
#include <string.h>

/* Pointer encodings of .eh_frame (DW_EH_PE_*). */
enum {
	PE_OMIT = 0xff,
	PE_FORMAT = 0x0f,
	PE_APPLY = 0x70,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80
};
enum {
	PE_PTR = 0,
	PE_ULEB = 1,
	PE_U2 = 2,
	PE_U4 = 3,
	PE_U8 = 4,
	PE_SLEB = 9,
	PE_S2 = 10,
	PE_S4 = 11,
	PE_S8 = 12
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
	uint8_t has_augmentation;
	uint8_t is_signal_frame;
	uint8_t return_reg;
	const uint8_t *code, *end;
};

struct fde {
	uint64_t start, len;
	const uint8_t *code, *end;
};

static uint64_t encoded_value(const uint8_t **at, unsigned encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ULEB:
		return leb_unsigned(at);
	case PE_SLEB:
		return (uint64_t)leb_signed(at);
	case PE_U2:
		return leb_fixed(at, 2, 0);
	case PE_S2:
		return leb_fixed(at, 2, 1);
	case PE_U4:
		return leb_fixed(at, 4, 0);
	case PE_S4:
		return leb_fixed(at, 4, 1);
	default:
		return leb_fixed(at, 8, 0);
	}
}

static uint64_t encoded(const uint8_t **at, unsigned encoding, uint64_t data)
{
	uint64_t place = (uint64_t)*at;
	uint64_t value;

	if (encoding == PE_OMIT)
		return 0;
	value = encoded_value(at, encoding);
	if (value == 0)
		return 0;
	if ((encoding & PE_APPLY) == PE_PCREL)
		value += place;
	else if ((encoding & PE_APPLY) == PE_DATAREL)
		value += data;
	return value;
}

static int parse_augmentation(const char *text, const uint8_t *at, struct cie *cie)
{
	for (; *text; text++) {
		switch (*text) {
		case 'R':
			cie->encoding = *at++;
			break;
		case 'P': {
			unsigned encoding = *at++;

			encoded_value(&at, encoding);
			break;
		}
		case 'L':
			at++;
			break;
		case 'S':
			cie->is_signal_frame = 1;
			break;
		case 'B':
		case 'G':
			break;
		default:
			return -ENOTSUP;
		}
	}
	return 0;
}

static int parse_cie(const uint8_t *at, struct cie *cie)
{
	uint32_t len = (uint32_t)leb_fixed(&at, 4, 0);
	const uint8_t *end = at + len;
	const char *augmentation;
	uint8_t version;

	if (len == 0xffffffff)
		return -ENOTSUP;
	at += 4;
	version = *at++;
	augmentation = (const char *)at;
	at += strlen(augmentation) + 1;
	if (version == 4)
		at += 2;
	memset(cie, 0, sizeof(*cie));
	cie->code_align = leb_unsigned(&at);
	cie->data_align = leb_signed(&at);
	cie->return_reg = version == 1 ? *at++ : (uint8_t)leb_unsigned(&at);
	cie->end = end;
	cie->code = at;
	if (*augmentation == '\0')
		return 0;
	if (*augmentation != 'z')
		return -ENOTSUP;
	len = (uint32_t)leb_unsigned(&at);
	cie->has_augmentation = 1;
	cie->code = at + len;
	return parse_augmentation(augmentation + 1, at, cie);
}

static int parse_fde(const uint8_t *at, struct cie *cie, struct fde *fde)
{
	uint32_t len = (uint32_t)leb_fixed(&at, 4, 0);
	const uint8_t *id = at;
	uint32_t back = (uint32_t)leb_fixed(&at, 4, 0);
	int error;

	if (len == 0xffffffff || back == 0)
		return -ENOTSUP;
	error = parse_cie(id - back, cie);
	if (error < 0)
		return error;
	fde->end = id + len;
	fde->start = encoded(&at, cie->encoding, 0);
	fde->len = encoded_value(&at, cie->encoding);
	if (cie->has_augmentation) {
		uint64_t skip = leb_unsigned(&at);

		at += skip;
	}
	fde->code = at;
	return 0;
}

/* The FDE whose range may contain pc, by the sorted table of .eh_frame_hdr. */
static const uint8_t *find_fde(const uint8_t *hdr, uint64_t pc)
{
	const int32_t *table; /* pairs: code address, FDE address, relative to hdr */
	int64_t relative = (int64_t)(pc - (uint64_t)hdr);
	uint32_t low = 0, high;
	const uint8_t *at = hdr + 4;

	if (hdr[0] != 1 || hdr[2] != PE_U4 || hdr[3] != (PE_DATAREL | PE_S4))
		return NULL;
	encoded_value(&at, hdr[1]);
	high = (uint32_t)leb_fixed(&at, 4, 0);
	table = (const int32_t *)at;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table[2 * middle] <= relative)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : hdr + table[2 * (low - 1) + 1];
}

static void set_rule(struct cfi_row *row, uint64_t reg, struct cfi_rule rule)
{
	if (reg < ARCH_REGISTERS)
		row->rule[reg] = rule;
}

static const uint8_t *skip_block(const uint8_t *at)
{
	uint64_t len = leb_unsigned(&at);

	return at + len;
}

static void restore_rule(struct cfi_machine *m, uint64_t reg)
{
	if (reg < ARCH_REGISTERS)
		m->row.rule[reg] = m->initial.rule[reg];
}

static void set_cfa(struct cfi_machine *m, uint64_t reg, int64_t offset)
{
	m->row.cfa_reg = (uint8_t)reg;
	m->row.cfa_offset = offset;
	m->row.cfa_expression = NULL;
}

/* Instructions with operands of their own (the high two bits are zero).
 * Returns the bytes to advance the location by, or -ENOTSUP. */
static int64_t run_extended(struct cfi_machine *m, uint8_t op, const uint8_t **at)
{
	struct cfi_row *row = &m->row;
	uint64_t reg;

	switch (op) {
	case 0x00: /* nop */
		return 0;
	case 0x01: /* set_loc */
		return (int64_t)(encoded(at, m->encoding, 0) - m->location);
	case 0x02: /* advance_loc1, 2, 4 */
		return (int64_t)(leb_fixed(at, 1, 0) * m->code_align);
	case 0x03:
		return (int64_t)(leb_fixed(at, 2, 0) * m->code_align);
	case 0x04:
		return (int64_t)(leb_fixed(at, 4, 0) * m->code_align);
	case 0x05: /* offset_extended */
		reg = leb_unsigned(at);
		set_rule(row, reg,
		         (struct cfi_rule){.how = CFI_OFFSET,
		                           .offset = (int64_t)leb_unsigned(at) * m->data_align});
		return 0;
	case 0x06: /* restore_extended */
		restore_rule(m, leb_unsigned(at));
		return 0;
	case 0x07: /* undefined */
		set_rule(row, leb_unsigned(at), (struct cfi_rule){.how = CFI_UNDEFINED});
		return 0;
	case 0x08: /* same_value */
		set_rule(row, leb_unsigned(at), (struct cfi_rule){.how = CFI_SAME});
		return 0;
	case 0x09: /* register */
		reg = leb_unsigned(at);
		set_rule(row, reg,
		         (struct cfi_rule){.how = CFI_REGISTER, .reg = (uint8_t)leb_unsigned(at)});
		return 0;
	case 0x0a: /* remember_state */
		if (m->depth == CFI_STATES)
			return -ENOTSUP;
		m->saved[m->depth++] = *row;
		return 0;
	case 0x0b: /* restore_state */
		if (m->depth == 0)
			return -ENOTSUP;
		*row = m->saved[--m->depth];
		return 0;
	case 0x0c: /* def_cfa */
		reg = leb_unsigned(at);
		set_cfa(m, reg, (int64_t)leb_unsigned(at));
		return 0;
	case 0x0d: /* def_cfa_register */
		set_cfa(m, leb_unsigned(at), row->cfa_offset);
		return 0;
	case 0x0e: /* def_cfa_offset */
		row->cfa_offset = (int64_t)leb_unsigned(at);
		return 0;
	case 0x0f: /* def_cfa_expression */
		row->cfa_expression = *at;
		*at = skip_block(*at);
		return 0;
	case 0x10: /* expression */
		reg = leb_unsigned(at);
		set_rule(row, reg, (struct cfi_rule){.how = CFI_EXPRESSION, .expression = *at});
		*at = skip_block(*at);
		return 0;
	case 0x11: /* offset_extended_sf */
		reg = leb_unsigned(at);
		set_rule(row, reg,
		         (struct cfi_rule){.how = CFI_OFFSET,
		                           .offset = leb_signed(at) * m->data_align});
		return 0;
	case 0x12: /* def_cfa_sf */
		reg = leb_unsigned(at);
		set_cfa(m, reg, leb_signed(at) * m->data_align);
		return 0;
	case 0x13: /* def_cfa_offset_sf */
		row->cfa_offset = leb_signed(at) * m->data_align;
		return 0;
	case 0x14: /* val_offset */
		reg = leb_unsigned(at);
		set_rule(row, reg,
		         (struct cfi_rule){.how = CFI_VAL_OFFSET,
		                           .offset = (int64_t)leb_unsigned(at) * m->data_align});
		return 0;
	case 0x15: /* val_offset_sf */
		reg = leb_unsigned(at);
		set_rule(row, reg,
		         (struct cfi_rule){.how = CFI_VAL_OFFSET,
		                           .offset = leb_signed(at) * m->data_align});
		return 0;
	case 0x16: /* val_expression */
		reg = leb_unsigned(at);
		set_rule(row, reg, (struct cfi_rule){.how = CFI_VAL_EXPRESSION, .expression = *at});
		*at = skip_block(*at);
		return 0;
	case 0x2e: /* GNU_args_size */
		leb_unsigned(at);
		return 0;
	default:
		return -ENOTSUP;
	}
}

/* Run instructions until they pass `pc`. Returns 0 or -ENOTSUP. */
static int run(struct cfi_machine *m, const uint8_t *at, const uint8_t *end, uint64_t pc)
{
	while (at < end) {
		uint8_t op = *at++;
		uint8_t low = op & 0x3f;
		int64_t advance = 0;

		switch (op & 0xc0) {
		case 0x40: /* advance_loc */
			advance = (int64_t)(low * m->code_align);
			break;
		case 0x80: /* offset */
			set_rule(&m->row, low,
			         (struct cfi_rule){.how = CFI_OFFSET,
			                           .offset = (int64_t)leb_unsigned(&at) *
			                                     m->data_align});
			break;
		case 0xc0: /* restore */
			restore_rule(m, low);
			break;
		default:
			advance = run_extended(m, op, &at);
			if (advance == -ENOTSUP)
				return -ENOTSUP;
		}
		m->location += (uint64_t)advance;
		if (m->location > pc)
			return 0;
	}
	return 0;
}

/* The FDE that contains pc, and its CIE. Returns 0, -ENOENT or -ENOTSUP. */
static int find(const uint8_t *eh_frame_hdr, uint64_t pc, struct cie *cie, struct fde *fde)
{
	const uint8_t *at = find_fde(eh_frame_hdr, pc);
	int error = at ? parse_fde(at, cie, fde) : -ENOENT;

	if (error < 0)
		return error;
	return pc < fde->start || pc - fde->start >= fde->len ? -ENOENT : 0;
}

int cfi_function_find(const uint8_t *eh_frame_hdr, uint64_t pc, uint64_t *start)
{
	struct cie cie;
	struct fde fde;
	int error = find(eh_frame_hdr, pc, &cie, &fde);

	if (error == 0)
		*start = fde.start;
	return error;
}

int cfi_row_find(struct cfi_machine *machine, const uint8_t *eh_frame_hdr, uint64_t pc,
                 const struct cfi_row **out)
{
	struct cie cie;
	struct fde fde;
	int error = find(eh_frame_hdr, pc, &cie, &fde);

	if (error < 0)
		return error;
	if (cie.return_reg != ARCH_RA)
		return -ENOTSUP;
	memset(&machine->row, 0, sizeof(machine->row));
	machine->code_align = cie.code_align;
	machine->data_align = cie.data_align;
	machine->encoding = cie.encoding;
	machine->depth = 0;
	machine->location = 0;
	machine->row.rule[ARCH_RA].how = CFI_UNDEFINED;
	error = run(machine, cie.code, cie.end, UINT64_MAX);
	if (error < 0)
		return error;
	machine->initial = machine->row;
	machine->location = fde.start;
	error = run(machine, fde.code, fde.end, pc);
	if (error < 0)
		return error;
	machine->row.is_signal_frame = cie.is_signal_frame;
	*out = &machine->row;
	return 0;
}

const uint8_t *cfi_expression(const uint8_t *block, uint64_t *len)
{
	*len = leb_unsigned(&block);
	return block;
}
