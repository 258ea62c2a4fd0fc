/* Tests of the views of user events: many hooks, and many pairs of them. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { HOOKS = 700, KEYS = 3000, US = 1000 };

static struct maker maker;
static struct maker_stream stream;
static const uint64_t t = MAKER_START_TICKS;

static void set_up(void)
{
	maker_create(&maker);
	maker_stream_init(&stream);
	maker_extent(&stream, 42, t, 1 << 20);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

TestSuite(hooks, .init = set_up, .fini = tear_down);

/* An event with one word. */
static void put(uint64_t after, unsigned hook, unsigned subhook, uint64_t word)
{
	struct fmt_user record = {.kind = FMT_KIND_user,
	                          .shape = 1,
	                          .hook = (uint16_t)hook,
	                          .subhook = (uint16_t)subhook};
	uint64_t high = word & ~(uint64_t)FMT_USER_LOW;
	uint8_t payload[16] = {0};

	record.low = (uint16_t)fmt_user_low_of(word);
	memcpy(payload, &record, 8);
	memcpy(payload + 8, &high, 8);
	maker_event(&stream, t + after, payload, sizeof(payload));
}

static struct answer answer(const char *line)
{
	maker_stream_put(&maker, &stream, "usertrace");
	return answer_of(maker.path, line);
}

static void expect(const char *line, const char *text)
{
	struct answer made = answer(line);

	cr_expect(strstr(made.text, text) != NULL, "%s\nis not in\n%s%s", text, made.text,
	          made.messages);
	answer_fini(&made);
}

Test(hooks, times_between_are_those_of_one_row)
{
	put(1000 * US, 0x0100, 1, 0);
	put(1500 * US, 0x0200, 0, 0);
	put(2000 * US, 0x0100, 1, 0);
	put(2200 * US, 0x0100, 2, 0);
	put(4000 * US, 0x0100, 1, 0);
	expect("printmode csv\nhooks", "\n010,0001,3,24,0.001000000,0.004000000,0.003000000,"
	                               "0.001000000,0.001500000,0.002000000\n"
	                               "010,0002,1,8,0.002200000,0.002200000,,,,\n"
	                               "020,0000,1,8,0.001500000,0.001500000,,,,\n");
}

Test(hooks, many_rows_are_all_there_in_order)
{
	struct answer made;
	const char *at;
	unsigned rows = 0;

	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < HOOKS; i++)
			put((uint64_t)(1000 + round * HOOKS + (int)i) * US, 0x0100,
			    i * 11 % HOOKS + 1, 0);
	made = answer("printmode csv\nhooks");
	at = made.text;
	for (unsigned i = 1; i <= HOOKS; i++) {
		char row[64];

		snprintf(row, sizeof(row), "\n010,%04X,2,16,", i);
		at = strstr(at, row);
		cr_assert(at != NULL, "%s", row);
		rows++;
	}
	cr_expect_eq(rows, HOOKS);
	/* Between the two events of each pair there is one round. */
	cr_expect(strstr(made.text, ",0.000700000,0.000700000,0.000700000,0.000700000\n") != NULL);
	answer_fini(&made);
}

Test(hooks, many_pairs_are_open_at_a_time)
{
	for (unsigned i = 0; i < KEYS; i++)
		put((uint64_t)(1000 + i) * US, 0x0100, 0, i * 64);
	for (unsigned i = 0; i < KEYS; i++)
		put((uint64_t)(5000 + i) * US, 0x0200, 0, i * 64);
	expect("printmode csv\nhookpairs '010 020 D1'",
	       "\n3000,12.000000000,0.004000000,0.004000000,0.004000000,3000,3000,0,0,0\n");
}

/* A pair that has ended makes room for another one. */
Test(hooks, pairs_one_after_the_other)
{
	for (unsigned i = 0; i < KEYS; i++) {
		put((uint64_t)(1000 + 4 * i) * US, 0x0100, 3, i * 64);
		put((uint64_t)(1001 + 4 * i) * US, 0x0200, 3, i * 64);
	}
	expect("printmode csv\nhookpairs '0100:3 020:3 d1'",
	       "\n3000,0.003000000,0.000001000,0.000001000,0.000001000,3000,3000,0,0,0\n");
}

Test(hooks, ends_that_do_not_fit_are_counted)
{
	put(1000 * US, 0x0200, 0, 0); /* without a first event */
	put(2000 * US, 0x0100, 0, 0);
	put(3000 * US, 0x0100, 0, 0); /* again */
	put(4000 * US, 0x0200, 0, 0);
	put(5000 * US, 0x0200, 1, 0); /* another sub-id */
	put(6000 * US, 0x0100, 0, 0); /* open */
	expect("printmode csv\nhookpairs '010 020:0'",
	       "\n1,0.001000000,0.001000000,0.001000000,0.001000000,3,2,1,1,1\n");
}

Test(hooks, one_hook_may_be_both_ends)
{
	put(1000 * US, 0x0100, 0, 0);
	put(1300 * US, 0x0100, 0, 0);
	put(1700 * US, 0x0100, 0, 0);
	expect("printmode csv\nhookpairs '010 010'",
	       "\n2,0.000700000,0.000300000,0.000350000,0.000400000,3,3,0,1,1\n");
}

Test(hooks, what_is_no_pair_is_refused)
{
	static const char *const bad[] = {"010",        "010 02",      "010 020 D0",  "010 020 D6",
	                                  "010 020 E1", "010 020 D1x", "010: 020",    "010:x 020",
	                                  "01g 020",    "010,020",     "010 020 D1 x"};

	put(1000 * US, 0x0100, 0, 0);
	maker_stream_put(&maker, &stream, "usertrace");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[64];

		snprintf(line, sizeof(line), "hookpairs '%s'", bad[i]);
		answer_check(maker.path, line, "",
		             "xer_print: hookpairs: needs \"FIRST SECOND [Dn]\": ID or ID:SUBID, "
		             "and the data word that pairs have in common\n",
		             2);
	}
}

/* Two of one moment; an end without a beginning; a beginning that comes again; one without an end.
 */
Test(hooks, pairs_are_counted_and_so_is_what_is_none)
{
	static const unsigned beginnings[] = {1000, 2000, 2100, 3000}, ends[] = {1000, 1200, 2600};

	put(beginnings[0] * US, 0x0100, 0, 0);
	put(ends[0] * US, 0x0200, 0, 0);
	put(ends[1] * US, 0x0200, 0, 0);
	put(beginnings[1] * US, 0x0100, 0, 0);
	put(beginnings[2] * US, 0x0100, 0, 0);
	put(ends[2] * US, 0x0200, 0, 0);
	put(beginnings[3] * US, 0x0100, 0, 0);
	expect("printmode csv\nhookpairs '010 020'",
	       "\n2,0.000500000,0.000000000,0.000250000,0.000500000,4,3,1,1,1\n");
}
