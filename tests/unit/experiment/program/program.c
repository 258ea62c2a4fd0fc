/* Tests of programs that are read in place of experiments. */
#include "experiment/program/program.h"
#include "experiment/data.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(program, .timeout = 30);

static struct experiment *experiment;
static struct exp_cause cause;

static int opens(const char *path)
{
	return experiment_open(path, NULL, &experiment, &cause);
}

/* The function at a node of the program. */
static const char *name_of(struct symbols *symbols, const struct exp_nodes *nodes, size_t node)
{
	const struct sym_frame *frames;
	int count = symbols_frames(symbols, experiment, nodes->pc[node], 0, 1, &frames);

	cr_assert_gt(count, 0);
	return frames[count - 1].function->name;
}

Test(program, its_functions_are_nodes_without_values)
{
	const struct exp_data_set *set;
	struct symbols *symbols = symbols_create();
	size_t found = 0;

	cr_assert_eq(opens("/proc/self/exe"), 0, "%s", cause.text);
	cr_expect(experiment_is_program(experiment));
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect(set->nodes.is_program);
	cr_expect_eq(set->have, 0);
	for (size_t i = 0; i < set->nodes.count; i++)
		found += strcmp(name_of(symbols, &set->nodes, i), "experiment_open") == 0;
	cr_expect_eq(found, 1);
	symbols_destroy(symbols);
	experiment_close(experiment);
}

Test(program, an_experiment_is_none)
{
	const struct exp_data_set *set;

	cr_assert_eq(opens("tests/golden/profile.er"), 0);
	cr_expect_not(experiment_is_program(experiment));
	cr_assert_eq(experiment_load(experiment, &set), 0);
	cr_expect_not(set->nodes.is_program);
	experiment_close(experiment);
}

/* The program of this test, of which only so many bytes are left. */
static void cut(const char *path, size_t size)
{
	char *bytes = malloc(size);
	FILE *from = fopen("/proc/self/exe", "r"), *to = fopen(path, "w");

	cr_assert(bytes && from && to && fread(bytes, 1, size, from) == size);
	fwrite(bytes, 1, size, to);
	fclose(from);
	fclose(to);
	free(bytes);
}

Test(program, damaged_ones_are_refused)
{
	char path[] = "/tmp/xer-program-XXXXXX";

	close(mkstemp(path));
	for (size_t size = 4; size < 4096; size += size < 80 ? 1 : 997) {
		cut(path, size);
		cr_expect_lt(opens(path), 0, "%zu", size);
		cr_expect(cause.text[0] != '\0');
	}
	unlink(path);
}
