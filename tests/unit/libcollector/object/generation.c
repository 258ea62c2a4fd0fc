/* generation.c: addresses get another generation when what stood there is unloaded, and others keep
 * theirs. */
#include "libcollector/object/generation.h"

#include "tests/unit/format/seed.h"

#include <criterion/criterion.h>
#include <pthread.h>

static void expect(uint64_t address, uint32_t generation)
{
	cr_assert_eq(generation_at(address), generation, "at %#llx: %u, not %u",
	             (unsigned long long)address, generation_at(address), generation);
}

Test(generation, what_is_unloaded_is_renewed_and_nothing_else)
{
	expect(0, 0);
	expect(UINT64_MAX, 0);
	cr_assert_eq(generation_renew(0x5000, 0x8000), 1);
	cr_assert_eq(atomic_load(&col.generation), 1);
	expect(0x4fff, 0);
	expect(0x5000, 1);
	expect(0x7fff, 1);
	expect(0x8000, 0);
	cr_assert_eq(generation_renew(0x1000, 0x2000), 2);
	cr_assert_eq(generation_renew(0x5000, 0x8000), 3);
	expect(0x1000, 2);
	expect(0x3000, 0);
	expect(0x6000, 3);
}

Test(generation, ranges_may_overlap)
{
	generation_renew(0x2000, 0x6000);
	generation_renew(0x4000, 0x8000);
	expect(0x3fff, 1);
	expect(0x4000, 2);
	generation_renew(0x3000, 0x5000);
	expect(0x2fff, 1);
	expect(0x3000, 3);
	expect(0x4fff, 3);
	expect(0x5000, 2);
	generation_renew(0x6000, 0x7000); /* inside of one */
	expect(0x5fff, 2);
	expect(0x6000, 4);
	expect(0x7000, 2);
	generation_renew(0x1000, 0x9000); /* all of them */
	expect(0x0fff, 0);
	expect(0x1000, 5);
	expect(0x8fff, 5);
	expect(0x9000, 0);
}

Test(generation, what_is_loaded_has_one)
{
	cr_assert_eq(generation_unite(0x1000, 0x2000), 0);
	generation_renew(0x2000, 0x3000);
	cr_assert_eq(generation_unite(0x2000, 0x3000), 1);
	cr_assert_eq(generation_unite(0x2400, 0x2800), 1, "a part of it");
	generation_renew(0x4000, 0x5000);
	cr_assert_eq(generation_unite(0x1000, 0x6000), 2, "the highest");
	expect(0x0fff, 0);
	expect(0x1000, 2);
	expect(0x2800, 2);
	expect(0x5fff, 2);
	expect(0x6000, 0);
	cr_assert_eq(atomic_load(&col.generation), 2, "nothing was unloaded by that");
}

/* A program that loads each time elsewhere: ranges become one, and generations never fall. */
Test(generation, there_may_be_any_number_of_unloadings)
{
	enum { TIMES = 20000, PLACES = 3000, SIZE = 0x4000 };
	static uint32_t last[PLACES];
	uint64_t seed = seed_start();

	for (uint32_t i = 0; i < TIMES; i++) {
		uint32_t place = (uint32_t)seed_below(&seed, PLACES);
		uint64_t start = 0x7f0000000000u + (uint64_t)place * 5 * SIZE;
		uint32_t generation = generation_renew(start, start + SIZE);

		cr_assert_eq(generation, i + 1);
		last[place] = generation;
		expect(start, generation);
		expect(start + SIZE - 1, generation);
		place = (uint32_t)seed_below(&seed, PLACES);
		start = 0x7f0000000000u + (uint64_t)place * 5 * SIZE;
		cr_assert_geq(generation_at(start + 5), last[place]);
		cr_assert_eq(generation_at(start), generation_at(start + SIZE - 1));
	}
	expect(0x7effffffffff, 0);
}

static atomic_int is_over;

static void *read_often(void *unused)
{
	uint32_t last = 0;

	while (!atomic_load(&is_over)) {
		uint32_t now = generation_at(0x5800);

		if (now < last)
			return "a generation has fallen";
		last = now;
		if (generation_at(0x100000) != 0)
			return "another address has one";
	}
	return unused;
}

Test(generation, readers_see_a_whole_table, .timeout = 60)
{
	pthread_t readers[3];
	void *failure;

	for (int i = 0; i < 3; i++)
		pthread_create(&readers[i], NULL, read_often, NULL);
	for (int i = 0; i < 100000; i++) {
		generation_renew(0x5000, 0x6000);
		generation_renew(0x2000 + (uint64_t)(i % 200) * 16,
		                 0x2010 + (uint64_t)(i % 200) * 16);
	}
	atomic_store(&is_over, 1);
	for (int i = 0; i < 3; i++) {
		pthread_join(readers[i], &failure);
		cr_assert_null(failure, "%s", (char *)failure);
	}
}
