/* Numbers of traced functions, and the records that name them. */
#include "libcollector/calls/functrace_number.h"
#include "tests/unit/libcollector/scratch.h"

#include "libcollector/calls/functrace_choice.h"
#include "libcollector/object/map.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void setup(void)
{
	scratch_open();
	map_open_program();
	cr_assert_eq(number_start(), 0);
}

TestSuite(functrace_number, .init = setup, .fini = scratch_remove);

static struct fmt_function names[8];

static int count_names(void)
{
	return scratch_records("functable", FMT_KIND_function, names, sizeof(names[0]), 8);
}

static uint64_t address(void *function)
{
	return (uint64_t)(uintptr_t)function;
}

static const enum fmt_function_source HOOKS = FMT_function_source_HOOKS,
				      ENTRIES = FMT_function_source_ENTRIES;

Test(functrace_number, a_function_is_named_before_it_has_a_number)
{
	uint64_t code = address((void *)&qsort);
	uint32_t number = number_find(code, HOOKS);

	cr_assert_geq(number, NUMBER_FIRST);
	cr_assert_eq(number, NUMBER_FIRST + (uint32_t)(code >> 4) % NUMBER_PLACES);
	cr_assert_eq(count_names(), 1);
	cr_assert_eq(names[0].id, number);
	cr_assert_eq(names[0].addr, code);
	cr_assert_eq(names[0].source, HOOKS);
	cr_assert_eq(names[0].generation, 0);
	cr_assert_eq(number_find(code, HOOKS), number);
	cr_assert_eq(number_look(code), number);
	cr_assert_eq(count_names(), 1);
	cr_assert_gt(scratch_count("map.xml", "libc.so"), 0, "its object is told of");
	cr_assert_eq(number_start(), 0);
	cr_assert_eq(number_look(code), number);
}

/* Addresses with the same slot get the next ones, up to 256. */
Test(functrace_number, functions_at_one_place_have_numbers_of_their_own)
{
	for (uint64_t i = 0; i < 256; i++)
		cr_assert_eq(number_find(0x4000 + (i << 24), HOOKS), NUMBER_FIRST + 0x400 + i);
	cr_assert_eq(number_find((uint64_t)0x4000 + ((uint64_t)256 << 24), HOOKS), 0);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FUNCTRACE]), 1);
	cr_assert_eq(count_names(), 256);
	cr_assert_eq(number_look(0x4000 + (5ul << 24)), NUMBER_FIRST + 0x405);
	cr_assert_eq(number_look(0x5000), NUMBER_UNKNOWN);
	/* After the last slot comes the first. */
	cr_assert_eq(number_find(0xfffff0, HOOKS), NUMBER_FIRST + 0xfffff);
	cr_assert_eq(number_find(0x1fffff0, HOOKS), NUMBER_FIRST);
}

/* Where return addresses are exchanged, an address in the function stands for it. */
Test(functrace_number, a_function_is_named_by_its_begin)
{
	uint64_t start = address((void *)&scratch_records);

	cr_assert_neq(number_find(start + 8, ENTRIES), 0);
	cr_assert_eq(count_names(), 1);
	cr_assert_eq(names[0].addr, start);
	cr_assert_eq(names[0].source, ENTRIES);
	cr_assert_neq(number_find(start + 24, HOOKS), 0);
	cr_assert_eq(count_names(), 2);
	cr_assert_eq(names[1].addr, start + 24, "hooks tell the begin");
	cr_assert_neq(number_find(0x7000, ENTRIES), 0);
	cr_assert_eq(count_names(), 3);
	cr_assert_eq(names[2].addr, 0x7000, "which lies nowhere");
}

Test(functrace_number, functions_that_are_not_chosen_have_none)
{
	uint64_t chosen = address((void *)&qsort), other = address((void *)&bsearch);

	strcpy(col.descriptor.functrace_names, "qsort");
	cr_assert_neq(number_find(chosen, HOOKS), 0);
	cr_assert_eq(number_find(other, HOOKS), 0);
	cr_assert_eq(number_look(other), 0, "it is known");
	cr_assert_eq(count_names(), 1);
	number_name_all();
	cr_assert_eq(count_names(), 2);
	cr_assert_eq(names[1].addr, chosen);
	cr_assert_eq(atomic_load(&col.count.lost[FMT_STREAM_FUNCTRACE]), 0);
}

Test(functrace_number, numbers_of_functions_that_are_gone_are_not_used_again)
{
	void *library = scratch_load("callers.so", RTLD_NOW | RTLD_LOCAL);
	uint64_t gone = address(dlsym(library, "call_getenv")), stays = address((void *)&qsort);
	uint32_t first = number_find(gone, HOOKS), other = number_find(stays, HOOKS), second;

	number_forget();
	cr_assert_eq(number_look(gone), first, "it is there still");
	dlclose(library);
	number_forget();
	cr_assert_eq(number_look(gone), NUMBER_UNKNOWN);
	cr_assert_eq(number_look(stays), other);
	second = number_find(gone, HOOKS);
	cr_assert(second != first && second != 0);
	number_name_all();
	cr_assert_eq(count_names(), 5);
	cr_assert_eq(names[3].addr, stays);
	cr_assert_eq(names[4].id, second);
	number_restart();
	cr_assert_eq(number_look(stays), NUMBER_UNKNOWN);
	cr_assert_neq(number_find(stays, HOOKS), other);
	number_name_all();
	cr_assert_eq(count_names(), 7);
}

Test(functrace_number, a_name_that_cannot_be_written_is_an_error)
{
	cr_assert_eq(functrace_name(5, 0x1000, HOOKS), 0);
	atomic_fetch_add(&col.generation, 3);
	cr_assert_eq(functrace_name(6, 0x1000, HOOKS), 0);
	atomic_store(&col.switches->recording, 0);
	cr_assert_eq(functrace_name(7, 0x1000, HOOKS), -1);
	cr_assert_eq(count_names(), 2);
	cr_assert_eq(names[0].id, 5);
	cr_assert_eq(names[1].generation, 3);
}
