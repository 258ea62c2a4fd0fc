/* Call frame information: tables that are made here, by section 6.4 of DWARF 5. */
#include "libcollector/unwind/cfi.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An .eh_frame_hdr followed by the CIEs and FDEs, and "code" that begins START bytes after that,
 * where nothing is mapped. */
enum { START = 0x100000, LEN = 0x400, TABLE = 12, CIE = 0x80, FDE = 0x100, ALIGN = 4 };
static _Alignas(8) uint8_t section[4096];
static uint8_t *at;
static struct cfi_machine machine;

static void put(uint64_t value, size_t size)
{
	memcpy(at, &value, size);
	at += size;
}

static void put_bytes(const uint8_t *bytes, size_t len)
{
	memcpy(at, bytes, len);
	at += len;
}

static void end_entry(size_t begin)
{
	uint32_t len = (uint32_t)(at - section - (long)begin - 4);

	memcpy(section + begin, &len, 4);
}

/* After the length: id, version, augmentation, code alignment 4, data alignment -8, register 16;
 * then `data`, and instructions: CFA = rsp + 8, the return address at CFA - 8. */
static void put_cie(uint8_t version, const char *augmentation, const uint8_t *data, size_t len)
{
	static const uint8_t alignments[] = {ALIGN, 0x78, 16}, start[] = {0x0c, 7, 8, 0x90, 1};

	at = section + CIE + 4;
	put(0, 4);
	put(version, 1);
	put_bytes((const uint8_t *)augmentation, strlen(augmentation) + 1);
	if (version == 4)
		put(0x0008, 2);
	put_bytes(alignments, sizeof(alignments));
	if (*augmentation == 'z') {
		put(len, 1);
		put_bytes(data, len);
	}
	put_bytes(start, sizeof(start));
	end_entry(CIE);
}

static size_t put_fde_head(size_t begin)
{
	at = section + begin + 4;
	put(begin + 4 - CIE, 4);
	return begin;
}

/* A function of LEN bytes at section + start, whose address has 4 bytes and is relative to them. */
static void put_fde(size_t begin, int32_t start, const uint8_t *code, size_t len)
{
	put_fde_head(begin);
	put((uint64_t)(int64_t)(start - (int32_t)(at - section)), 4);
	put(LEN, 4);
	put(0, 1);
	put_bytes(code, len);
	end_entry(begin);
}

static void put_header(uint32_t count)
{
	static const uint8_t head[] = {1, 0x1b, 3, 0x3b};

	at = section;
	put_bytes(head, sizeof(head));
	put(1234, 4);
	put(count, 4);
}

static void put_row(uint32_t number, int32_t start, int32_t fde)
{
	at = section + TABLE + 8 * number;
	put((uint64_t)(int64_t)start, 4);
	put((uint64_t)(int64_t)fde, 4);
}

static uint64_t code_at(uint64_t offset)
{
	return (uint64_t)section + START + offset;
}

static const struct cfi_row *row_at(uint64_t offset)
{
	const struct cfi_row *row = NULL;
	int status = cfi_row_find(&machine, section, code_at(offset), &row);

	cr_assert_eq(status, 0, "status %d at %#lx", status, offset);
	return row;
}

/* One function with these instructions. */
static void make(const uint8_t *code, size_t len)
{
	static const uint8_t encoding[] = {0x1b};

	memset(section, 0, sizeof(section));
	put_header(1);
	put_row(0, START, FDE);
	put_cie(1, "zR", encoding, 1);
	put_fde(FDE, START, code, len);
}

#define MAKE(...) make((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static int status_of(uint64_t pc)
{
	const struct cfi_row *row;

	return cfi_row_find(&machine, section, pc, &row);
}

Test(cfi, a_function_begins_with_the_row_of_its_cie)
{
	const struct cfi_row *row;

	MAKE(0);
	row = row_at(0);
	cr_assert_eq(row->cfa_reg, 7);
	cr_assert_eq(row->cfa_offset, 8);
	cr_assert_null(row->cfa_expression);
	cr_assert_eq(row->is_signal_frame, 0);
	cr_assert_eq(row->rule[16].how, CFI_OFFSET);
	cr_assert_eq(row->rule[16].offset, -8);
	for (int i = 0; i < 16; i++)
		cr_assert_eq(row->rule[i].how, CFI_SAME);
}

