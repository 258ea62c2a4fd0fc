/* Tests of programs that no library can be loaded into. */
#include "collect/target/outside.h"
#include "tests/unit/capture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct target target = {.path = "/x/static", .outside = "it is statically linked"};
static struct cause cause;

Test(outside, without_samples_of_the_kernel_it_is_refused)
{
	struct request request = {.profile_us = 10007};

	cr_expect_eq(outside_prepare(&request, &target, &cause), 126);
	cr_expect_str_eq(cause.text, "/x/static cannot be recorded: it is statically linked; "
	                             "--sampler (or -h) samples it from outside");
	cr_expect_eq(request.profile_us, 10007);
}

Test(outside, with_them_nothing_else_is_recorded)
{
	struct request request = {.sampler_ns = 1000,
	                          .profile_us = 10007,
	                          .sample_ms = 1000,
	                          .heap = 1,
	                          .heap_mean = 4096,
	                          .io = 1,
	                          .sync = 1,
	                          .functrace = 1,
	                          .mpi = MPI_ON,
	                          .omp = 2,
	                          .java = JAVA_ON,
	                          .pause_signal = 10,
	                          .sample_signal = 12,
	                          .snapshot_signal = 14,
	                          .start_paused = 1,
	                          .stop = 1,
	                          .from_ms = 1,
	                          .to_ms = 2,
	                          .limit_bytes = 3};
	struct capture messages;
	char *said;

	capture_begin(&messages, stderr);
	cr_expect_eq(outside_prepare(&request, &target, &cause), 0);
	said = capture_end(&messages);
	cr_expect_str_eq(said, "xcollect: /x/static is sampled from outside, and nothing else is "
	                       "recorded: it is statically linked\n");
	free(said);
	cr_expect(request.profile_us == 0 && request.sample_ms == 0 && request.heap == 0 &&
	          request.heap_mean == 0 && request.io == 0 && request.sync == 0 &&
	          request.functrace == 0 && request.omp == 0 && request.pause_signal == 0 &&
	          request.sample_signal == 0 && request.snapshot_signal == 0 &&
	          request.start_paused == 0 && request.stop == 0 && request.from_ms == 0 &&
	          request.to_ms == 0 && request.limit_bytes == 0);
	cr_expect(request.mpi == MPI_OFF && request.java == JAVA_OFF && request.hooks.is_off == 1);
	cr_expect_eq(request.sampler_ns, 1000);
}

Test(outside, of_a_running_process_the_end_stays)
{
	struct request request = {.counters.count = 1, .attach = 4711, .to_ms = 2};
	struct capture messages;

	capture_begin(&messages, stderr);
	cr_expect_eq(outside_prepare(&request, &target, &cause), 0);
	free(capture_end(&messages));
	cr_expect_eq(request.to_ms, 2);
}

Test(outside, timers_cannot_stand_in_for_the_kernel)
{
	struct request request = {.sampler_ns = 1000, .profile_us = 100, .sampler_timers = 1};

	cr_expect_eq(outside_check(&request, &target, &cause), 126);
	cr_expect_str_eq(cause.text,
	                 "/x/static cannot be recorded: it is statically linked; the kernel's "
	                 "samples could be taken from outside, but are not allowed");
	cr_expect(request.sampler_ns == 0 && request.profile_us == 0 && !request.sampler_timers);
	request = (struct request){.sampler_ns = 1000, .sampler_timers = 1, .counters.count = 1};
	cr_expect_eq(outside_check(&request, &target, &cause), 0);
	request = (struct request){.sampler_ns = 1000};
	cr_expect_eq(outside_check(&request, &target, &cause), 0);
	cr_expect_eq(request.sampler_ns, 1000);
}
