/* From the tree of addresses to that of functions: where the samples of a place stand at which a
 * call returns. */
#include "format/layout.h"
#include "format/record.h"
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const uint64_t t = MAKER_START_TICKS;
static struct maker maker;
static uint32_t ids[4];

/* main calls last with its last instruction, so that the call returns to where `next` begins, which
 * is not called. There, samples were taken; last has allocated, and main too. */
static void set_up(void)
{
	static const uint64_t pcs[] = {0x1800, 0x2000, 0x3500, 0x2800};
	static const int parents[] = {-1, 0, 1, 0};
	static const char map[] =
		"<map version=\"1.0\">\n"
		" <function name=\"main\" address=\"0x1000\" size=\"4096\" generation=\"0\"/>\n"
		" <function name=\"next\" address=\"0x2000\" size=\"4096\" generation=\"0\"/>\n"
		" <function name=\"last\" address=\"0x3000\" size=\"4096\" generation=\"0\"/>\n"
		"</map>\n";
	struct maker_stream stream;

	maker_create(&maker);
	maker_put(&maker, FMT_FILE_MAP, map, sizeof(map) - 1);
	maker_nodes(&maker, 4, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_clock(&stream, t + 1000, FMT_clock_state_USER, 1000000, ids[1]);
	maker_clock(&stream, t + 2000, FMT_clock_state_SYSTEM, 4000000, ids[1]);
	maker_stream_put(&maker, &stream, "profile");
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 4096);
	maker_alloc(&stream, t + 1000, 0x5000, 100, ids[2]);
	maker_alloc(&stream, t + 2000, 0x6000, 20, ids[1]);
	maker_stream_put(&maker, &stream, "heaptrace");
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(gather, .init = set_up, .fini = tear_down);

/* The part of a view from `first` on. */
static void check(const char *lines, const char *first, const char *expected)
{
	struct answer answer = answer_of(maker.path, lines);
	const char *at = strstr(answer.text, first);

	cr_assert_not_null(at, "%s", answer.text);
	cr_expect_eq(strncmp(at, expected, strlen(expected)), 0, "%s: %s", lines, at);
	answer_fini(&answer);
}

#define NO_SECONDS "0.0000     0.0000"

Test(gather, samples_where_a_call_returns_are_of_the_instruction_there)
{
	check("metrics e.user:e.system:e.heapallocbytes:name\nsort name\nfunctions", "0.0010",
	      "0.0010     0.0040       120               <Total>\n" NO_SECONDS
	      "       100               last\n" NO_SECONDS "        20               main\n"
	      "0.0010     0.0040         0               next\n");
	check("metrics e.user:name\nsort name\nfunctions", "0.0010",
	      "0.0010     <Total>\n"
	      "0.0010     next\n"
	      "# next: ");
	check("metrics e.system:name\nsort name\nfunctions", "0.0040",
	      "0.0040       <Total>\n"
	      "0.0040       next\n"
	      "# next: ");
	check("metrics e.heapallocbytes:name\nsort name\nfunctions", "120 ",
	      "120               <Total>\n"
	      "100               last\n"
	      " 20               main\n"
	      "# next: ");
}

/* Both are called by who has called. */
Test(gather, in_the_tree_they_stand_beside_the_call)
{
	check("metrics i.user:i.heapallocbytes:name\ncalltree", "0.0010",
	      "0.0010     120               +-<Total>\n"
	      "0.0010     120                 +-main\n"
	      "0.0010       0                   +-next\n"
	      "0.0000     120                   +-main\n"
	      "0.0000     100                     +-last\n"
	      "\n");
}
