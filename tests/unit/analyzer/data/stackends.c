/* Tests of what is said of the code at which stacks end. */
#include "analyzer/data/stackends.h"

#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

static char text[480];

static void expect(const struct stackends *ends, const char *expected)
{
	cr_assert(stackends_text(ends, text, sizeof(text)));
	cr_expect_str_eq(text, expected, "%s", text);
}

Test(stackends, few_are_not_worth_a_line)
{
	cr_expect_not(stackends_text(&(struct stackends){.events = 0}, text, sizeof(text)));
	cr_expect_not(
		stackends_text(&(struct stackends){.events = 100, .cut = 4}, text, sizeof(text)));
	cr_expect_not(stackends_are_many(&(struct stackends){.events = 100}));
	cr_expect(stackends_are_many(&(struct stackends){.events = 100, .cut = 5}));
}

Test(stackends, the_most_are_named)
{
	expect(&(struct stackends){.events = 1000,
	                           .cut = 370,
	                           .most = {{"beam.smp", 1, 300}, {"libx.so", 0, 37}}},
	       "37.0 % are cut, where neither unwinding tables nor frame pointers lead on: 81.1 % of them in JIT "
	       "code of beam.smp, 10.0 % in libx.so");
}

Test(stackends, those_for_their_depth_are_told_apart)
{
	expect(&(struct stackends){.events = 100, .cut = 50, .deep = 50},
	       "50.0 % are cut, 100.0 % of them for their depth");
	expect(&(struct stackends){.events = 100,
	                           .cut = 50,
	                           .deep = 20,
	                           .most = {{"shellcheck", 0, 30}}},
	       "50.0 % are cut, where neither unwinding tables nor frame pointers lead on: 60.0 % of them in "
	       "shellcheck; 40.0 % of them for their depth");
}

Test(stackends, long_names_are_cut)
{
	char name[200] = "";

	memset(name, 'x', sizeof(name) - 1);
	struct stackends ends = {
		.events = 1, .cut = 1, .most = {{name, 1, 1}, {name, 0, 1}, {name, 0, 1}}};

	cr_assert(stackends_text(&ends, text, sizeof(text)));
	cr_expect_lt(strlen(text), sizeof(text) - 1, "%s", text);
}

Test(stackends, are_found_and_sorted)
{
	static const uint64_t pcs[] = {FMT_PC_TRUNCATED, 0x1000, 0x1100, FMT_PC_FAILED, 0x7000000};
	static const int parents[] = {-1, 0, 1, -1, 3};
	struct maker maker;
	struct maker_stream stream;
	struct answer answer;
	uint32_t ids[5];

	maker_create(&maker);
	maker_nodes(&maker, 5, pcs, parents, ids);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, MAKER_START_TICKS + 1, 4096);
	for (uint64_t i = 0; i < 4; i++)
		maker_clock(&stream, MAKER_START_TICKS + 100000000 * (i + 1), FMT_clock_state_USER,
		            100000000, ids[i == 0 ? 4 : 2]);
	maker_stream_put(&maker, &stream, "profile");
	answer = answer_of(maker.path, "functions");
	cr_expect(strstr(answer.text,
	                 "\n# stacks: 100.0 % are cut, where neither unwinding tables nor frame "
	                 "pointers lead on: 100.0 % of them in <Unknown>\n"),
	          "%s", answer.text);
	answer_fini(&answer);
	maker_destroy(&maker);
}
