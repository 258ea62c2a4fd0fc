/* Load objects by address and generation. */
#include "experiment/base/addressmap.h"

#include "experiment/base/instant.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct experiment experiment;

static void tear_down(void)
{
	free(experiment.instants);
	exp_arena_fini(&experiment.arena);
}

TestSuite(addressmap, .fini = tear_down);

static void put(const struct exp_map_object *objects, size_t count)
{
	cr_assert_eq(exp_map_index(&experiment, objects, count), 0);
}

#define OBJECT(name, from, to, first, last) \
	{ \
		.object = { \
			.path = name, \
			.start = from, \
			.end = to, \
			.generation_from = first, \
			.generation_to = last \
		} \
	}

static const char *name_at(uint64_t pc, uint32_t generation)
{
	const struct exp_object *found = experiment_object_at(&experiment, pc, generation);

	return found ? found->path : "none";
}

Test(addressmap, an_object_holds_the_addresses_from_its_start_to_before_its_end)
{
	static const struct exp_map_object objects[] = {OBJECT("b", 0x3000, 0x4000, 0, UINT32_MAX),
	                                                OBJECT("a", 0x1000, 0x2000, 0, UINT32_MAX)};
	const struct exp_object *list;

	put(objects, 2);
	cr_expect_eq(experiment_objects(&experiment, &list), 2);
	cr_expect_str_eq(list[0].path, "b", "in the order of the file");
	cr_expect_str_eq(name_at(0xfff, 0), "none");
	cr_expect_str_eq(name_at(0x1000, 0), "a");
	cr_expect_str_eq(name_at(0x1fff, 0), "a");
	cr_expect_str_eq(name_at(0x2000, 0), "none");
	cr_expect_str_eq(name_at(0x3000, 0), "b");
	cr_expect_str_eq(name_at(0x4000, 0), "none");
}

Test(addressmap, an_object_is_there_from_its_generation_to_before_its_last)
{
	static const struct exp_map_object objects[] = {OBJECT("first", 0x1000, 0x2000, 1, 3),
	                                                OBJECT("second", 0x1800, 0x2800, 3, 5)};

	put(objects, 2);
	cr_expect_str_eq(name_at(0x1900, 0), "none");
	cr_expect_str_eq(name_at(0x1900, 1), "first");
	cr_expect_str_eq(name_at(0x1900, 2), "first");
	cr_expect_str_eq(name_at(0x1900, 3), "second");
	cr_expect_str_eq(name_at(0x1900, 5), "none");
	cr_expect_str_eq(name_at(0x1000, 4), "none");
}

Test(addressmap, a_long_object_is_found_below_short_ones)
{
	static const struct exp_map_object objects[] = {
		OBJECT("long", 0x1000, 0x9000, 0, UINT32_MAX),
		OBJECT("short", 0x2000, 0x3000, 0, UINT32_MAX),
		OBJECT("other", 0x4000, 0x4100, 0, UINT32_MAX)};

	put(objects, 3);
	cr_expect_str_eq(name_at(0x2800, 0), "short");
	cr_expect_str_eq(name_at(0x3800, 0), "long");
	cr_expect_str_eq(name_at(0x8fff, 0), "long");
	cr_expect_str_eq(name_at(0x9000, 0), "none");
}

Test(addressmap, objects_overlap_if_they_have_an_address_in_common)
{
	static const struct exp_map_object objects[] = {OBJECT("a", 0x1000, 0x2000, 0, 1)};
	static const struct {
		uint64_t start, end;
		int overlaps;
	} rows[] = {{0x0, 0x1000, 0},    {0x0, 0x1001, 1},    {0x1fff, 0x3000, 1},
	            {0x2000, 0x3000, 0}, {0x1400, 0x1500, 1}, {0x0, 0x9000, 1}};

	put(objects, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct exp_object object = {.start = rows[i].start, .end = rows[i].end};

		cr_expect_eq(exp_map_overlaps(&experiment, &object), rows[i].overlaps, "row %zu",
		             i);
	}
}

Test(addressmap, an_instant_stands_for_a_moment_and_a_generation)
{
	static const struct exp_map_object objects[] = {OBJECT("a", 0x1000, 0x2000, 2, 3)};
	uint32_t first = exp_instant_add(&experiment, 500, 7),
		 second = exp_instant_add(&experiment, 600, 2);

	put(objects, 1);
	cr_expect_eq(exp_instant_of(&experiment, first).ticks, 500);
	cr_expect_eq(exp_instant_of(&experiment, first).generation, 7);
	cr_expect_eq(exp_instant_of(&experiment, second).ticks, 600);
	cr_expect_eq(exp_instant_of(&experiment, 5).ticks, UINT64_MAX, "no instant");
	cr_expect_eq(exp_instant_of(&experiment, 5).generation, 5);
	cr_expect_eq(exp_instant_of(&experiment, second + 1).ticks, UINT64_MAX,
	             "none that there is");
	cr_expect_str_eq(name_at(0x1000, first), "none");
	cr_expect_str_eq(name_at(0x1000, second), "a");
}

/* The object that was there then; else the next one; else the last one. */
Test(addressmap, an_address_has_a_generation_in_which_an_object_was_there)
{
	static const struct exp_map_object objects[] = {
		OBJECT("second", 0x1000, 0x2000, 6, 8), OBJECT("first", 0x1000, 0x2000, 2, 4),
		OBJECT("beside", 0x4000, 0x5000, 1, 20), OBJECT("third", 0x1800, 0x2000, 10, 12)};
	static const struct {
		uint32_t asked, at_begin, at_end;
	} rows[] = {{0, 2, 2},  {2, 2, 2},  {3, 2, 2},   {4, 6, 6},   {6, 6, 6},   {7, 6, 6},
	            {8, 6, 10}, {9, 6, 10}, {10, 6, 10}, {11, 6, 10}, {12, 6, 10}, {99, 6, 10}};

	put(objects, 4);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(exp_map_generation(&experiment, 0x1000, rows[i].asked),
		             rows[i].at_begin, "%u", rows[i].asked);
		cr_expect_eq(exp_map_generation(&experiment, 0x1fff, rows[i].asked), rows[i].at_end,
		             "%u", rows[i].asked);
	}
	cr_expect_eq(exp_map_generation(&experiment, 0xfff, 3), 0);
	cr_expect_eq(exp_map_generation(&experiment, 0x2000, 3), 0);
}

Test(addressmap, a_moment_has_the_generation_of_the_last_change_before_it)
{
	/* The clock of the third one's CPU was behind. */
	static const struct exp_instant epochs[] = {{300, 3}, {100, 1}, {200, 4}, {400, 5}};
	static const struct {
		uint64_t ticks;
		uint32_t generation;
	} rows[] = {{0, 0},   {99, 0},  {100, 1}, {199, 1}, {200, 4},
	            {299, 4}, {300, 4}, {399, 4}, {400, 5}, {UINT64_MAX, 5}};

	for (size_t i = 0; i < 2; i++)
		cr_expect_eq(exp_map_generation_then(&experiment, i * 1000),
		             EXP_GENERATION_INSTANTS - 1, "nothing is known: the last");
	cr_assert_eq(exp_map_set_epochs(&experiment, epochs, 4), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(exp_map_generation_then(&experiment, rows[i].ticks),
		             rows[i].generation, "%llu", (unsigned long long)rows[i].ticks);
}
