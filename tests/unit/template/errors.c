/* errors.c: errors in a template file, their places, and how reading goes on. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuses(const char *text, const char *message)
{
	int errors;
	const char *first = first_message(text, &errors);

	cr_assert(errors == 1 && strcmp(first, message) == 0, "%d errors for\n%s%s\nnot\n%s",
	          errors, text, first, message);
}

#define HEAD "010 1.0 L=APPL \"x\" "

Test(errors, headers)
{
	refuses("01 1.0 \"x\"\n",
	        "file:1: a hook id is expected: three or four hexadecimal digits (near '01')");
	refuses("\n\nxyz 1.0 \"x\"\n",
	        "file:3: a hook id is expected: three or four hexadecimal digits (near 'xyz')");
	refuses("0101 1.0 \"x\"\n",
	        "file:1: a hook id below 1000 has three digits, or a fourth that is 0 (near '0101')");
	refuses("010 1 \"x\"\n", "file:1: a version is expected, as 1.0 (near '1')");
	refuses("010 1.x \"x\"\n", "file:1: a version is expected, as 1.0 (near '1.x')");
	refuses("010 1.0 L=USER \"x\"\n",
	        "file:1: an unknown level: APPL, SVC, SYS, KERN or INT is expected (near 'USER')");
	refuses("010 1.0 L=APPL\n",
	        "file:1: a label is expected, a string (near 'end of the template')");
	refuses("010 1.0 X4\n", "file:1: a label is expected, a string (near 'X4')");
	refuses("-010\n",
	        "file:1: a hook id is expected: three or four hexadecimal digits (near '-')");
}

Test(errors, what_is_not_closed)
{
	refuses(HEAD "\"abc\n", "file:1: a string is not closed (near '\"abc')");
	refuses(HEAD "\"abc", "file:1: a string is not closed (near '\"abc')");
	refuses(HEAD "\"", "file:1: a string is not closed (near '\"')");
	refuses(HEAD "\"abc\\\n def\"\n", "file:1: a string is not closed (near '\"abc\\')");
	refuses(HEAD "$D1, \\\n 1 {\\\n \"a\"\n",
	        "file:3: '}' is missing: the case of line 2 is not closed (near 'end of the template')");
	refuses(HEAD "LOOP $D1 { X1\n",
	        "file:1: '}' is missing: the body of LOOP of line 1 is not closed (near 'end of the template')");
	refuses(HEAD "{{ $x = 1 }\n",
	        "file:1: '}' is missing: {{ of line 1 is not closed (near 'end of the template')");
	refuses(HEAD "{{ $x = 1 } }\n", "file:1: }} is expected (near '}')");
	refuses(HEAD "}\n", "file:1: '}' has no meaning here (near '}')");
	refuses(HEAD "{ X1 }\n", "file:1: '{' has no meaning here (near '{')");
}

Test(errors, codes_and_operators)
{
	refuses(HEAD "F3\n", "file:1: the format code has no such size (near 'F3')");
	refuses(HEAD "D3 X2\n", "file:1: the format code has no such size (near 'D3')");
	refuses(HEAD "X17\n", "file:1: the format code has no such size (near 'X17')");
	refuses(HEAD "B0\n", "file:1: the format code has no such size (near 'B0')");
	refuses(HEAD "B8.1\n", "file:1: the format code has no such size (near 'B8.1')");
	refuses(HEAD "G1.9\n", "file:1: the format code has no such size (near 'G1.9')");
	refuses(HEAD "{{ $x = 1 % 2 }}\n",
	        "file:1: an operator (+ - * /) or }} is expected (near '%')");
	refuses(HEAD "{{ $x = 1 + }}\n",
	        "file:1: a number, a macro or a format code is expected (near '}')");
	refuses(HEAD "{{ $x = F4 }}\n", "file:1: arithmetic needs a whole number (near 'F4')");
	refuses(HEAD "{{ $x = G4 }}\n", "file:1: arithmetic: this code has no value (near 'G4')");
	refuses(HEAD "$D1%\n",
	        "file:1: a format code is expected behind % (near 'end of the template')");
	refuses(HEAD "$D1 & 7\n",
	        "file:1: a value with a mask selects: a comma is expected (near 'end of the template')");
	refuses(HEAD "5\n",
	        "file:1: a number has no meaning here (is a comma missing before a case?) (near '5')");
	refuses(HEAD "= 5\n", "file:1: '=' has no meaning here (near '=')");
	refuses(HEAD "@\n", "file:1: this character has no meaning here (near '@')");
	refuses(HEAD "\\q\n",
	        "file:1: a backslash that is neither \\n, \\t, \\* nor at the end of the line (near '\\')");
	refuses(HEAD "\"a\033b\"\n", "file:1: a control character in a string (near '\"a?b\"')");
}

Test(errors, statements)
{
	refuses(HEAD "LOOP { X1 }\n", "file:1: LOOP needs a format code or a macro (near '{')");
	refuses(HEAD "LOOP A4 { X1 }\n", "file:1: LOOP needs a whole number (near 'A4')");
	refuses(HEAD "LOOP $D1 X1\n", "file:1: LOOP has no body: { is expected (near 'X1')");
	refuses(HEAD "BITFLAGS $D1\n",
	        "file:1: ',' is missing in BITFLAGS, behind the selector (near 'end of the template')");
	refuses(HEAD "BITFLAGS $D1, X4\n", "file:1: BITFLAGS has no flags (near 'X4')");
	refuses(HEAD "BITFLAGS $D1, & 1 2 X4\n", "file:1: the flag has no text (near 'X4')");
	refuses(HEAD "$D1, 1\n",
	        "file:1: the case has no body: a string or { is expected (near 'end of the template')");
	refuses(HEAD "$D1, zz \"x\"\n",
	        "file:1: a match value is expected, a number of base 16 (near 'zz')");
	refuses(HEAD "$D1%D1, ff \"x\"\n",
	        "file:1: a match value is expected, a number of base 10 (near 'ff')");
	refuses(HEAD "A4, 1 \"x\"\n",
	        "file:1: a quoted text is expected: the selector is text (near '1')");
	refuses(HEAD "F4, 1 \"x\"\n", "file:1: nothing can be selected by this code (near 'F4')");
	refuses(HEAD "$D1, 1 \"x\",\n",
	        "file:1: a match value is expected, a number of base 16 (near 'end of the template')");
	refuses(HEAD "starttimer(1)\n", "file:1: ',' is missing in the timer (near ')')");
	refuses(HEAD "starttimer 1,2\n", "file:1: '(' is missing in the timer (near '1')");
}

Test(errors, assignments)
{
	refuses(HEAD "{{ $bad = 1 }}\n",
	        "file:1: a name of three or four hexadecimal digits calls a template, and cannot be assigned to (near '$bad')");
	refuses(HEAD "{{ $x = $cafe }}\n",
	        "file:1: a name of three or four hexadecimal digits calls a template, and has no value (near '$cafe')");
	refuses(HEAD "{{ $D1 = 1 }}\n",
	        "file:1: this predefined macro cannot be assigned to (near '$D1')");
	refuses(HEAD "{{ x = 1 }}\n", "file:1: a macro is expected, with its $ (near 'x')");
	refuses(HEAD "{{ $1 = 1 }}\n", "file:1: not a name of a macro (near '$1')");
	refuses(HEAD "$ 1\n", "file:1: a $ without a name (near '$')");
}

Test(errors, all_of_a_file_are_told_with_their_lines)
{
	static const char
		file[] = "# comment\n* directive\n010 1.0 \"x\" F3 \\\n  D3 \\\n\n"
			 "011 1.0 \"good\" \\\n# comment inside\n \"a\" \\   \n  \\n \\\n X1\n"
			 "012 1.0 \\\n L=APPL \\\n \"y\" {{ $D1 = 1 }}\n\"z\"\n";
	const struct template_message *messages;
	struct template_set *set = template_set_create();

	template_set_add(set, "dir/file", file, strlen(file));
	cr_assert_eq(template_set_finish(set), 3);
	cr_assert_eq(template_set_messages(set, &messages), 3);
	cr_assert_str_eq(messages[0].text,
	                 "dir/file:3: the format code has no such size (near 'F3')");
	cr_assert_str_eq(messages[1].text,
	                 "dir/file:13: this predefined macro cannot be assigned to (near '$D1')");
	cr_assert_str_eq(
		messages[2].text,
		"dir/file:14: a hook id is expected: three or four hexadecimal digits (near '\"z\"')");
	cr_assert_eq(template_set_count(set), 1);
	cr_assert_eq(template_header(template_at(set, 0))->hook, 0x0110);
	cr_assert_eq(template_header(template_at(set, 0))->text_len,
	             strlen("011 1.0 \"good\" \\\n# comment inside\n \"a\" \\   \n  \\n \\\n X1"));
	template_set_destroy(set);
}

Test(errors, nul_bytes)
{
	static const char file[] = "010 1.0 \"x\" \"a\0b\" X1\n011 1.0 \"y\" \0 X1\n";
	const struct template_message *messages;
	struct template_set *set = template_set_create();

	template_set_add(set, "file", file, sizeof(file) - 1);
	cr_assert_eq(template_set_finish(set), 2);
	template_set_messages(set, &messages);
	cr_assert_str_eq(messages[0].text,
	                 "file:1: a control character in a string (near '\"a?b\"')");
	cr_assert_str_eq(messages[1].text, "file:2: a NUL byte (near '?')");
	template_set_destroy(set);
}

Test(errors, warnings_leave_a_template_as_it_is)
{
	int errors;

	cr_assert_str_eq(first_message(HEAD "O4\n", &errors),
	                 "file:1: warning: O goes forward; an octal number is o (near 'O4')");
	cr_assert_eq(errors, 0);
	cr_assert_str_eq(first_message(HEAD "word\n", &errors),
	                 "file:1: warning: a word without quotes is printed as text (near 'word')");
	cr_assert_str_eq(
		first_message(HEAD "$nope\n", &errors),
		"file:1: warning: a macro that the template does not define is 0 (near 'nope')");
	cr_assert_str_eq(first_message(HEAD "$abc\n", &errors),
	                 "file:1: warning: there is no template to call (near 'ABC')");
	cr_assert_str_eq(
		first_message(HEAD "BITFLAGS $D1%o4, & 012 080 \"M\"\n", &errors),
		"file:1: warning: not an octal number: taken as a hexadecimal one (near '080')");
	cr_assert_eq(errors, 0);
}

/* "": without a message. */
static void advises(const char *text, const char *message)
{
	char file[400];
	int errors;

	snprintf(file, sizeof(file), HEAD "%s\n", text);
	cr_assert_str_eq(first_message(file, &errors), message, "%s", text);
	cr_assert_eq(errors, 0);
}

