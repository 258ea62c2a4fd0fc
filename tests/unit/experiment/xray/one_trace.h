/* one_trace.h: what suites whose experiments have one function trace share. Functions 1 to 9 are at
 * 0x1000, 0x2000, ... */
#ifndef XER_TESTS_UNIT_EXPERIMENT_XRAY_ONE_TRACE_H
#define XER_TESTS_UNIT_EXPERIMENT_XRAY_ONE_TRACE_H

#include "tests/unit/experiment/make_experiment.h"

#include "format/fdr.h"
#include "format/record.h"

#include <criterion/criterion.h>

static struct maker maker;
static struct maker_stream stream;
static struct experiment *experiment;
static const uint64_t t = MAKER_START_TICKS;

static void set_up(void)
{
	struct maker_stream table;

	maker_create(&maker);
	maker_stream_init(&stream);
	maker_stream_init(&table);
	maker_extent(&table, 42, t, 4096);
	for (uint32_t id = 1; id <= 9; id++)
		maker_function(&table, t, id, 0x1000 * id);
	maker_stream_put(&maker, &table, "functable");
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

static const struct exp_data_set *load(void)
{
	struct exp_cause cause;
	const struct exp_data_set *set;

	maker_stream_put(&maker, &stream, "functrace");
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	return set;
}

static void put(uint64_t word)
{
	maker_words(&stream, &word, 1);
}

static void enter(uint32_t id, uint32_t delta)
{
	put(fdr_function_word(id, FDR_ENTER, delta));
}

static void leave(uint32_t id, uint32_t delta)
{
	put(fdr_function_word(id, FDR_EXIT, delta));
}

#endif
