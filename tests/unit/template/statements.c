/* statements.c: SWITCH, LOOP, BITFLAGS, macros, subroutines, timers, and their limits. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SAYS(template, event, text) cr_assert_str_eq(items(template, event), text)

Test(statements, a_switch_takes_the_first_equal_case)
{
	static const char
		cases[] = "$D1%U4, 1 \"one\", 2 { \"two\" $D2 }, 2 \"again\", \\* \"other\"";

	SAYS(cases, WORDS(1, 5), "one");
	SAYS(cases, WORDS(2, 5), "two0005");
	SAYS(cases, WORDS(3), "other");
	SAYS("$D1, 1 \"one\"", WORDS(2), "");
	SAYS("$D1, 1 \"one\" \"behind\"", WORDS(2), "behind");
	SAYS("$D1, 1 {,\"one\"}, * {\"any\"}", WORDS(2), "any");
}

Test(statements, match_values_follow_the_selector)
{
	SAYS("$D1, 10 \"hex\", 16 \"no\"", WORDS(16), "hex");
	SAYS("$D1%D8, 16 \"decimal\"", WORDS(16), "decimal");
	SAYS("$D1%D8, 0x10 \"hex\"", WORDS(16), "hex");
	SAYS("$D1%o2, 20 \"octal\"", WORDS(16), "octal");
	SAYS("$D1%B1, 10000 \"binary\"", WORDS(16), "binary");
	SAYS("$D1%D1, -2 \"signed\"", WORDS(0xfe), "signed");
	SAYS("$D1%D1, 254 \"the same bits\"", WORDS(0xfe), "the same bits");
	SAYS("G8 A8, \"open\" \"o\", \"close\" \"c\"", WORDS(0x65736f6c63), "c");
	SAYS("$EXECPATH, \"/bin/prog\" \"it\"", WORDS(0), "it");
	SAYS("$TRACEID, 010 \"it\"", WORDS(0), "it");
	SAYS("HT & 0x7, 0 \"masked\"", WORDS(0), "masked");
}

Test(statements, a_selector_moves_the_pointer_once)
{
	SAYS("G8 X1, 7 { X1 }, 8 { \"no\" }", WORDS(0x0807), "08");
	SAYS("G8 X1, 9 { X1 } $DATAPOINTER", WORDS(0x0807), "0009");
	SAYS("G8 D1 & 3, 3 { $DATAPOINTER }", WORDS(7), "0009");
}

Test(statements, loops)
{
	SAYS("G9 LOOP $D1%U1 { X1 }", WORDS(0x040302010003), "00 01 02");
	SAYS("G8 LOOP X1 { X0 } X1", WORDS(0x050403020102), "010203");
	SAYS("LOOP $D1 { \"x\" }", WORDS(0), "");
	SAYS("LOOP $D1%D1 { \"x\" }", WORDS(0xff), "");
	SAYS("LOOP $D1 { LOOP $D2 { \"x\" } \".\" }", WORDS(2, 3), "xxx.xxx.");
	SAYS("LOOP $D1 { }", WORDS(3), "");
}

Test(statements, bitflags)
{
	SAYS("BITFLAGS $D1, 1 \"a\", 2 \"b\" \"B\", 4 \"c\", 10 \"x\"", WORDS(0x15), "aBcx");
	SAYS("BITFLAGS $D1, 6 \"both\" \"not both\"", WORDS(0x5), "not both");
	SAYS("BITFLAGS $D1, & f0 20 \"two\" & 0f 01 \"one\"", WORDS(0x21), "twoone");
	SAYS("G8 BITFLAGS X1, 1 \"a\" 2 \"b\" D4 \"is a code\"", WORDS(0x0503), "ab5 is a code");
	SAYS("BITFLAGS $D1%o4, 0x10 \"hex\"", WORDS(0x10), "hex");
	SAYS("BITFLAGS $D1, 1 \"a\", \"text\"", WORDS(1), "atext");
}

Test(statements, arithmetic)
{
	SAYS("{{ $x = 2 + 3 * 4 - 10 / 4 }} $x", WORDS(1), "000C");
	SAYS("{{ $x = 1 - 2 * 3 }} $x%D8", WORDS(1), "-5");
	SAYS("{{ $x = 0 - 7 / 2 }} $x%D8", WORDS(1), "-3");
	SAYS("{{ $x = 0x10 + $D1 * 2 }} $x", WORDS(4), "0018");
	SAYS("{{ $x = $D1 / 0 }} $x", WORDS(4), "0000 *** division by zero ***");
	SAYS("{{ $x = $D1 / $D2 }} $x", WORDS((uint64_t)1 << 63, UINT64_MAX), "8000000000000000");
	SAYS("G8 {{ $x = D4 + D4 }} $x $DATAPOINTER", WORDS(0x0000000300000004), "0007 0010");
	SAYS("{{ $x }} $x {{ $x = 5 }} $x {{ $y = $x%D1 }} $y", WORDS(1), "0000 0005 0005");
	SAYS("$never \"|\"", WORDS(1), "0000 |");
}

Test(statements, macros_last_one_event)
{
	static const char file[] = "010 1.0 L=APPL \"\" $D1, 1 {{{ $x = 7 }}}, 2 { $x }\n";

	cr_assert_str_eq(formatted(file, WORDS(2), NULL), "0000");
}

Test(statements, subroutines_share_pointer_and_macros_by_position)
{
	static const char file[] =
		"010 1.0 L=APPL \"Call\" {{ $a = 5 }} {{ $b = 6 }} G8 $0110 \"back\" $a $b X1\n"
		"011 1.0 L=INT \"sub\" X1 {{ $first }} {{ $second = $first + 1 }} $second\n";

	cr_assert_str_eq(formatted(file, WORDS(0x2211), NULL), "Call sub 11 0006 back0005 0006 22");
	cr_assert_str_eq(formatted("010 1.0 L=APPL \"\" $bad \"on\"\nbad 1.0 \"\" \"sub\"\n",
	                           WORDS(1), NULL),
	                 "subon");
	cr_assert_str_eq(formatted("010 1.0 L=APPL \"\" $bad \"on\"\n", WORDS(1), NULL), "on",
	                 "an unknown template prints nothing");
}

Test(statements, subroutines_are_ten_deep)
{
	cr_assert_str_eq(formatted("010 1.0 L=APPL \"\" \"x\" $010\n", WORDS(1), NULL),
	                 "xxxxxxxxxxx *** templates called too deep ***");
}

Test(statements, the_ends_of_an_event)
{
	enum template_outcome outcome;

	cr_assert_str_eq(formatted("010 1.0 \"\" \"a\" $BREAK \"b\"\n", WORDS(1), &outcome), "a");
	cr_assert_eq(outcome, TEMPLATE_PRINTED);
	formatted("010 1.0 \"\" \"a\" $SKIP \"b\"\n", WORDS(1), &outcome);
	cr_assert_eq(outcome, TEMPLATE_SKIPPED);
	cr_assert_str_eq(formatted("010 1.0 \"\" \"a\" $STOP \"b\"\n", WORDS(1), &outcome), "a");
	cr_assert_eq(outcome, TEMPLATE_STOPPED);
	formatted("010 1.0 \"\" \"a\" $DEFAULT \"b\"\n", WORDS(1), &outcome);
	cr_assert_eq(outcome, TEMPLATE_UNKNOWN);
	cr_assert_str_eq(formatted("010 1.0 \"\" \"a \" $ERROR \"b\"\n", WORDS(1), &outcome),
	                 "a *** error in usertrace at offset 4096, id 010 ***");
}

Test(statements, timers_run_from_event_to_event)
{
	static const char file[] =
		"010 1.0 L=APPL \"\" $HD, 1 { starttimer(1, $D1) \"on\" }, 2 { endtimer(1, $D1) \"off\" }\n";
	const struct template_context context = {0};
	struct template_set *set = template_set_create();
	struct template_run *run;
	static const struct {
		unsigned sub;
		uint64_t key, time_ns;
		const char *text;
	} steps[] = {{1, 7, 1000, "on"},
	             {1, 8, 2000, "on"},
	             {2, 7, 10000500, "[9999 usec] off"},
	             {2, 7, 10000600, "off"},
	             {2, 8, 12345678, "[12 msec] off"},
	             {2, 9, 1, "off"},
	             {1, 7, 5, "on"},
	             {2, 7, 1, "[0 usec] off"}};

	template_set_add(set, "file", file, strlen(file));
	cr_assert_eq(template_set_finish(set), 0);
	run = template_run_create(set, &context);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct template_event event = *event_words(0x01000000 | steps[i].sub, 1,
		                                           &steps[i].key);
		const char *text;
		size_t len;

		event.time_ns = steps[i].time_ns;
		template_format(run, template_find(set, 0x0100), &event, &text, &len);
		cr_assert(len == strlen(steps[i].text) && memcmp(text, steps[i].text, len) == 0,
		          "step %zu: %.*s", i, (int)len, text);
	}
	template_run_destroy(run);
	template_set_destroy(set);
}

/* A request keeps its number for ever, but its timer only while it lasts. */
Test(statements, timers_that_have_ended_take_no_room)
{
	static const char file[] =
		"010 1.0 L=APPL \"\" $HD, 1 { starttimer(0x12, $D1) }, 2 { endtimer(0x12, $D1) }\n";
	const struct template_context context = {0};
	struct template_set *set = template_set_create();
	struct template_run *run;
	const char *text;
	size_t len;

	template_set_add(set, "file", file, strlen(file));
	cr_assert_eq(template_set_finish(set), 0);
	run = template_run_create(set, &context);
	for (uint64_t i = 0; i < 70000 + 1000; i++) { /* a thousand are open at the same time */
		uint64_t over = i - 1000;

		template_format(run, template_find(set, 0x0100), event_words(0x01000001, 1, &i),
		                &text, &len);
		cr_assert_eq(len, 0, "%d: %.*s", (int)i, (int)len, text);
		if (i < 1000)
			continue;
		template_format(run, template_find(set, 0x0100), event_words(0x01000002, 1, &over),
		                &text, &len);
		cr_assert(len == strlen("[0 usec]") && memcmp(text, "[0 usec]", len) == 0,
		          "%d: %.*s", (int)over, (int)len, text);
	}
	template_run_destroy(run);
	template_set_destroy(set);
}

