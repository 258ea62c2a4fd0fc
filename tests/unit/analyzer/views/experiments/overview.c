/* The overview's lists of threads and processes. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/experiment/make_experiment.h"

#include "format/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 100, MS = 1000000 };

/* Threads FIRST, ... of which each has used a millisecond more than the one before. */
static void make_threads(struct maker *maker, unsigned count)
{
	static const uint64_t pcs[] = {0x1000};
	static const int parents[] = {-1};
	struct maker_stream stream;
	uint32_t ids[1];

	maker_nodes(maker, 1, pcs, parents, ids);
	maker_stream_init(&stream);
	for (unsigned i = 0; i < count; i++) {
		maker_extent(&stream, FIRST + i, MAKER_START_TICKS, 4096);
		maker_clock(&stream, MAKER_START_TICKS + 100 + i, 0, (uint64_t)(i + 1) * MS,
		            ids[0]);
	}
	maker_stream_put(maker, &stream, "profile");
}

static void has(const char *path, const char *lines)
{
	struct answer answer = answer_of(path, "overview");

	cr_expect_not_null(strstr(answer.text, lines), "%s\nis not in\n%s", lines, answer.text);
	answer_fini(&answer);
}

Test(overview_lists, the_threads_with_the_most_cpu_time_are_listed)
{
	struct maker maker;

	maker_create(&maker);
	make_threads(&maker, 3);
	has(maker.path, "\nThreads: 3\n"
	                "             0.003 seconds  102 \n"
	                "             0.002 seconds  101 \n"
	                "             0.001 seconds  100 \n\n");
	make_threads(&maker, 9);
	has(maker.path, "\nThreads: 9\n"
	                "             0.009 seconds  108 \n"
	                "             0.008 seconds  107 \n"
	                "             0.007 seconds  106 \n"
	                "             0.006 seconds  105 \n"
	                "             0.005 seconds  104 \n"
	                "             0.004 seconds  103 \n"
	                "             0.003 seconds  102 \n"
	                "             0.002 seconds  101 \n\n");
	maker_destroy(&maker);
}
