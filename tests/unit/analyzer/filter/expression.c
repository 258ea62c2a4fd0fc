/* Tests of analyzer/filter/expression.c, syntax.c and lexer.c: what expressions mean, and the
 * messages about wrong ones. */
#include "analyzer/filter/filter.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct exp_info info = {.pid = 4711};
static const struct exp_io io;
static const struct exp_data_set whole = {.io = &io};
static const struct exp_fact block = {
	.data = EXP_DATA_HEAP, .type = 1, .bytes = 100, .address = 0x5000, .cpu = 3, .tid = 42};
static const struct exp_fact call = {
	.data = EXP_DATA_IO, .type = 64, .bytes = 7, .error = 2, .fd = UINT32_MAX, .cpu = 1};

/* Evaluate; returns 1 and *out, or 0 if the value is missing. */
static int evaluate(const char *text, const struct exp_fact *fact, int64_t *out)
{
	const struct filter_place place = {.info = &info, .whole = &whole, .number = 2, .group = 1};
	struct expression_error error;
	struct expression *expression = expression_compile(text, &error);
	struct filter_run *run;
	int is_there;

	cr_assert(expression != NULL, "%s: column %zu: %s", text, error.column, error.text);
	run = filter_run_create(expression, &place);
	is_there = filter_run_value(run, fact, out);
	filter_run_destroy(run);
	expression_destroy(expression);
	return is_there;
}

static void is(const char *text, int64_t expected)
{
	int64_t value = -99;

	cr_assert_eq(evaluate(text, &block, &value), 1, "%s is missing", text);
	cr_assert_eq(value, expected, "%s: %lld, not %lld", text, (long long)value,
	             (long long)expected);
}

static void is_missing(const char *text)
{
	int64_t value;

	cr_assert_eq(evaluate(text, &block, &value), 0, "%s: %lld", text, (long long)value);
}

static void refuse(const char *text, size_t column, const char *expected)
{
	struct expression_error error;

	cr_assert_null(expression_compile(text, &error), "%s", text);
	cr_assert_eq(error.column, column, "%s: column %zu: %s", text, error.column, error.text);
	cr_assert(strstr(error.text, expected) != NULL, "%s: %s", text, error.text);
}

Test(expression, operators_bind_as_in_c)
{
	is("2 + 3 * 4", 14);
	is("(2 + 3) * 4", 20);
	is("1 << 2 + 1", 8);
	is("10 - 4 - 3", 3);
	is("7 / 2 * 2 + 7 % 2", 7);
	is("6 & 3 == 3", 0);
	is("(6 & 3) == 2", 1);
	is("4 | 1 ^ 1 & 3", 4);
	is("1 || 0 && 0", 1);
	is("1 < 2 == 1", 1);
	is("-3 < -2 && !0 && ~0 == -1", 1);
	is("0 ? 1 : 0 ? 2 : 3", 3);
	is("(1, 2)", 2);
	is("- -5 + 0x10 - 010", 13);
}

