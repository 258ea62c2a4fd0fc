/* article.c: the article's own template gives the article's lines. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <string.h>

static const char
	mytrace[] = "#cat mytrace\n"
		    "##########################\n"
		    "# Check if, the entry is GENERIC\n"
		    "###########################\n"
		    "\n"
		    "010 1.0 L=APPL \"MyCustomHook\" \\\n"
		    "$GENERIC,\\\n"
		    "0 {\\\n"
		    "    $HD%D1,\\\n"
		    "        0 { \"Activity=\"G8 A10 \\ \n"
		    "\t\t\"Address=0x\"$D2 {{ $total_size = $D3 * $D4 }} \\\n"
		    "\t\t\"Size=\"$total_size%D4 },\\\n"
		    "        1 { \"Address=0x\"$D1 \"Array Index=\"$D2%D4 \"Value=\"$D3%D4 },\\\n"
		    "        \\* {\"Undefined Hook with subhook id = \"$HD%D1 }\\\n"
		    "    },\\\n"
		    "1 { \"String Length=\" $D1%D4 {{ $loopcnt = $HL }} G16 LOOP $loopcnt {A0} }\n";

static uint64_t malloc_word(void)
{
	uint64_t word = ~(uint64_t)0;

	memcpy(&word, "malloc", 7);
	return word;
}

Test(article, three_lines)
{
	cr_assert_str_eq(formatted(mytrace, WORDS(malloc_word(), 0x110000970, 4, 10), NULL),
	                 "MyCustomHook Activity=malloc Address=0x110000970 Size=40");
	cr_assert_str_eq(
		formatted(mytrace, event_bytes(0x01000020, 17, "successful malloc", 17), NULL),
		"MyCustomHook String Length=17 successful malloc");
	cr_assert_str_eq(formatted(mytrace,
	                           event_words(0x01000001, 3, (uint64_t[]){0x110000984, 5, 20}),
	                           NULL),
	                 "MyCustomHook Address=0x110000984 Array Index=5 Value=20");
	cr_assert_str_eq(
		formatted(mytrace, event_words(0x01000009, 3, (uint64_t[]){0, 5, 20}), NULL),
		"MyCustomHook Undefined Hook with subhook id = 9");
}

Test(article, single_unit)
{
	cr_assert_str_eq(
		formatted("010 1.0 L=APPL \"Single\" \"Unit:\"$D1 \"Address:\"$D2 \"Count:\"$D3\n",
	                  WORDS(4, 0x1100008d0, 10), NULL),
		"Single Unit:0004 Address:1100008D0 Count:000A");
}

Test(article, arithmetic)
{
	cr_assert_str_eq(items("{{ $dog = 7 + 6 }} {{ $cat = $dog * 2 }} $dog $cat", WORDS(1)),
	                 "000D 001A");
}

Test(article, count_of_bits_then_a_loop)
{
	/* 5 bits from bit 5 of byte 1 of a 64-bit generic entry are in its hook word: 0 here; so a
	 * clearer place. */
	uint8_t bytes[] = {0x01, 0x80, 0xaa, 0xbb, 0xcc};

	/* Byte 16, bits 5 to 9: 001 10 = 6, more than there is. Bits 6 to 8: 01 1 = 3. */
	cr_assert_str_eq(items("G16.6 {{ $count = B0.3 }} G18 LOOP $count {X0}",
	                       event_bytes(0x01000000, 0, bytes, 5)),
	                 "AABBCC");
}

Test(article, permissions)
{
	static const char flags[] =
		"{{ $omode = $D1 }} BITFLAGS $omode%o4, \\\n 00400 \"r\" \"-\" \\\n 00200 \"w\" \"-\" \\\n 00100 \"x\" \"-\" \\\n";

	cr_assert_str_eq(items(flags, WORDS(0400)), "r--");
	cr_assert_str_eq(items(flags, WORDS(0700)), "rwx");
	cr_assert_str_eq(items(flags, WORDS(0300)), "-wx");
}

Test(article, fields_by_mask)
{
	static const char
		flags[] = "BITFLAGS $D1%o4, & 012 010 \"I\" & 012 002 \"B\" & 012 012 \"M\"";

	cr_assert_str_eq(items(flags, WORDS(010)), "I");
	cr_assert_str_eq(items(flags, WORDS(02)), "B");
	cr_assert_str_eq(items(flags, WORDS(0152)), "M");
	cr_assert_str_eq(items(flags, WORDS(0)), "");
}

Test(article, data_pointer_by_either_spelling)
{
	cr_assert_str_eq(items("{{ $DATAPOINTER = 16 }} X8", WORDS(1, 0xabc)), "0000000000000ABC");
	cr_assert_str_eq(items("{{ DATAPOINTER = 16 }} X8", WORDS(1, 0xabc)), "0000000000000ABC");
	cr_assert_str_eq(items("G16 X8", WORDS(1, 0xabc)), "0000000000000ABC");
}
