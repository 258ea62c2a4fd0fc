/* Samples as the kernel writes them: read, cut, and refused. */
#include "sampler/ring.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>

#define HEAD(count) 7 | (uint64_t)9 << 32, 1000, 3, count
#define USER ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static struct ring_sample sample;

#define DECODE(...) ring_decode((const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, &sample)

Test(ring, a_sample_is_read)
{
	cr_assert(DECODE(HEAD(3), USER, 0x401000, 0x402000));
	cr_assert_eq(sample.pid, 7);
	cr_assert_eq(sample.tid, 9);
	cr_assert_eq(sample.time_ns, 1000);
	cr_assert_eq(sample.cpu, 3);
	cr_assert_eq(sample.count, 2);
	cr_assert_eq(sample.pcs[0], 0x401000);
	cr_assert_eq(sample.pcs[1], 0x402000);
}

Test(ring, frames_of_the_kernel_are_left_out)
{
	cr_assert(DECODE(HEAD(4), KERNEL, 0xffffffff81000000, USER, 0x401000));
	cr_assert_eq(sample.count, 1);
	cr_assert_eq(sample.pcs[0], 0x401000);
}

Test(ring, a_zero_ends_the_stack)
{
	cr_assert(DECODE(HEAD(4), USER, 0x401000, 0, 0x402000));
	cr_assert_eq(sample.count, 1);
}

Test(ring, samples_without_a_frame_are_refused)
{
	cr_assert_not(DECODE(HEAD(0)), "empty");
	cr_assert_not(DECODE(HEAD(1), USER), "no frame");
	cr_assert_not(DECODE(HEAD(2), USER, 0), "pc 0");
	cr_assert_not(DECODE(HEAD(2), USER, 0xfff), "the first page");
	cr_assert_not(DECODE(HEAD(2), USER, 0x0100000000000000), "above user space");
	cr_assert_not(DECODE(HEAD(2), KERNEL, 0xffffffff81000000), "the kernel alone");
}

Test(ring, a_stack_that_goes_astray_is_marked)
{
	cr_assert(DECODE(HEAD(4), USER, 0x401000, 0xfff, 0x402000));
	cr_assert_eq(sample.count, 1);
	cr_assert(sample.is_bad);
	cr_assert(DECODE(HEAD(3), USER, 0x401000, 0x0100000000000000));
	cr_assert(sample.is_bad);
	cr_assert(DECODE(HEAD(3), USER, 0x401000, 0x402000));
	cr_assert_not(sample.is_bad);
}

Test(ring, a_count_beyond_the_record_is_refused)
{
	cr_assert_not(DECODE(HEAD(4), USER, 0x401000, 0x402000));
	cr_assert_not(DECODE(HEAD(UINT64_MAX), USER, 0x401000));
	cr_assert_not(ring_decode((const uint64_t[]){1, 2, 3}, 3, &sample));
	cr_assert_not(ring_decode(NULL, 0, &sample));
}

Test(ring, at_most_64_frames_are_taken)
{
	uint64_t words[4 + 1 + 100] = {HEAD(101), USER};

	for (size_t i = 5; i < 105; i++)
		words[i] = 0x400000 + i;
	cr_assert(ring_decode(words, 105, &sample));
	cr_assert_eq(sample.count, RING_FRAMES_MAX);
	cr_assert_eq(sample.pcs[63], 0x400000 + 68);
}