Test(cfi, a_row_holds_up_to_the_next_place)
{
	/* def_cfa_offset 16 from 4 * 2 on, 24 from 4 * (2 + 200), 32 from 4 * (2 + 200 + 1) */
	MAKE(0x42, 0x0e, 16, 0x02, 200, 0x0e, 24, 0x41, 0x0e, 32);
	cr_assert_eq(row_at(0)->cfa_offset, 8);
	cr_assert_eq(row_at(7)->cfa_offset, 8);
	cr_assert_eq(row_at(8)->cfa_offset, 16);
	cr_assert_eq(row_at(8 + 799)->cfa_offset, 16);
	cr_assert_eq(row_at(8 + 800)->cfa_offset, 24);
	cr_assert_eq(row_at(8 + 803)->cfa_offset, 24);
	cr_assert_eq(row_at(8 + 804)->cfa_offset, 32);
	cr_assert_eq(row_at(LEN - 1)->cfa_offset, 32);
	MAKE(0x03, 0x80, 0, 0x0e, 16, 0x04, 1, 0, 0, 0, 0x0e, 24);
	cr_assert_eq(row_at(4 * 128 - 1)->cfa_offset, 8);
	cr_assert_eq(row_at(4 * 128)->cfa_offset, 16);
	cr_assert_eq(row_at(4 * 129 - 1)->cfa_offset, 16);
	cr_assert_eq(row_at(4 * 129)->cfa_offset, 24);
}

Test(cfi, a_place_may_be_told_by_its_address)
{
	/* set_loc: the address, relative to itself */
	MAKE(0x01, 0, 0, 0, 0, 0x0e, 16);
	at = section + FDE + 4 + 4 + 4 + 4 + 1 + 1;
	put((uint64_t)(START + 100 - (at - section)), 4);
	cr_assert_eq(row_at(99)->cfa_offset, 8);
	cr_assert_eq(row_at(100)->cfa_offset, 16);
}

Test(cfi, the_cfa_is_a_register_and_an_offset_or_an_expression)
{
	const struct cfi_row *row;

	MAKE(0x41, 0x0c, 6, 0x90, 1, 0x41, 0x0d, 3, 0x41, 0x12, 10, 0x7e, 0x41, 0x13, 0x7d, 0x41,
	     0x0f, 2, 0x77, 8, 0x41, 0x0d, 12, 0x41, 0x0e, 40);
	row = row_at(4);
	cr_assert(row->cfa_reg == 6 && row->cfa_offset == 144);
	row = row_at(8);
	cr_assert(row->cfa_reg == 3 && row->cfa_offset == 144);
	row = row_at(12);
	cr_assert(row->cfa_reg == 10 && row->cfa_offset == 16);
	row = row_at(16);
	cr_assert(row->cfa_reg == 10 && row->cfa_offset == 24);
	row = row_at(20);
	cr_assert_not_null(row->cfa_expression);
	cr_assert_eq(memcmp(row->cfa_expression, "\2\x77\10", 3), 0);
	row = row_at(24);
	cr_assert_null(row->cfa_expression);
	cr_assert(row->cfa_reg == 12 && row->cfa_offset == 24);
	cr_assert_eq(row_at(28)->cfa_offset, 40);
}

static void is_rule(int reg, enum cfi_how how, int64_t offset)
{
	const struct cfi_row *row = row_at(0);

	cr_assert_eq(row->rule[reg].how, how, "register %d", reg);
	cr_assert_eq(row->rule[reg].offset, offset, "register %d", reg);
}

