/* Sleds: reading the map, generating code. */
#include "libcollector/calls/sled.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(sled, map_entries_are_relative_from_version_2_on)
{
	uint8_t entry[SLED_ENTRY_SIZE] = {0};
	struct sled sled;
	int64_t distance = -0x1000;

	memcpy(entry, &distance, 8);
	memcpy(entry + 8, &distance, 8);
	entry[16] = SLED_EXIT;
	sled_get(entry, &sled);
	cr_assert_eq(sled.address, (uint64_t)distance);
	cr_assert_eq(sled.kind, SLED_EXIT);
	entry[18] = 2;
	sled_get(entry, &sled);
	cr_assert_eq(sled.address, (uint64_t)(uintptr_t)entry - 0x1000);
	cr_assert_eq(sled.function, (uint64_t)(uintptr_t)entry + 8 - 0x1000);
}

Test(sled, code_calls_or_jumps_to_its_target)
{
	struct sled sled = {.address = 0x400000, .kind = SLED_ENTER};
	static const uint8_t head[] = {0x41, 0xba}, tail[] = {7, 0, 0, 0, 0xe8, 0xf5, 0x0f, 0, 0};
	struct sled_code code;

	cr_assert_eq(sled_make(&sled, 7, 0x401000, &code), 0);
	cr_assert(code.tail_at == SLED_HEAD && code.tail_size == sizeof(tail) &&
	          sled_size(&sled) == SLED_SIZE);
	cr_assert_arr_eq(code.head, head, sizeof(head));
	cr_assert_arr_eq(code.tail, tail, sizeof(tail));
	sled.kind = SLED_EXIT;
	cr_assert_eq(sled_make(&sled, 7, 0x400000 + SLED_SIZE - 0x10, &code), 0);
	cr_assert_eq(code.tail[4], 0xe9);
	cr_assert_eq(code.tail[5], 0xf0);
	cr_assert_eq(sled_make(&sled, 7, 0x7f0000000000, &code), -ERANGE);
}

Test(sled, events_keep_their_code_and_call_another_function)
{
	struct sled custom = {.address = 0x400000, .kind = SLED_CUSTOM_EVENT},
		    typed = {.address = 0x400000, .kind = SLED_TYPED_EVENT};
	static const uint8_t head[] = {0x66, 0x90}, tail[] = {0xf1, 0x0f, 0, 0};
	uint8_t original[22] = {0xeb, 0x0f, [10] = 0xe8};
	struct sled_code code;

	cr_assert_eq(sled_make(&custom, 7, 0x401000, &code), 0);
	cr_assert(code.tail_at == 11 && code.tail_size == sizeof(tail) && sled_size(&custom) == 17);
	cr_assert_arr_eq(code.head, head, sizeof(head));
	cr_assert_arr_eq(code.tail, tail, sizeof(tail));
	cr_assert_eq(sled_make(&typed, 7, 0x401000, &code), 0);
	cr_assert(code.tail_at == 15 && sled_size(&typed) == 22);
	cr_assert(sled_is_original(&custom, original) && !sled_is_original(&typed, original));
	original[1] = 0x14;
	original[14] = 0xe8;
	cr_assert(!sled_is_original(&custom, original) && sled_is_original(&typed, original));
	cr_assert(sled_is_unknown(&custom, original) && !sled_is_unknown(&typed, original));
	original[0] = 0x66;
	cr_assert(!sled_is_original(&typed, original) && !sled_is_unknown(&typed, original));
}

Test(sled, only_untouched_code_is_original)
{
	struct sled enter = {.kind = SLED_ENTER}, leave = {.kind = SLED_EXIT};
	static const uint8_t jump[] = {0xeb, 0x09}, end[] = {0xc3, 0x2e}, patched[] = {0x41, 0xba};

	cr_assert(sled_is_original(&enter, jump));
	cr_assert(sled_is_original(&leave, end));
	cr_assert_not(sled_is_original(&enter, patched));
	cr_assert_not(sled_is_original(&leave, patched));
}
