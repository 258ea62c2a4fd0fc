/* What is said where the kernel's part of stacks is refused. */
#include "collect/experiment/kernelframes.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

Test(kernelframes, addresses_that_are_hidden_are_all_zero)
{
	cr_assert(kernelframes_has_addresses("ffffffff81000000 T _text\n"));
	cr_assert(
		kernelframes_has_addresses("0000000000000000 A fixed\nffffffff81000000 T _text\n"));
	cr_assert_not(kernelframes_has_addresses(
		"0000000000000000 T _text\n0000000000000000 T _stext\n"));
	cr_assert_not(kernelframes_has_addresses("0000000000000000 T _text\n0000"), "cut");
	cr_assert_not(kernelframes_has_addresses(""));
}

Test(kernelframes, nothing_is_said_if_nothing_was_asked_for, .init = cr_redirect_stderr)
{
	struct request request = {0};

	kernelframes_prepare(&request);
	fflush(stderr);
	cr_assert(!request.kernel_refused);
	cr_assert_stderr_eq_str("");
}

Test(kernelframes, without_samples_there_are_no_stacks, .init = cr_redirect_stderr)
{
	struct request request = {.kernel = 1};

	kernelframes_prepare(&request);
	fflush(stderr);
	cr_assert_eq(request.kernel, 0);
	cr_assert(strstr(request.kernel_refused, "no samples are taken") != NULL);
	cr_assert_stderr_eq_str(
		"xcollect: -k: stacks have no functions of the kernel: no samples are taken (-p, --sampler, -h)\n");
}

Test(kernelframes, clock_samples_need_a_helper_unless_the_sampler_has_one)
{
	cr_assert(kernelframes_for_clock(&(struct request){.kernel = 1, .profile_us = 997}));
	cr_assert(kernelframes_for_clock(&(struct request){
		.kernel = 1, .profile_us = 997, .sampler_ns = 1000, .sampler_timers = 1}));
	cr_assert_not(kernelframes_for_clock(
		&(struct request){.kernel = 1, .profile_us = 997, .sampler_ns = 1000}));
	cr_assert_not(kernelframes_for_clock(&(struct request){.kernel = 1}));
	cr_assert_not(kernelframes_for_clock(&(struct request){.profile_us = 997}));
}