Test(cfi, a_register_has_each_kind_of_rule)
{
	const struct cfi_row *row;

	MAKE(0x83, 2,           /* offset 3, 2 */
	     0x05, 4, 3,        /* offset_extended 4, 3 */
	     0x07, 5,           /* undefined 5 */
	     0x09, 6, 9,        /* register 6, 9 */
	     0x10, 8, 1, 0x31,  /* expression 8 */
	     0x11, 9, 0x7c,     /* offset_extended_sf 9, -4 */
	     0x14, 10, 5,       /* val_offset 10, 5 */
	     0x15, 11, 0x7a,    /* val_offset_sf 11, -6 */
	     0x16, 12, 1, 0x32, /* val_expression 12 */
	     0x2e, 0x90, 1,     /* GNU_args_size */
	     0x83 + 10, 7);     /* offset 13, 7: they were read to the end */
	row = row_at(0);
	is_rule(3, CFI_OFFSET, -16);
	is_rule(4, CFI_OFFSET, -24);
	is_rule(5, CFI_UNDEFINED, 0);
	cr_assert_eq(row->rule[6].how, CFI_REGISTER);
	cr_assert_eq(row->rule[6].reg, 9);
	cr_assert_eq(row->rule[8].how, CFI_EXPRESSION);
	cr_assert_eq(memcmp(row->rule[8].expression, "\1\x31", 2), 0);
	is_rule(9, CFI_OFFSET, 32);
	is_rule(10, CFI_VAL_OFFSET, -40);
	is_rule(11, CFI_VAL_OFFSET, 48);
	cr_assert_eq(row->rule[12].how, CFI_VAL_EXPRESSION);
	cr_assert_eq(memcmp(row->rule[12].expression, "\1\x32", 2), 0);
	is_rule(13, CFI_OFFSET, -56);
	is_rule(7, CFI_SAME, 0);
}

Test(cfi, rules_are_taken_back)
{
	MAKE(0x83, 2, 0x84, 2, 0x85, 2, 0x90, 3, 0xc3, 0x06, 4, 0x08, 5, 0xd0);
	is_rule(3, CFI_SAME, 0);
	is_rule(4, CFI_SAME, 0);
	is_rule(5, CFI_SAME, 0);
	is_rule(16, CFI_OFFSET, -8);
}

Test(cfi, a_state_is_remembered)
{
	MAKE(0x83, 2, 0x0e, 16, 0x0a, 0x41, 0x83, 3, 0x0e, 24, 0x0a, 0x41, 0x0e, 32, 0x41, 0x0b,
	     0x41, 0x0b);
	cr_assert_eq(row_at(8)->cfa_offset, 32);
	cr_assert_eq(row_at(12)->cfa_offset, 24);
	cr_assert_eq(row_at(12)->rule[3].offset, -24);
	cr_assert_eq(row_at(16)->cfa_offset, 16);
	cr_assert_eq(row_at(16)->rule[3].offset, -16);
	MAKE(0x0b);
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP, "none was");
	MAKE(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a);
	cr_assert_eq(status_of(code_at(0)), 0);
	MAKE(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a);
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP, "more than have room");
}

Test(cfi, registers_that_nobody_has_are_passed_over)
{
	MAKE(0x80 + 17, 2, 0x05, 17, 3, 0x05, 0xff, 1, 3, 0xc0 + 17, 0x06, 50, 0x09, 0x21, 1, 0x83,
	     2);
	is_rule(3, CFI_OFFSET, -16);
	is_rule(16, CFI_OFFSET, -8);
	is_rule(0, CFI_SAME, 0);
}

Test(cfi, instructions_that_nobody_knows_are_refused)
{
	static const uint8_t unknown[] = {0x17, 0x1d, 0x2d, 0x2f, 0x3f};

	for (size_t i = 0; i < sizeof(unknown); i++) {
		MAKE(0x41, unknown[i]);
		cr_assert_eq(status_of(code_at(0)), 0, "it is not reached");
		cr_assert_eq(status_of(code_at(4)), -ENOTSUP, "%#x", unknown[i]);
	}
}

Test(cfi, only_code_of_a_function_has_a_row)
{
	uint64_t start = 0;

	MAKE(0);
	cr_assert_eq(status_of(code_at(0) - 1), -ENOENT);
	cr_assert_eq(status_of(code_at(LEN - 1)), 0);
	cr_assert_eq(status_of(code_at(LEN)), -ENOENT);
	cr_assert_eq(cfi_function_find(section, code_at(LEN - 1), &start), 0);
	cr_assert_eq(start, code_at(0));
	cr_assert_eq(cfi_function_find(section, code_at(LEN), &start), -ENOENT);
}

