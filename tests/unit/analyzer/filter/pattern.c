/* Tests of filters by the functions of call stacks, on experiments of programs with known facts:
 * the source of heap_known says how often each of its functions allocates. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The total of a metric under a filter. */
static double total(const char *experiment, const char *metric, const char *expression)
{
	char path[64], lines[512], *end;
	struct answer answer;
	const char *value;
	double number;

	snprintf(path, sizeof(path), "tests/golden/%s.er", experiment);
	snprintf(lines, sizeof(lines), "printmode csv\nmetrics i.%s:name\nfilters %s\nfunctions",
	         metric, expression);
	answer = answer_of(path, lines);
	cr_assert_eq(answer.status, 0, "%s: %s", expression, answer.messages);
	value = strstr(answer.text, "<Total>,");
	cr_assert(value != NULL, "%s: %s", expression, answer.text);
	number = strtod(value + strlen("<Total>,"), &end);
	answer_fini(&answer);
	return number;
}

static void allocations(const char *expression, unsigned expected)
{
	double found = total("heap", "heapalloccnt", expression);

	cr_expect_eq(found, expected, "%s: %.0f", expression, found);
}

Test(pattern, the_leaf_is_the_innermost_function)
{
	allocations("LEAF == FNAME('leak_malloc')", 7);
	allocations("FNAME('leak_.*') IN LEAF", 10);
	allocations("LEAF == FNAME('main')", 0);
	/* strdup allocates through a function of the C library. */
	allocations("LEAF == FNAME('use_strdup')", 0);
	allocations("LEAF == FNAME('libc.so.6.*')", 30);
	allocations("!(LEAF == FNAME('use_malloc'))", 169);
}

Test(pattern, a_stack_has_a_function_anywhere)
{
	allocations("FNAME('use_strdup') IN STACK", 30);
	allocations("FNAME('main') IN STACK", 269);
	allocations("FNAME('use_(malloc|calloc)') IN STACK", 150);
	/* Names must match completely. */
	allocations("FNAME('use_mallo') IN STACK", 0);
	allocations("!(FNAME('leak_.*') IN STACK)", 259);
}

Test(pattern, some_of_several)
{
	allocations("(FNAME('use_strdup'), FNAME('zero_malloc')) SOME IN STACK", 34);
	allocations("STACK SOME IN (FNAME('use_strdup'), FNAME('nobody'))", 30);
	allocations("(FNAME('use_strdup'), FNAME('leak_calloc')) SOME IN LEAF", 3);
}

Test(pattern, functions_in_order_from_the_outside_in)
{
	allocations("(FNAME('main'), FNAME('use_.*')) ORDERED IN STACK", 255);
	allocations("(FNAME('use_.*'), FNAME('main')) ORDERED IN STACK", 0);
	/* One directly after the other. */
	allocations("(FNAME('_start'), FNAME('main')) ORDERED IN STACK", 0);
	allocations("(FNAME('libc.*'), FNAME('libc.*'), FNAME('main'), FNAME('use_strdup'), "
	            "FNAME('libc.*')) ORDERED IN STACK",
	            30);
	allocations("(FNAME('main'), FNAME('use_strdup')) ORDERED IN LEAF", 0);
	allocations("(FNAME('use_strdup'), FNAME('libc.*')) ORDERED IN LEAF", 30);
}

Test(pattern, inlined_calls_are_functions_of_the_stack)
{
	cr_expect_eq(total("split", "heapalloccnt", "LEAF == FNAME('block')"), 5);
	cr_expect_eq(
		total("split", "heapalloccnt", "(FNAME('make'), FNAME('block')) ORDERED IN STACK"),
		3);
	cr_expect_eq(
		total("split", "heapalloccnt", "(FNAME('main'), FNAME('block')) ORDERED IN STACK"),
		0);
}

/* Compared with the tables of functions in the same mode (tests/golden/expected/java.functions,
 * java.machine, sampler.functions). */
Test(pattern, frames_of_the_recorder_and_of_the_java_machine_have_names_of_their_own)
{
	cr_expect_float_eq(total("java", "totalcpu", "FNAME('JavaSmall.work.*') IN USTACK"), 0.056,
	                   0.0005);
	cr_expect_eq(total("java", "totalcpu", "FNAME('Interpreter') IN USTACK"), 0);
	cr_expect_float_eq(total("java", "totalcpu", "FNAME('Interpreter') IN MSTACK"), 0.056,
	                   0.0005);
	cr_expect_eq(total("java", "heapalloccnt", "FNAME('Interpreter') IN MSTACK"), 91);
	cr_expect_eq(total("java", "heapalloccnt", "FNAME('call_stub') IN MSTACK"), 91);
	cr_expect_eq(total("java", "heapalloccnt", "FNAME('call_stub') IN USTACK"), 0);
	cr_expect_eq(total("java", "heapalloccnt", "FNAME('<JVM-System>') IN STACK"), 142);
	cr_expect_eq(total("java", "heapalloccnt", "LEAF == FNAME('<JVM-System>')"), 142);
	cr_expect_eq(total("java", "heapalloccnt", "FNAME('JavaSmall.main.*') IN STACK"), 21);
	cr_expect_eq(total("java", "totalcpu", "LEAF == FNAME('<Unknown>')"),
	             total("java", "totalcpu", "FNAME('<Unknown>') IN STACK"));
	cr_expect_float_eq(total("sampler", "totalcpu", "LEAF == FNAME('<Recorder>')"), 0.001,
	                   1e-6);
	cr_expect_float_eq(total("sampler", "totalcpu", "LEAF == FNAME('work_a')"), 0.027, 1e-6);
	cr_expect_float_eq(total("sampler", "totalcpu", "FNAME('<Truncated-stack>') IN STACK"),
	                   0.001, 1e-6);
}