#define ADVICE(byte, word, code) \
	"file:1: warning: at byte " #byte \
	", inside a data word: which part this is depends on the byte order; $D" #word "%" #code \
	" does not (near '" #code "')"

Test(errors, parts_of_data_words_are_warned_of)
{
	advises("G12 D4", ADVICE(12, 1, D4));
	advises("G8 U4 U4", ADVICE(12, 1, U4));
	advises("W1 O2.0 X2", ADVICE(10, 1, X2));
	advises("{{ $DATAPOINTER = 14 }} E2", ADVICE(14, 1, E2));
	advises("$D2 G20 F4", ADVICE(20, 2, F4));
	advises("$GENERIC, 0 { G28 B4 }", ADVICE(28, 3, B4));
	advises("G8 {{ $x = D4 + D4 }} $x", ADVICE(12, 1, D4));
	advises("G12 LOOP D4 { \"x\" }", ADVICE(12, 1, D4));
	advises("G12 D4, 1 \"x\"", ADVICE(12, 1, D4));
	advises("$HD, 1 { G12 }, \\* { G12 } X8 G9.4 R1 R0 R0 O1.0 D1", ADVICE(10, 1, D1));
	advises("$D1, 1 { G12 D4 }", ADVICE(12, 1, D4));
	advises("G16 X8 R12 X3", ADVICE(12, 1, X3));
	advises("$L5 G20 F4", ADVICE(20, 2, F4));
	advises("G9 D1", ADVICE(9, 1, D1));
	advises("G15 D1", ADVICE(15, 1, D1));
	advises("G8.1 X1", ADVICE(9, 1, X1));
	advises("G8 LOOP $D1 { O8.0 R8 } O4.0 D4", ADVICE(12, 1, D4));
}

