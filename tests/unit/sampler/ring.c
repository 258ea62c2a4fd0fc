/* Samples as the kernel writes them: complete, cut, and refused. */
#include "sampler/ring.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>

#define HEAD(count) 7 | (uint64_t)9 << 32, 1000, 5, count
#define USER ((uint64_t)PERF_CONTEXT_USER)
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

static struct ring_sample sample;

#define DECODE(...) \
	ring_decode((const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, \
	            &sample)

Test(ring, a_sample_is_read)
{
	cr_assert(DECODE(HEAD(3), USER, 0x401000, 0x402000));
	cr_assert_eq(sample.pid, 7);
	cr_assert_eq(sample.tid, 9);
	cr_assert_eq(sample.time_ns, 1000);
	cr_assert_eq(sample.cpu, 5);
	cr_assert_eq(sample.count, 2);
	cr_assert_eq(sample.pcs[0], 0x401000);
	cr_assert_eq(sample.pcs[1], 0x402000);
}

Test(ring, frames_of_the_kernel_are_apart)
{
	cr_assert(DECODE(HEAD(5), KERNEL, 0xffffffff81000000, 0xffffffff81000100, USER, 0x401000));
	cr_assert_eq(sample.count, 1);
	cr_assert_eq(sample.pcs[0], 0x401000);
	cr_assert_eq(sample.kernel_count, 2);
	cr_assert_eq(sample.kernel[0], 0xffffffff81000000);
	cr_assert_eq(sample.kernel[1], 0xffffffff81000100);
	cr_assert(DECODE(HEAD(2), USER, 0x401000));
	cr_assert_eq(sample.kernel_count, 0, "none are left from the sample before");
	cr_assert(DECODE(HEAD(4), KERNEL, 0x500000, USER, 0x401000));
	cr_assert_eq(sample.kernel_count, 0, "no address of the kernel");
}

Test(ring, of_the_kernel_as_many_frames_are_taken_as_there_is_room_for)
{
	uint64_t words[4 + 1 + 70 + 2] = {HEAD(73), KERNEL};

	for (size_t i = 5; i < 75; i++)
		words[i] = 0xffffffff81000000 + i;
	words[75] = USER;
	words[76] = 0x401000;
	cr_assert(ring_decode(words, 77, &sample));
	cr_assert_eq(sample.kernel_count, RING_KERNEL_MAX);
	cr_assert_eq(sample.kernel[RING_KERNEL_MAX - 1], 0xffffffff81000000 + 68);
	cr_assert_eq(sample.count, 1);
	cr_assert_not(sample.is_deep);
}

Test(ring, a_walk_of_127_frames_may_have_been_cut)
{
	uint64_t words[4 + 2 + 127] = {HEAD(129), KERNEL};

	for (size_t i = 5; i < 5 + 90; i++)
		words[i] = 0xffffffff81000000 + i;
	words[95] = USER;
	for (size_t i = 96; i < 96 + 37; i++)
		words[i] = 0x401000 + i;
	cr_assert(ring_decode(words, 133, &sample));
	cr_assert_eq(sample.count, 37);
	cr_assert(sample.is_deep);
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
	cr_assert(sample.is_deep && !sample.is_bad);
	words[3] = 1 + RING_FRAMES_MAX;
	cr_assert(ring_decode(words, 105, &sample));
	cr_assert_eq(sample.count, RING_FRAMES_MAX);
	cr_assert_not(sample.is_deep, "that was all of it");
}

/* Registers 1 to 24 without segment registers, in the kernel's order, then 16 bytes of stack, of
 * which 8 existed. */
#define REGISTERS \
	100, 103, 102, 101, 104, 105, 106, 107, 0x400016, 108, 109, 110, 111, 112, 113, 114, 115
#define STACKED(size, used) \
	(const uint64_t[]) \
	{ \
		7 | (uint64_t)9 << 32, 1000, 3, 2, REGISTERS, size, 0xaaaa, 0xbbbb, used \
	}

Test(ring, registers_and_a_stack_are_read)
{
	const uint64_t *words = STACKED(16, 8);

	cr_assert(ring_decode_stack(words, 25, 0, &sample));
	cr_assert_eq(sample.pid, 7);
	cr_assert_eq(sample.tid, 9);
	cr_assert_eq(sample.time_ns, 1000);
	cr_assert_eq(sample.count, 1);
	cr_assert_eq(sample.pcs[0], 0x400016);
	cr_assert_eq(sample.registers[0], 100, "rax");
	cr_assert_eq(sample.registers[1], 101, "rdx");
	cr_assert_eq(sample.registers[3], 103, "rbx");
	cr_assert_eq(sample.registers[RING_SP], 107);
	cr_assert_eq(sample.registers[15], 115, "r15");
	cr_assert_eq(sample.registers[RING_PC], 0x400016);
	cr_assert_eq(sample.stack_bytes, 8);
	cr_assert_eq(*(const uint64_t *)sample.stack, 0xaaaa);
}

/* The same behind a chain of the kernel. */
#define CHAINED(count) \
	(const uint64_t[]) \
	{ \
		7 | (uint64_t)9 << 32, 1000, 3, count, KERNEL, 0xffffffff81000000, 2, REGISTERS, \
			16, 0xaaaa, 0xbbbb, 8 \
	}

Test(ring, a_stack_behind_a_chain_of_the_kernel_is_read)
{
	cr_assert(ring_decode_stack(CHAINED(2), 28, 1, &sample));
	cr_assert_eq(sample.tid, 9);
	cr_assert_eq(sample.kernel_count, 1);
	cr_assert_eq(sample.kernel[0], 0xffffffff81000000);
	cr_assert_eq(sample.count, 1);
	cr_assert_eq(sample.pcs[0], 0x400016);
	cr_assert_eq(sample.registers[15], 115, "r15");
	cr_assert_eq(sample.stack_bytes, 8);
	cr_assert_eq(*(const uint64_t *)sample.stack, 0xaaaa);
	cr_assert_not(ring_decode_stack(CHAINED(25), 28, 1, &sample), "beyond the record");
	cr_assert_not(ring_decode_stack(CHAINED(24), 28, 1, &sample), "nothing behind it");
	cr_assert_not(ring_decode_stack(CHAINED(UINT64_MAX), 28, 1, &sample));
	cr_assert_not(ring_decode_stack(CHAINED(2), 3, 1, &sample));
}

Test(ring, stacks_that_cannot_be_are_refused)
{
	cr_assert(ring_decode_stack(STACKED(16, 1000), 25, 0, &sample));
	cr_assert_eq(sample.stack_bytes, 16, "no more than there is");
	cr_assert_not(ring_decode_stack(STACKED(32, 8), 25, 0, &sample), "beyond the record");
	cr_assert_not(ring_decode_stack(STACKED(UINT64_MAX, 8), 25, 0, &sample));
	cr_assert_not(ring_decode_stack(STACKED(12, 8), 25, 0, &sample), "no whole words");
	cr_assert_not(ring_decode_stack(STACKED(16, 8), 21, 0, &sample), "cut");
	cr_assert_not(ring_decode_stack((const uint64_t[]){7, 1000, 3, 0, 0}, 5, 0, &sample),
	              "no registers");
	cr_assert_not(ring_decode_stack(NULL, 0, 0, &sample));
	cr_assert(ring_decode_stack(STACKED(0, 0), 22, 0, &sample));
	cr_assert_eq(sample.stack_bytes, 0);
}

/* perf_event_open(2): a sample has its ids, then the time. Of other records the last words are
 * those of struct sample_id: here the ids, the time and the CPU. */
Test(ring, the_time_of_a_record_is_where_its_type_says)
{
	static const uint64_t words[] = {11, 12, 13, 14, 15, 16};
	struct ring_record record = {.type = PERF_RECORD_SAMPLE, .words = words, .count = 6};

	cr_assert_eq(ring_time(&record), 12);
	record.count = 2;
	cr_assert_eq(ring_time(&record), 12);
	record.count = 1;
	cr_assert_eq(ring_time(&record), 0, "cut");
	record.type = PERF_RECORD_FORK;
	record.count = 6;
	cr_assert_eq(ring_time(&record), 15);
	record.count = 3;
	cr_assert_eq(ring_time(&record), 12);
	record.count = 2;
	cr_assert_eq(ring_time(&record), 0, "cut");
}

/* A ring buffer of 64 pages at a period of 1 ms is read every 50 ms, as always; a small one, when
 * there is little memory, more often. */
Test(ring, the_pause_follows_its_size)
{
	cr_assert_eq(ring_pause_ms(64 * 4096, RING_SAMPLE_BYTES, 1000000), 50);
	cr_assert_eq(ring_pause_ms(64 * 4096, RING_SAMPLE_BYTES, 100000), 10);
	cr_assert_eq(ring_pause_ms(2 * 4096, RING_SAMPLE_BYTES, 1000000), 3);
	cr_assert_eq(ring_pause_ms(2 * 4096, RING_SAMPLE_BYTES, 10000), 1);
	cr_assert_eq(ring_pause_ms(128 * 4096, 8192 + RING_STACK_EXTRA, 1000000), 15);
	cr_assert_eq(ring_pause_ms(2 * 4096, 8192 + RING_STACK_EXTRA, UINT64_MAX), 1);
	cr_assert_eq(ring_pause_ms(64 * 4096, RING_SAMPLE_BYTES, UINT64_MAX), 50);
}
