/* Tests of analyzer/views/time/critsum.c, on a path that was put together by hand. */
#include "analyzer/views/time/critsum.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROWS = 40 };

/* The time of a path is that of its rows, however many these are: what ran without samples is the
 * last row, behind those of the waits. */
Test(critsum, what_ran_without_samples_is_a_row)
{
	static const struct exp_data_set set;
	static const struct dataset_experiment process = {.whole = &set, .data = &set, .id = 1};
	static const struct dataset dataset = {.focus = DATASET_ALL};
	struct crit_thread thread = {.at = &process};
	struct crit_waits waits = {.threads = &thread, .thread_count = 1};

	for (size_t rows = 0; rows < ROWS; rows++) {
		struct crit_wait of[ROWS];
		struct crit_step steps[ROWS + 1] = {{.from_ns = 0, .to_ns = 500}};
		const struct crit_path path = {.steps = steps, .count = rows + 1};
		struct crit_sum sum;

		for (size_t i = 0; i < rows; i++) {
			of[i] = (struct crit_wait){.node = EXP_NO_INDEX,
			                           .state = FMT_wall_state_SLEEP,
			                           .family = FMT_wait_family_SYNC,
			                           .func = (uint8_t)(i + 1)};
			steps[i + 1] = (struct crit_step){.from_ns = 0, .to_ns = 7, .wait = &of[i]};
		}
		cr_assert_eq(crit_sum_make(&dataset, NULL, &waits, &path, &sum), 0);
		for (size_t i = 0; i < sum.count; i++)
			if (strcmp(sum.rows[i].state, "ready") == 0)
				cr_expect_eq(sum.rows[i].ns, 500, "%zu rows: %llu", rows,
				             (unsigned long long)sum.rows[i].ns);
			else
				cr_expect_eq(sum.rows[i].ns % 7, 0);
		crit_sum_fini(&sum);
	}
}