Test(cfi, each_of_many_functions_is_found)
{
	enum { FUNCTIONS = 9 };

	MAKE(0);
	put_header(FUNCTIONS);
	for (int i = 0; i < FUNCTIONS; i++) {
		int32_t start = START + (i - 4) * 2 * LEN;
		uint8_t code[] = {0x0e, (uint8_t)(8 * i)};

		put_row((uint32_t)i, start, FDE + 0x40 * i);
		put_fde(FDE + 0x40 * (size_t)i, start, code, sizeof(code));
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		uint64_t offset = ((uint64_t)i - 4) * 2 * LEN, start = 0;

		cr_assert_eq(row_at(offset)->cfa_offset, 8 * i);
		cr_assert_eq(row_at(offset + LEN - 1)->cfa_offset, 8 * i);
		cr_assert_eq(status_of(code_at(offset + LEN)), -ENOENT);
		cr_assert_eq(status_of(code_at(offset - 1)), -ENOENT);
		cr_assert_eq(cfi_function_find(section, code_at(offset + 5), &start), 0);
		cr_assert_eq(start, code_at(offset));
	}
}

Test(cfi, headers_of_other_forms_are_not_read)
{
	static const size_t bytes[] = {0, 2, 3};

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		MAKE(0);
		section[bytes[i]]++;
		cr_assert_eq(status_of(code_at(0)), -ENOENT);
	}
	/* The address of .eh_frame, which is skipped, in 8 bytes. */
	MAKE(0);
	section[1] = 0x04;
	memmove(section + 12, section + 8, 12);
	cr_assert_eq(status_of(code_at(0)), 0);
}

/* ---- forms of CIEs ---- */

static int status_with(uint8_t version, const char *augmentation, const uint8_t *data, size_t len)
{
	MAKE(0x0e, 16);
	memset(section + CIE, 0, FDE - CIE);
	put_cie(version, augmentation, data, len);
	return status_of(code_at(0));
}

Test(cfi, what_a_cie_tells_besides_is_passed_over)
{
	/* the handler of exceptions in 4 bytes, or in one that LEB128 has, where its data is, code
	 * of the caller's (B: pointer authentication) */
	static const uint8_t handler[] = {0x1b, 9, 9, 9, 9, 0x1b}, short_one[] = {0x01, 9, 0x1b},
			     data[] = {0x1b, 0x1b}, wide[] = {0x00, 9, 9, 9, 9, 9, 9, 9, 9, 0x1b},
			     two[] = {0x02, 9, 9, 0x1b}, signed_two[] = {0x0a, 9, 9, 0x1b},
			     signed_leb[] = {0x09, 0x89, 9, 0x1b}, four[] = {3, 9, 9, 9, 9, 0x1b};

	cr_assert_eq(status_with(1, "zPR", handler, 6), 0);
	cr_assert_eq(status_with(1, "zPR", short_one, 3), 0);
	cr_assert_eq(status_with(1, "zPR", wide, 10), 0);
	cr_assert_eq(status_with(1, "zPR", two, 4), 0);
	cr_assert_eq(status_with(1, "zPR", signed_two, 4), 0);
	cr_assert_eq(status_with(1, "zPR", signed_leb, 4), 0);
	cr_assert_eq(status_with(1, "zPR", four, 6), 0);
	cr_assert_eq(status_with(1, "zLR", data, 2), 0);
	cr_assert_eq(status_with(1, "zBGR", data, 1), 0);
	cr_assert_eq(row_at(0)->is_signal_frame, 0);
	cr_assert_eq(status_with(1, "zRS", data, 1), 0);
	cr_assert_eq(row_at(0)->is_signal_frame, 1);
	cr_assert_eq(status_with(3, "zR", data, 1), 0);
	cr_assert_eq(status_with(4, "zR", data, 1), 0);
	cr_assert_eq(status_with(1, "zRX", data, 1), -ENOTSUP);
	cr_assert_eq(status_with(1, "eh", data, 0), -ENOTSUP);
}