/* The output of a loop of 60000 rounds over `before`, many times `part`, and `behind`. */
static const char *looped(const char *before, unsigned count, const char *part, const char *behind)
{
	static char text[1 << 16];
	char *at = text + sprintf(text, "010 1.0 L=APPL \"\" LOOP $D1 { %s", before);

	while (count-- > 0)
		at += sprintf(at, "%s", part);
	sprintf(at, "%s } \"end\"\n", behind);
	return formatted(text, WORDS(60000), NULL);
}

Test(statements, rounds_cases_flags_and_operands_are_work_too, .timeout = 20)
{
	static const char note[] = "*** template too long ***";

	SAYS("LOOP $D1 { LOOP $D1 { LOOP $D1 { } } }", WORDS(60000), note);
	cr_assert_str_eq(looped("$D1", 5000, ", 1 \"\"", ""), note);
	cr_assert_str_eq(looped("BITFLAGS $D1,", 5000, " 1 \"\"", ""), note);
	cr_assert_str_eq(looped("{{ $x = 1", 5000, " + 1", " }}"), note);
	cr_assert_str_eq(looped("$D1", 5, ", 1 \"\"", ""), "end");
}

Test(statements, work_and_text_are_bounded, .timeout = 20)
{
	const char *text = items("LOOP $D1 { {{ $x = $x + 1 }} } $x", WORDS(UINT64_MAX));

	cr_assert(strstr(text, "*** loop too long ***") != NULL, "%s", text);
	text = items("LOOP $D1 { LOOP $D1 { LOOP $D1 { $D1, 1 \"x\" } } }", WORDS(60000));
	cr_assert(strstr(text, "***") != NULL);
	text = items("LOOP $D1 { G8 A0.512 X1 \"0123456789\" }", WORDS(UINT64_MAX));
	cr_assert_lt(strlen(text), (1 << 20) + 100);
	cr_assert(strstr(text, "*** text too long ***") != NULL);
	text = formatted("010 1.0 L=APPL \"\" $010 $010 $010 $010\n", WORDS(1), NULL);
	cr_assert(strstr(text, "***") != NULL);
}

/* xer_trcfmt(5), LOOP: at most 65536 rounds that do not move the data pointer. */
Test(statements, rounds_that_stand_still_are_bounded, .timeout = 20)
{
	static const char rounds[] = "LOOP $D1 { {{ $x = $x + 1 }} } \"then \" $x%D4",
			  one_moves[] = "G8 LOOP $D1 { {{ $x = $x + 1 }} $x, 1 { X1 } } $x%D4";

	SAYS(rounds, WORDS(65535), "then 65535");
	SAYS(rounds, WORDS(65536), "then 65536");
	SAYS(rounds, WORDS(65537), "*** loop too long ***");
	SAYS(one_moves, WORDS(65537), "01 65537");
}

Test(statements, words_without_quotes_are_text)
{
	SAYS("size is $D1 bytes", WORDS(5), "size is 0005 bytes");
}