/* Each pair in all ways; the third is -1, 0 or 1, as the first is less, equal or greater. */
Test(expression, comparisons_are_of_signed_numbers)
{
	static const struct {
		const char *left, *right;
		int order;
	} pairs[] = {{"1", "2", -1},
	             {"2", "1", 1},
	             {"2", "2", 0},
	             {"0", "0", 0},
	             {"-1", "0", -1},
	             {"-1", "1", -1},
	             {"-1", "-2", 1},
	             {"9223372036854775807", "-1", 1},
	             {"(1 << 63)", "9223372036854775807", -1},
	             {"(1 << 63)", "(1 << 63)", 0}};
	static const struct {
		const char *operator;
		int below, equal, above;
	} ways[] = {{"<", 1, 0, 0},  {"<=", 1, 1, 0}, {">", 0, 0, 1},
	            {">=", 0, 1, 1}, {"==", 0, 1, 0}, {"!=", 1, 0, 1}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (size_t j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
			char text[96];

			snprintf(text, sizeof(text), "%s %s %s", pairs[i].left, ways[j].operator,
			         pairs[i].right);
			is(text, pairs[i].order < 0    ? ways[j].below
			         : pairs[i].order == 0 ? ways[j].equal
			                               : ways[j].above);
		}
}

Test(expression, bits_shifts_and_divisions)
{
	static const struct {
		const char *text;
		int64_t value;
	} rows[] = {{"12 & 10", 8},
	            {"12 | 10", 14},
	            {"12 ^ 10", 6},
	            {"~12", -13},
	            {"1 << 0", 1},
	            {"1 << 62", INT64_C(1) << 62},
	            {"1 << 63", INT64_MIN},
	            {"1 << 65", 0},
	            {"-8 >> 1", -4},
	            {"8 >> 3", 1},
	            {"8 >> 4", 0},
	            {"-1 >> 63", -1},
	            {"7 / -2", -3},
	            {"-7 / 2", -3},
	            {"7 % -2", 1},
	            {"-7 % 2", -1},
	            {"5 / -1", -5},
	            {"5 % -1", 0},
	            {"0 / 5", 0},
	            {"1 && 2", 1},
	            {"1 && 0", 0},
	            {"0 && 1", 0},
	            {"0 || 2", 1},
	            {"0 || 0", 0},
	            {"!5", 0},
	            {"!0", 1},
	            {"2 ? 7 : 8", 7},
	            {"0 ? 7 : 8", 8},
	            {"3 - 5", -2},
	            {"- 3", -3}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is(rows[i].text, rows[i].value);
}

Test(expression, numbers_have_units)
{
	is("1.5s", 1500000000);
	is("20ms + 3us + 4ns", 20003004);
	is("2K + 1.5m", 2048 + 3 * 512 * 1024);
	is("0xff", 255);
}

Test(expression, arithmetic_does_not_trap)
{
	is_missing("1 / 0");
	is_missing("1 % (2 - 2)");
	is("(1 << 63) / -1 == 1 << 63", 1);
	is("(1 << 63) % -1", 0);
	is("1 << 64", 0);
	is("-1 >> 200", -1);
	is("9223372036854775807 + 1 < 0", 1);
	is("-(1 << 63) < 0", 1);
	is("LOG2(1023) - 9 + LOG10(1000) * 10 + LOG2(1024)", 40);
	is_missing("LOG2(0)");
}

Test(expression, words_are_values_of_events)
{
	is("HSIZE", 100);
	is("hsize == 100 && CpuId == 3", 1);
	is("PID * 10 + EXPID", 47112);
	is("EXPGRID", 1);
	is("LWPID", 42);
	is("HVADDR >> 12", 5);
	is("HLEAKED + HFREED == HSIZE", 1);
	is("HCUR_NET_ALLOC == DATASIZE", 1);
}

Test(expression, what_an_event_does_not_have_is_missing)
{
	int64_t value;

	is_missing("IOFD");
	is_missing("IOFD == IOFD");
	is_missing("!(IONBYTE > 3)");
	is_missing("IOFD IN (1, 2)");
	is("IOFD && 0", 0);
	is("0 && IOFD", 0);
	is("IOFD || 1", 1);
	is_missing("IOFD || 0");
	is_missing("IOFD ? 1 : 1");
	cr_assert_eq(evaluate("IOFD", &call, &value), 1);
	cr_assert_eq(value, -1);
}

Test(expression, lists)
{
	is("CPUID IN (1, 2)", 0);
	is("CPUID IN (1, 3)", 1);
	is("CPUID IN 3", 1);
	is("2 + 1 IN (3)", 1);
	is("(1, 3) SOME IN (CPUID, 7)", 1);
	is("(1, 2) SOME IN (CPUID, 7)", 0);
	is("(3, 42) ORDERED IN (1, CPUID, LWPID)", 1);
	is("(42, 3) ORDERED IN (1, CPUID, LWPID)", 0);
	is("(1, 2, 3, 4) ORDERED IN (1, 2, 3)", 0);
	is("1 ordered in (2, 1)", 1);
}

Test(expression, values_with_names)
{
	int64_t value;

	is("HTYPE == \"malloc\"", 1);
	is("HTYPE != 'malloc'", 0);
	is("'calloc' == HTYPE", 0);
	is("HTYPE IN ('calloc', 'malloc')", 1);
	is("HTYPE == REGEX('m.*c')", 1);
	is("HTYPE == REGEX('c.*')", 0);
	is_missing("IOTYPE == 'error'");
	cr_assert_eq(evaluate("IOTYPE == 'error' && IOERROR == 'ENOENT' && IOFUNC == 'read'", &call,
	                      &value),
	             1);
	cr_assert_eq(value, 1);
}

Test(expression, events_without_a_stack_are_unknown)
{
	struct exp_fact fact = block;
	int64_t value;

	fact.node = EXP_NO_INDEX;
	cr_assert_eq(evaluate("FNAME('<Unknown>') IN LEAF", &fact, &value), 1);
	cr_assert_eq(value, 1);
	cr_assert_eq(
		evaluate("(FNAME('main'), FNAME('<Unknown>')) ORDERED IN STACK", &fact, &value), 1);
	cr_assert_eq(value, 0);
	cr_assert_eq(evaluate("STACK SOME IN (FNAME('main'), FNAME('.Unkn.*'))", &fact, &value), 1);
	cr_assert_eq(value, 1);
}

Test(expression, errors_name_the_column_and_the_nearest_word)
{
	refuse("", 1, "a value expected where the expression ends");
	refuse("THRDID == 1", 1, "did you mean 'THRID'?");
	refuse("FNAM('main') IN LEAF", 1, "did you mean 'FNAME'?");
	refuse("1 + zzzzzzzz", 5, "unknown word 'zzzzzzzz' (describe lists the words)");
	refuse("IOTYPE == reed", 11, "'reed' (did you mean \"read\", in quotes?)");
	refuse("IOTYPE == read", 11, "'read' (did you mean \"read\", in quotes?)");
	refuse("HTYPE == 'maloc'", 10, "HTYPE is never 'maloc' (did you mean 'malloc'?)");
	/* Such calls are not events. */
	refuse("HTYPE == 'free'", 10, "HTYPE is never 'free'");
	refuse("HTYPE == 'munmap'", 10, "HTYPE is never 'munmap'");
	refuse("1 +", 4, "a value expected");
	refuse("1 2", 3, "an operator expected instead of '2'");
	refuse("(1, 2", 6, "')' expected");
	refuse("HSIZE = 3", 7, "equality is written ==");
	refuse("HSIZE == 'x'", 10, "compared with words that have names");
	refuse("STACK == 3", 10, "a stack is compared with functions");
	refuse("STACK + 1", 1, "functions can only be compared with a stack");
	refuse("FNAME('a')", 1, "functions can only be compared with a stack");
	refuse("FNAME('a(') IN STACK", 7, "not a regular expression");
	refuse("FNAME('a+++++++++++++++++') IN STACK", 7, "too many repetitions");
	refuse("REGEX('(a{3000}){3000}') == IOFNAME", 7, "too many repetitions");
	refuse("STACK ORDERED IN (FNAME('a'))", 1, "stands on the right");
	refuse("1.5 < 2", 1, "a fraction needs a unit");
	refuse("12ab", 1, "not a number");
	refuse("99999999999999999999", 1, "too large");
	refuse("'abc", 1, "no closing quote");
	refuse("(1, 2) IN (3)", 1, "one value on its left");
	refuse("1 SOME 2", 8, "IN expected");
	refuse("1 ? 2", 6, "':' expected");
	refuse("\x01", 1, "no word of an expression");
}

/* Wherever what is wrong stands, all of the expression is refused. */
Test(expression, an_error_in_any_part_is_one_of_the_whole)
{
	static const struct {
		const char *text;
		size_t column;
	} rows[] = {{"STACK && 1", 1},        {"1 && STACK", 6},         {"STACK || 1", 1},
	            {"1 || STACK", 6},        {"1 && (2 || STACK)", 12}, {"1 + STACK", 5},
	            {"STACK < 1", 1},         {"1 < STACK", 5},          {"STACK ? 1 : 2", 1},
	            {"1 ? STACK : 2", 5},     {"1 ? 2 : STACK", 9},      {"!STACK", 2},
	            {"(1, STACK)", 5},        {"(STACK, 1)", 2},         {"-STACK", 2},
	            {"1 IN (2, -STACK)", 11}, {"-STACK IN (2, 3)", 2},   {"LOG2(STACK)", 6}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refuse(rows[i].text, rows[i].column, "functions can only be compared with a stack");
}

Test(expression, nesting_and_length_have_bounds)
{
	char text[8192] = "", item[16];
	struct expression_error error;

	memset(text, '(', 4000);
	cr_assert_null(expression_compile(text, &error));
	memset(text, '!', 4000);
	cr_assert_null(expression_compile(text, &error));
	memset(text, '\0', sizeof(text));
	for (int i = 0; i < 80; i++)
		strcat(text, "1+(");
	cr_assert_null(expression_compile(text, &error));
	strcpy(text, "(0");
	for (int i = 0; i < 300; i++) {
		snprintf(item, sizeof(item), ",%d", i);
		strcat(text, item);
	}
	strcat(text, ") SOME IN ");
	memcpy(text + strlen(text), text, strlen(text) - strlen(" SOME IN "));
	cr_assert_null(expression_compile(text, &error));
	cr_assert(strstr(error.text, "too long") != NULL, "%s", error.text);
}

/* Every expression of random words ends in a program or in an error with a column inside it. */
Test(expression, random_words)
{
	static const char *const words[] = {
		"(",     ")",    ",",     "+",          "-",          "*",        "/",     "%",
		"<<",    ">>",   "&&",    "||",         "!",          "~",        "?",     ":",
		"<",     "==",   "!=",    "IN",         "SOME",       "ORDERED",  "STACK", "LEAF",
		"HSIZE", "IOFD", "HTYPE", "FNAME('a')", "REGEX('b')", "'malloc'", "0",     "1",
		"-1",    "3ms",  "LOG2",  "CPUID",      "PID",        "'"};
	const char *seed_text = getenv("XER_SEED");
	unsigned seed = seed_text ? (unsigned)strtoul(seed_text, NULL, 10) : 1;
	const struct filter_place place = {.info = &info, .whole = &whole};

	for (int round = 0; round < 20000; round++) {
		char text[256] = "";
		struct expression_error error;
		struct expression *expression;
		int count = 1 + rand_r(&seed) % 12;

		for (int i = 0; i < count; i++) {
			strcat(text,
			       words[(size_t)rand_r(&seed) % (sizeof(words) / sizeof(words[0]))]);
			strcat(text, " ");
		}
		expression = expression_compile(text, &error);
		if (!expression) {
			cr_assert(error.column >= 1 && error.column <= strlen(text) + 1 &&
			                  error.text[0] != '\0',
			          "%s", text);
			continue;
		}
		struct filter_run *run = filter_run_create(expression, &place);
		struct exp_fact fact = block;
		int64_t value;

		fact.node = EXP_NO_INDEX;
		filter_run_value(run, &fact, &value);
		filter_run_destroy(run);
		expression_destroy(expression);
	}
}
