/* Tests of lists of call stacks: how many frames of a deep one are shown. */
#include "tests/unit/analyzer/answer.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes: a chain from the outermost frame inwards. */
enum { NODES = 300, INNER = 200, OUTER = 50, LOWEST = 0x10000, STEP = 16 };
static uint64_t pcs[NODES];
static int parents[NODES];
#define load load_one
#include "tests/unit/experiment/one_stream.h"

static void begin(void)
{
	for (int i = 0; i < NODES; i++) {
		pcs[i] = LOWEST + (uint64_t)i * STEP;
		parents[i] = i - 1;
	}
	set_up();
	(void)load_one;
	maker_extent(&stream, 42, t, 4096);
}

TestSuite(stacks, .init = begin, .fini = tear_down);

static char *print(const char *commands)
{
	struct answer answer;
	char *text;

	maker_stream_put(&maker, &stream, "heaptrace");
	answer = answer_of(maker.path, commands);
	cr_expect_eq(answer.status, 0, "%s", answer.messages);
	text = strdup(answer.text);
	answer_fini(&answer);
	return text;
}

/* How many frames are printed: those of no load object have one name. */
static size_t count_frames(const char *text)
{
	size_t count = 0;

	for (; (text = strstr(text, "\n  <Unknown>\n")); text++)
		count++;
	return count;
}

/* A leak whose stack has this many frames. */
static void check_depth(unsigned depth)
{
	char said[64], *text;
	size_t shown = depth > INNER + OUTER ? INNER + OUTER : depth;

	maker_alloc(&stream, t, 0x5000, 16, ids[depth - 1]);
	text = print("leaks");
	cr_expect_eq(count_frames(text), shown, "%s", text);
	snprintf(said, sizeof(said), "\n  ... %u frames not shown\n", depth - INNER - OUTER);
	cr_expect_eq(strstr(text, said) != NULL, depth > INNER + OUTER, "%s", text);
	cr_expect_eq(strstr(text, "not shown") != NULL, depth > INNER + OUTER, "%s", text);
	free(text);
}

Test(stacks, a_stack_of_one_frame_is_shown)
{
	check_depth(1);
}

Test(stacks, a_stack_that_is_just_not_too_deep_is_shown_whole)
{
	check_depth(INNER + OUTER);
}

Test(stacks, one_frame_more_is_left_out_in_the_middle)
{
	check_depth(INNER + OUTER + 1);
}

Test(stacks, many_frames_are_left_out_in_the_middle)
{
	check_depth(NODES);
}