/* The bytes after the augmentation: 4, -8, 16. */
Test(cfi, other_machines_tables_are_refused)
{
	MAKE(0);
	section[CIE + 4 + 4 + 1 + 3 + 2] = 30;
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP);
	MAKE(0);
	memset(section + CIE, 0xff, 4);
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP, "a CIE of 64 bits");
	MAKE(0);
	memset(section + FDE, 0xff, 4);
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP, "an FDE of 64 bits");
	MAKE(0);
	memset(section + FDE + 4, 0, 4);
	cr_assert_eq(status_of(code_at(0)), -ENOTSUP, "no FDE, but a CIE");
}

/* The address and the length of the function in another encoding. */
static void recode(uint8_t encoding, uint64_t start, size_t start_size, uint64_t len,
                   size_t len_size)
{
	MAKE(0);
	section[CIE + 4 + 4 + 1 + 3 + 3 + 1] = encoding;
	put_fde_head(FDE);
	put(start, start_size);
	put(len, len_size);
	put(2, 1);
	put(0x77, 2);
	put(0x100e, 2);
	end_entry(FDE);
	cr_assert_eq(row_at(0)->cfa_offset, 16);
	cr_assert_eq(row_at(LEN - 1)->cfa_offset, 16);
	cr_assert_eq(status_of(code_at(LEN)), -ENOENT);
}

Test(cfi, the_place_of_a_function_has_many_forms)
{
	uint64_t from_there = START - FDE - 8;

	recode(0x00, code_at(0), 8, LEN, 8);
	recode(0x10, from_there, 8, LEN, 8);
	recode(0x14, from_there, 8, LEN, 8);
	recode(0x1c, from_there, 8, LEN, 8);
	recode(0x13, from_there, 4, LEN, 4);
	recode(0x1b, from_there, 4, LEN, 4);
}

/* The same of a function that begins `away` bytes from the section; it may be before it. */
static void recode_away(uint8_t encoding, int64_t away, size_t size, size_t len_size)
{
	const struct cfi_row *row = NULL;
	uint64_t begin = (uint64_t)section + (uint64_t)away;

	MAKE(0);
	put_row(0, (int32_t)away, FDE);
	section[CIE + 4 + 4 + 1 + 3 + 3 + 1] = encoding;
	put_fde_head(FDE);
	put((uint64_t)(away - FDE - 8), size);
	put(LEN, len_size);
	put(0, 1);
	put(0x100e, 2);
	end_entry(FDE);
	cr_assert_eq(cfi_row_find(&machine, section, begin, &row), 0, "%#x", encoding);
	cr_expect_eq(row->cfa_offset, 16, "%#x", encoding);
	cr_expect_eq(cfi_row_find(&machine, section, begin + LEN - 1, &row), 0, "%#x", encoding);
	cr_expect_eq(cfi_row_find(&machine, section, begin + LEN, &row), -ENOENT, "%#x", encoding);
	cr_expect_eq(cfi_row_find(&machine, section, begin - 1, &row), -ENOENT, "%#x", encoding);
}

Test(cfi, code_may_stand_before_its_table_and_a_half_has_a_sign_or_none)
{
	recode_away(0x1a, -0x2000, 2, 2);
	recode_away(0x1b, -0x2000, 4, 4);
	recode_away(0x1c, -0x2000, 8, 8);
	recode_away(0x12, 0x9000, 2, 2);
	recode_away(0x1a, 0x7000, 2, 2);
}

/* A CIE without an augmentation: addresses of 8 bytes, and no length of data in the FDE. */
Test(cfi, a_cie_without_augmentation_says_enough)
{
	MAKE(0);
	memset(section + CIE, 0, FDE - CIE);
	put_cie(1, "", NULL, 0);
	put_fde_head(FDE);
	put(code_at(0), 8);
	put(LEN, 8);
	put(0x100e, 2);
	end_entry(FDE);
	cr_assert_eq(row_at(0)->cfa_offset, 16);
}