Test(errors, what_does_not_depend_on_the_byte_order_is_not)
{
	advises("G8 X8 X8 W3 X8 $D1%D4 $D2%X2", "");
	advises("G8 X4 W2 D4 $D2", "");
	advises("X2 G4 X2", "");
	advises("G12 A4 B1.3 B1", "");
	advises("$GENERIC, 1 { G12 D4 G20 D4 D2 }", "");
	advises("G16 U4 U4 A16", "");
	advises("$HOOKENV, 20 { G12 D4 }", "");
	advises("G8 S1 D4", "");
	advises("$HD, 1 { G12 } D4", "");
	advises("{{ $BASEPOINTER = 4 }} G12 D4", "");
	advises("G12 LOOP $D1 { X8 } D4", "");
	advises("{{ $DATAPOINTER = 4 + 8 }} D4", "");
	advises("{{ $DATAPOINTER = $D1 }} D4", "");
	advises("{{ $DATAPOINTER = 134217740 }} D4", "");
	advises("{{ $x = 12 }} D4", "");
	advises("G20 F4\n020 1.0 \"\" $D2", "");
}

Test(errors, of_duplicates_the_highest_version_counts)
{
	int errors;
	const char *file = "010 1.9 \"old\"\n0100 1.10 \"new\"\n010 1.2 \"older\"\n";

	cr_assert_str_eq(
		first_message(file, &errors),
		"file:1: warning: another template of this hook counts, of version 1.10 in line 2 (near '1.9')");
	cr_assert_eq(errors, 0);
	cr_assert_str_eq(formatted(file, WORDS(1), NULL), "new");
	cr_assert_str_eq(formatted("010 1.0 \"first\"\n010 1.0 \"second\"\n", WORDS(1), NULL),
	                 "second");
}

