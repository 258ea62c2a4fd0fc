/* one_stream.h: what suites whose experiments have one data file share. Before including it, a file
 * defines NODES, and pcs and parents of that many nodes; set_up makes them and an empty stream. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_ONE_STREAM_H
#define XER_TESTS_UNIT_EXPERIMENT_ONE_STREAM_H

#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>

static struct maker maker;
static struct maker_stream stream;
static struct experiment *experiment;
static uint32_t ids[NODES]; /* of the nodes */
static const uint64_t t = MAKER_START_TICKS;

static void set_up(void)
{
	maker_create(&maker);
	maker_nodes(&maker, NODES, pcs, parents, ids);
	maker_stream_init(&stream);
}

/* Write the stream as the file `name`, and load the experiment. */
static const struct exp_data_set *load(const char *name)
{
	struct exp_cause cause;
	const struct exp_data_set *set;

	maker_stream_put(&maker, &stream, name);
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	cr_assert_eq(experiment_load(experiment, &set), 0);
	return set;
}

static void tear_down(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

#endif
