/* The set of chosen blocks: it never forgets one, also if there are many, in threads and in forked
 * children. */
#include "libcollector/heap/chosen.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void setup(void)
{
	cr_assert_eq(heap_chosen_open(), 0);
}

TestSuite(heap_chosen, .init = setup);

Test(heap_chosen, a_block_is_taken_once)
{
	static const uintptr_t blocks[] = {0x10, 0x7fff00001010, 0x7fff00001018, 0x555555554010,
	                                   ((uintptr_t)1 << 57) - 16};
	const size_t count = sizeof(blocks) / sizeof(blocks[0]);

	for (size_t i = 0; i < count; i++) {
		cr_expect_eq(heap_chosen_take(blocks[i]), 0);
		cr_expect_eq(heap_chosen_add(blocks[i]), 0);
		cr_expect(heap_chosen_may_have(blocks[i]));
	}
	for (size_t i = 0; i < count; i++) {
		cr_expect_eq(heap_chosen_take(blocks[i]), 1);
		cr_expect_eq(heap_chosen_take(blocks[i]), 0);
	}
	for (size_t i = 0; i < count; i++)
		cr_expect(!heap_chosen_may_have(blocks[i]), "%zu", i);
	cr_expect_eq(heap_chosen_open(), 0, "it is open already");
}

/* Their end has escaped us. */
Test(heap_chosen, a_block_at_the_place_of_another_replaces_it)
{
	cr_assert_eq(heap_chosen_add(0x4000), 0);
	cr_assert_eq(heap_chosen_add(0x4000), 0);
	cr_assert_eq(heap_chosen_take(0x4000), 1);
	cr_assert_eq(heap_chosen_take(0x4000), 0);
	cr_assert(!heap_chosen_may_have(0x4000));
}

/* Addresses that differ in their upper bits alone are in one class, and in one bucket. */
Test(heap_chosen, upper_bits_count)
{
	const uintptr_t far = (uintptr_t)1 << 43;

	for (uintptr_t i = 1; i <= 100; i++)
		cr_assert_eq(heap_chosen_add(0x5000 + i * far), 0);
	cr_assert_eq(heap_chosen_take(0x5000), 0);
	for (uintptr_t i = 1; i <= 100; i++)
		cr_assert_eq(heap_chosen_take(0x5000 + i * far), 1);
}

/* More in a class than its byte can count. */
Test(heap_chosen, a_class_that_was_full_still_finds_its_blocks)
{
	enum { BLOCKS = 600 };
	uintptr_t block[BLOCKS];

	for (uintptr_t i = 0; i < BLOCKS; i++) {
		uintptr_t grain = i << 16 | i; /* grain ^ grain >> 16 ends in 0 */

		block[i] = grain << HEAP_CHOSEN_GRAIN;
		cr_assert_eq(heap_chosen_count(block[i]), heap_chosen_count(0));
		cr_assert_eq(heap_chosen_add(block[i]), 0);
	}
	for (uintptr_t i = 0; i < BLOCKS; i++)
		cr_assert_eq(heap_chosen_take(block[i]), 1);
	cr_assert_eq(heap_chosen_take(block[0]), 0);
	cr_assert(heap_chosen_may_have(block[0]), "nobody knows how many there were");
	heap_chosen_clear();
	cr_assert(!heap_chosen_may_have(block[0]));
}

Test(heap_chosen, it_holds_hundreds_of_thousands)
{
	enum { BLOCKS = 300000 };

	for (uintptr_t i = 1; i <= BLOCKS; i++)
		cr_assert_eq(heap_chosen_add(i * 4096 + 16), 0);
	for (uintptr_t i = 1; i <= BLOCKS; i += 2)
		cr_assert_eq(heap_chosen_take(i * 4096 + 16), 1);
	for (uintptr_t i = 1; i <= BLOCKS; i++)
		cr_assert_eq(heap_chosen_take(i * 4096 + 16), i % 2 == 0);
}

/* No more memory can be mapped; what is there holds some more blocks. */
Test(heap_chosen, when_it_is_full_blocks_are_refused)
{
	const struct rlimit none = {4096, RLIM_INFINITY};
	uintptr_t count = 0;

	while (count < 1000 && heap_chosen_add((count + 1) * 16) == 0)
		count++;
	cr_assert_eq(count, 1000);
	cr_assert_eq(setrlimit(RLIMIT_AS, &none), 0);
	while (count < 100000 && heap_chosen_add((count + 1) * 16) == 0)
		count++;
	cr_assert(count < 100000, "%zu", (size_t)count);
	cr_assert_eq(heap_chosen_take((count + 1) * 16), 0);
	for (uintptr_t i = 1; i <= count; i++)
		cr_assert_eq(heap_chosen_take(i * 16), 1);
	cr_assert_eq(heap_chosen_add(16), 0);
}

Test(heap_chosen, another_recording_begins_without_any)
{
	for (uintptr_t i = 1; i <= 1000; i++)
		heap_chosen_add(i * 48);
	heap_chosen_clear();
	for (uintptr_t i = 1; i <= 1000; i++)
		cr_assert(!heap_chosen_may_have(i * 48) && !heap_chosen_take(i * 48));
}

Test(heap_chosen, a_forked_child_has_none)
{
	int status;
	pid_t child;

	cr_assert_eq(heap_chosen_add(0x6000), 0);
	child = fork();
	if (child == 0)
		_exit(heap_chosen_may_have(0x6000) || heap_chosen_take(0x6000) ||
		      heap_chosen_add(0x7000) != 0 || !heap_chosen_take(0x7000));
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(heap_chosen_take(0x6000), 1, "the parent has it");
}

enum { THREADS = 4, TURNS = 100000 };
static atomic_int taken;

/* Each has places of its own, and all try to take one that each of them enters in turn. */
static void *work(void *argument)
{
	uintptr_t own = (uintptr_t)argument * 0x100000;

	for (uintptr_t i = 1; i <= TURNS; i++) {
		uintptr_t block = own + i % 512 * 32;

		if (heap_chosen_add(block) != 0 || !heap_chosen_may_have(block) ||
		    heap_chosen_take(block) != 1)
			return argument;
		atomic_fetch_add(&taken, heap_chosen_take(0x8000));
	}
	return NULL;
}

Test(heap_chosen, threads_may_use_it_at_any_time, .timeout = 60)
{
	pthread_t threads[THREADS];

	cr_assert_eq(heap_chosen_add(0x8000), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		cr_expect_null(failed);
	}
	cr_assert_eq(taken, 1, "%d", taken);
}
