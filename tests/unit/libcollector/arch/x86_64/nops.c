/* No-operations: their lengths, room for calls, the calls. The long forms are those that assemblers
 * write (.nops). */
#include "libcollector/calls/nops.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const struct {
	const char *bytes;
	size_t len;
} forms[] = {
	{"\x90", 1},
	{"\x66\x90", 2},
	{"\x0f\x1f\x00", 3},
	{"\x0f\x1f\x40\x00", 4},
	{"\x0f\x1f\x44\x00\x08", 5},
	{"\x66\x0f\x1f\x44\x00\x00", 6},
	{"\x0f\x1f\x80\x00\x02\x00\x00", 7},
	{"\x0f\x1f\x84\x00\x00\x02\x00\x00", 8},
	{"\x66\x0f\x1f\x84\x00\x00\x02\x00\x00", 9},
	{"\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 10},
	{"\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 14},
	{"\x0f\x1f\x05\x01\x02\x03\x04", 7},     /* displacement from the program counter */
	{"\x0f\x1f\x04\x25\x01\x02\x03\x04", 8}, /* without base */
	{"\x0f\x1f\xc0", 3},
};

Test(nops, every_form_has_its_length)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		cr_assert_eq(nops_length((const uint8_t *)forms[i].bytes, forms[i].len),
		             forms[i].len, "form %zu", i);
}

Test(nops, one_that_is_cut_off_is_none)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		for (size_t size = 0; size < forms[i].len; size++)
			cr_assert_eq(nops_length((const uint8_t *)forms[i].bytes, size), 0,
			             "form %zu, %zu bytes", i, size);
}

Test(nops, what_does_something_is_none)
{
	static const char *others[] = {"\xc3",
	                               "\xe8\x01\x02\x03\x04",
	                               "\xf3\x0f\x1e\xfa",
	                               "\x0f\x1f\x48\x00",
	                               "\x0f\x0b",
	                               "\xf3\x90"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert_eq(nops_length((const uint8_t *)others[i], strlen(others[i])), 0, "%zu",
		             i);
}

Test(nops, room_is_whole_instructions)
{
	uint8_t code[16] = "\x90\x90\x90\x90\x90\x90\xc3";

	cr_assert_eq(nops_run(code, sizeof(code)), 6);
	cr_assert_eq(nops_room(code, sizeof(code)), 5);
	cr_assert_eq(nops_room(code, 4), 0);
	memcpy(code, "\x90\x0f\x1f\x84\x00\x00\x02\x00\x00\xc3", 10);
	cr_assert_eq(nops_room(code, sizeof(code)), 9);
	memcpy(code, "\x90\x90\x90\x90\xc3", 5);
	cr_assert_eq(nops_room(code, sizeof(code)), 0);
}

Test(nops, no_room_is_longer_than_a_patch)
{
	/* Four single bytes and the longest possible instruction. */
	uint8_t code[32] =
		"\x90\x90\x90\x90\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00";

	cr_assert_eq(nops_room(code, sizeof(code)), 19);
	cr_assert(nops_room(code, sizeof(code)) <= NOPS_PATCH_MAX);
}

Test(nops, a_call_goes_to_its_target_and_the_rest_does_nothing)
{
	uint8_t patch[9];
	int32_t relative;

	cr_assert_eq(nops_make_call(0x1000, 0x800, patch, sizeof(patch)), 0);
	cr_assert_eq(patch[0], 0xe8);
	memcpy(&relative, patch + 1, 4);
	cr_assert_eq(0x1000 + NOPS_CALL + relative, 0x800);
	cr_assert_eq(nops_run(patch + NOPS_CALL, 4), 4);
	cr_assert_eq(nops_make_call(0x1000, 0x180000000, patch, sizeof(patch)), -ERANGE);
}