Test(errors, levels)
{
	static const struct {
		const char *text;
		enum template_level level;
	} levels[] = {{"L=APPL", TEMPLATE_APPL}, {"L=SVC", TEMPLATE_SVC}, {"L=SYS", TEMPLATE_SVC},
	              {"L=KERN", TEMPLATE_KERN}, {"L=INT", TEMPLATE_INT}, {"", TEMPLATE_KERN}};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct template_set *set = template_set_create();
		char file[64];

		snprintf(file, sizeof(file), "010 1.0 %s \"x\"\n", levels[i].text);
		template_set_add(set, "file", file, strlen(file));
		cr_assert_eq(template_set_finish(set), 0);
		cr_assert_eq(template_header(template_find(set, 0x0100))->level, levels[i].level);
		template_set_destroy(set);
	}
}

Test(errors, deep_nesting_is_refused)
{
	char file[2000] = HEAD;
	int errors;

	for (int i = 0; i < 70; i++)
		strcat(file, "$D1, 1 { ");
	for (int i = 0; i < 70; i++)
		strcat(file, "} ");
	cr_assert_str_eq(first_message(file, &errors),
	                 "file:1: braces are nested deeper than 64 (near '{')");
	cr_assert_eq(errors, 1);
}

/* Pieces of the language and bytes in any order, and any entry: the sanitizers and the bounds would
 * find faults. */
Test(errors, any_bytes_end, .timeout = 60)
{
	static const char *const pieces[] = {"010 1.0 L=APPL \"x\" ",
	                                     "011 2.0 \"\" ",
	                                     "\\\n",
	                                     "\n",
	                                     "$D1",
	                                     "%D1",
	                                     "{",
	                                     "}",
	                                     "{{",
	                                     "}}",
	                                     "$x",
	                                     " = ",
	                                     "LOOP ",
	                                     "BITFLAGS ",
	                                     ",",
	                                     "1 ",
	                                     "\"a\"",
	                                     "\\*",
	                                     "$010",
	                                     "$011",
	                                     "A4",
	                                     "X0",
	                                     "S4",
	                                     "G1",
	                                     "B1.7",
	                                     "+",
	                                     "*",
	                                     "/",
	                                     "0",
	                                     "starttimer(1,2)",
	                                     "endtimer($D1,2)",
	                                     "\\n",
	                                     "\\t",
	                                     "&",
	                                     "$SKIP",
	                                     "-",
	                                     "$DATAPOINTER",
	                                     "0xffffffffffffffff",
	                                     "A65535.512",
	                                     "\xff",
	                                     "$HD",
	                                     "O65535.7",
	                                     "R65535",
	                                     " "};
	unsigned seed = 1;

	for (int round = 0; round < 4000; round++) {
		const struct template_context context = {0};
		struct template_set *set = template_set_create();
		struct template_run *run = template_run_create(set, &context);
		char file[2048] = "010 1.0 L=APPL \"x\" ";
		size_t count = (seed = seed * 1103515245 + 12345) >> 16 & 63;
		uint64_t words[5] = {seed, ~(uint64_t)0, 3, 0, 1};
		const char *text;
		size_t len;

		for (size_t i = 0; i < count; i++)
			strcat(file, pieces[((seed = seed * 1103515245 + 12345) >> 16) %
			                    (sizeof(pieces) / sizeof(pieces[0]))]);
		if (round % 4 == 0)
			file[(seed >> 16) % strlen(file)] = (char)seed;
		cr_assert_eq(template_set_add(set, "file", file, strlen(file)), 0);
		template_set_finish(set);
		for (size_t i = 0; i < template_set_count(set); i++) {
			template_format(run, template_at(set, i),
			                event_words(0x01000000 | (seed & 7), seed >> 16 & 3, words),
			                &text, &len);
			cr_assert_leq(len, (1 << 20) + 100);
			template_format(run, template_at(set, i),
			                event_bytes_32(0x01000000, seed, file, seed >> 16 & 63),
			                &text, &len);
		}
		template_run_destroy(run);
		template_set_destroy(set);
	}
}
