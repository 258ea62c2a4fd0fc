/* The helpers of samplers: whether they are running, and have written their counts. */
#include "tests/unit/experiment/make_samples.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct maker maker;
static struct experiment *experiment;

static void begin(const char *elements)
{
	uint64_t words[64];

	maker_sampler(&maker, elements, "cpu0", words);
}

static void end(void)
{
	experiment_close(experiment);
	maker_destroy(&maker);
}

#define COUNTERS "<setting name=\"counters\" value=\"page-faults,10 cycles,5\"/>\n"
#define COUNT(of) "<count name=\"" of "_samples\" value=\"0\"/>\n"

/* Of two counters, only the first one has a directory here: the helper of the second was
 * refused. */
Test(samplers, helpers_that_end_before_their_counts_are_told_of)
{
	static const struct {
		const char *log;
		unsigned untold;
	} rows[] = {
		{SETTING CLOCK EXIT, 1},
		{SETTING CLOCK EXIT COUNT("sampler"), 0},
		{SETTING COUNTERS CLOCK EXIT COUNT("sampler"), 1},
		{SETTING COUNTERS CLOCK EXIT COUNT("counter0"), 1},
		{SETTING COUNTERS CLOCK EXIT COUNT("sampler") COUNT("counter0"), 0},
		{SETTING "<setting name=\"sampler_timers\" value=\"1\"/>\n" CLOCK EXIT, 0},
		{CLOCK EXIT, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[256];

		begin(rows[i].log);
		snprintf(path, sizeof(path), "%s/counter0", maker.path);
		cr_assert_eq(mkdir(path, 0755), 0);
		maker_load(&maker, &experiment);
		cr_expect_eq(experiment_info(experiment)->untold, rows[i].untold, "%s",
		             rows[i].log);
		cr_expect_eq(maker.warnings, 0);
		end();
	}
}

static int lock_of(const char *helper)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", maker.path, helper);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	return fd;
}

Test(samplers, a_helper_at_work_has_time_to_tell)
{
	int lock;

	begin(SETTING CLOCK EXIT);
	lock = lock_of("sampler");
	maker_load(&maker, &experiment);
	cr_expect_eq(experiment_info(experiment)->untold, 0);
	close(lock);
	end();
}

Test(samplers, so_has_that_of_the_last_counter)
{
	char path[256];
	int lock;

	begin(SETTING COUNTERS CLOCK EXIT COUNT("sampler"));
	snprintf(path, sizeof(path), "%s/counter1", maker.path);
	cr_assert_eq(mkdir(path, 0755), 0);
	lock = lock_of("counter1");
	maker_load(&maker, &experiment);
	cr_expect_eq(experiment_info(experiment)->untold, 0);
	close(lock);
	end();
}
