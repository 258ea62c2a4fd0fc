/* codes.c: every format code and macro, the data pointer, both word sizes and byte orders. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <string.h>

#define SAYS(template, event, text) cr_assert_str_eq(items(template, event), text)

Test(codes, text)
{
	SAYS("G8 A10 \"|\"", event_bytes(0x01000000, 0, "", 0), " |");
	SAYS("G16 A3 A2 \"|\"", event_bytes(0x01000000, 0, "abcde", 5), "abc de |");
	SAYS("G16 A3.6 \"|\"", event_bytes(0x01000000, 0, "abc", 3), "abc    |");
	SAYS("G16 A9 \"|\"", event_bytes(0x01000000, 0, "ab\0cd", 5), "ab |");
	SAYS("G16 A99 \"|\"", event_bytes(0x01000000, 0, "abc", 3), "abc |");
	SAYS("G16 A0 A0 A1 A1 \"|\"", event_bytes(0x01000000, 0, "abcd", 4), "abc d |");
	SAYS("\"[\" A0.3 \"]\"", WORDS(1), "[   ]");
	SAYS("G16 S1 S2 S4 \"|\"", event_bytes(0x01000000, 0, "\2ab\1\0c\0\0\0\0", 10), "ab c  |");
	SAYS("G16 S1 \"|\"", event_bytes(0x01000000, 0, "\7ab", 3), "ab |");
}

Test(codes, text_is_fit_for_a_terminal)
{
	SAYS("G16 A9", event_bytes(0x01000000, 0, "a\033[2J\nb\x7f", 8), "a.[2J.b.");
	SAYS("G16 A2 LOOP HB {A0}", event_bytes(0x01000000, 0, "\xc3\xa4\xc3\xb6", 4),
	     "\xc3\xa4 \xc3\xb6 *** end of data at 20 ***");
	SAYS("G16 A5", event_bytes(0x01000000, 0, "\xff\xc2\x9b\xc3", 4), "....");
	SAYS("\"\xc3\xa4\xff\"", WORDS(1), "\xc3\xa4.");
}

Test(codes, numbers)
{
	SAYS("G8 X8 X1 X2 X4", WORDS(0x1122334455667788, 0x1122334455667788),
	     "1122334455667788 88 6677 22334455");
	SAYS("G8 X16", WORDS(0x1122334455667788, 0x99aabbccddeeff00),
	     "99AABBCCDDEEFF001122334455667788");
	SAYS("G8 X0 X0 \"|\" X3", WORDS(0x1122334455667788), "8877|445566");
	SAYS("G8 D8 D4 D4 D2 D1", WORDS((uint64_t)-5, 0x7ffffffffffffffe, 0xff80),
	     "-5 -2 2147483647 -128 0");
	SAYS("G8 U8 U4 U2 U1", WORDS((uint64_t)-1, (uint64_t)-1),
	     "18446744073709551615 4294967295 65535 255");
	SAYS("G8 o8 o4 o1", WORDS(0755, 0x1ff), "755 777 0");
	SAYS("G8 B8", WORDS(5), "0000000000000000000000000000000000000000000000000000000000000101");
	SAYS("G8 B1 B0.3 B0.5 B1.4", WORDS(0x0000000000fed281), "10000001 110 10010 111111100000");
}

Test(codes, reals_errors_dates_programs)
{
	double big = -1234.5678;
	float small = 0.25f;
	uint64_t words[2] = {0, 0};

	memcpy(&words[0], &big, 8);
	memcpy(&words[1], &small, 4);
	SAYS("G8 F8 F4", WORDS(words[0], words[1]), "-1.23456780E+03 2.5000E-01");
	SAYS("G8 E4 E2 E1 E1", WORDS(0x0000000d00000002, 0), "ENOENT EACCES 0 0");
}

Test(codes, unknown_errors_dates_and_programs)
{
	SAYS("G8 E4 E4", WORDS(0xffffffff00002706), "9990 -1");
	SAYS("G8 T4 O4.0 T8", WORDS(1385683200, 4102444800),
	     "Fri Nov 29 00:00:00 2013 Fri Jan 01 00:00:00 2100");
	SAYS("G8 P4 P4", WORDS(66 | (uint64_t)67 << 32), "/bin/prog 67");
	SAYS("$D1%N $D2%N", WORDS(0x1234, 0x99), "main+0x4 0099");
}

Test(codes, the_data_pointer)
{
	SAYS("X2", event_words(0x0100abcd, 0, NULL), "ABCD");
	SAYS("$DATAPOINTER O2.0 $DATAPOINTER W1 $DATAPOINTER W2 $DATAPOINTER R3 $DATAPOINTER",
	     WORDS(1, 2), "0006 0008 0008 0010 000D");
	SAYS("{{ $BASEPOINTER = 8 }} G8 X1 $BASEPOINTER", WORDS(1, 2), "02 0008");
	SAYS("G8 O0.4 X1 $DATAPOINTER", WORDS(0x3322), "33 000A");
	SAYS("G8 O0.3 R0 $DATAPOINTER", WORDS(1), "0009");
	SAYS("G4 X2 X2", event_words(0x01000001, 0, NULL), "0100 0001");
}

Test(codes, the_end_of_the_data)
{
	SAYS("G8 X8 \"more\" D4 \"never\"", WORDS(1),
	     "0000000000000001 more *** end of data at 16 ***");
	SAYS("G100 \"on\"", WORDS(1), "on *** end of data at 16 ***");
	SAYS("G8 R20 X1", WORDS(1), "80 *** end of data at 8 ***");
	SAYS("G8 LOOP $D1 {X1}", WORDS(1000), "E8 03 00 00 00 00 00 00 *** end of data at 16 ***");
	SAYS("{{ $DATAPOINTER = 1000000000000 }} \"on\"", WORDS(1), "on *** end of data at 16 ***");
	SAYS("G15.7 B0.2 \"never\"", WORDS(1), "*** end of data at 15 ***");
}

Test(codes, macros)
{
	SAYS("$D1 $D2 $D3 $L1", WORDS(0x12345, 7), "12345 0007 0000 12345");
	SAYS("$L2 $L3 $L4 $L5 $D4", WORDS(1, 0x22, 0x333, 0x4444, 0x55555),
	     "0022 0333 4444 55555 4444");
	SAYS("$D1%D1 $D1%U1 $D1%X1 $D1%o1 $D1%B0.4 $D1%X0 \"|\" $D1%A9 $D1%W4", WORDS(0x1fe),
	     "-2 254 FE 376 1110 FE|.. 000001FE");
	SAYS("$D1%O1 $D1%O8 $D1%D3 $D1%G4 $D1%B0.12 $D1%B0.8", WORDS(0x1ff),
	     "377 777 01FF 01FF 000111111111 11111111");
	SAYS("$D1%E4 $D2%E1 $D1%P4 $D1%T4", WORDS(2, 0x10d),
	     "ENOENT EACCES 2 Thu Jan 01 00:00:02 1970");
	SAYS("$D1%F4 $D2%F8", WORDS(0x3fc00000, 0x4004000000000000), "1.5000E+00 2.50000000E+00");
	/* "abcd" in memory, and behind a length. */
	SAYS("$D1%A4 $D1%A8 $D1%A2.4 \"|\" $D1%A0 $D1%A1 \"|\" $D2%S1",
	     WORDS(0x64636261, 0x7a797803), "abcd abcd ab   |aa |xyz");
	SAYS("$D1%A2, \"ab\" \"yes\", \\* \"no\"", WORDS(0x6261), "yes");
	SAYS("$D1%X16", WORDS(0x1122334455667788), "00000000000000001122334455667788");
	SAYS("$HD $HL $HT $GENERIC $HOOKENV $TRACEENV",
	     event_words(0x0100ab01, 2, (uint64_t[]){1, 2}), "AB01 0010 8000 0000 0040 0040");
	SAYS("$HD $HL HB HT $GENERIC $D1 $D2", event_bytes(0x01000002, 9, "xyz", 3),
	     "0002 0003 0003 C000 0001 0009 0000");
	SAYS("$TRACEID $TID $PID $CPUID $EXECPATH \"|\" $RELLINENO \\n $RELLINENO $LINENO $LOGIDX0 $LOGIDX $LOGFILE",
	     WORDS(1), "010 004D 0042 0003 /bin/prog |0001\n0002 000B 1000 1006 usertrace");
	SAYS("$SVC $IPADDR $BUFF", WORDS(1), "0000 0000 0000");
}

Test(codes, programs_of_32_bits)
{
	SAYS("$D1 $D2 $D3 $HL $HT $HOOKENV G4 D4 W2 X4",
	     event_words_32(0x0100abcd, 2, (uint32_t[]){7, 0xfffffffe}),
	     "0007 FFFFFFFE 0000 0008 000E 0020 7 FFFFFFFE");
	SAYS("X2 $HD", event_words_32(0x0100abcd, 0, NULL), "ABCD ABCD");
	SAYS("$D1 $HD $HL $HT $DATAPOINTER G8 LOOP HB {A0}",
	     event_bytes_32(0x01000001, 3, "xyz", 3), "0003 0003 0003 0008 0004 xyz");
	SAYS("$HT", event_words_32(0x01000000, 1, (uint32_t[]){7}), "000A");
}

Test(codes, recorded_by_a_big_endian_machine)
{
	struct template_event event = *WORDS(0);
	uint8_t entry[16] = {0x80, 0, 0, 0x18, 1, 0, 0, 5, 0, 0, 0, 0, 0, 0, 1, 2};

	event.bytes = entry;
	event.size = sizeof(entry);
	event.subhook = 5;
	event.is_big_endian = 1;
	SAYS("$D1 $HD G8 X8 G14 D2 G14 B2", &event,
	     "0102 0005 0000000000000102 258 0000000100000010");
}

Test(codes, newlines_and_tabs)
{
	SAYS("\"a\" \\n \"b  \" \\n \\t \"c\" \\t \"d\"", WORDS(1), "a\nb\n        c       d");
	SAYS("\"12345678\" \\t \"x\"", WORDS(1), "12345678        x");
	SAYS("\"\xc3\xa9\" \\t \"\xc3\xa9\xc3\xa9\" \\t \\t \"b\"", WORDS(1),
	     "\xc3\xa9       \xc3\xa9\xc3\xa9              b");
}
