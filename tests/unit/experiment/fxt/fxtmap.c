/* Modules and mappings of FXT files as load objects. */
#include "experiment/fxt/fxtmap.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct experiment experiment = {.info = {.path = "x.er"}};
static struct exp_fxtmap map = {.experiment = &experiment};
static char warning[256];
static unsigned warnings;

static void warn(void *context, const char *message)
{
	(void)context;
	warnings++;
	snprintf(warning, sizeof(warning), "%s", message);
}

static void set_up(void)
{
	experiment.reporter.warn = warn;
}

static void tear_down(void)
{
	exp_fxtmap_fini(&map);
	exp_arena_fini(&experiment.arena);
}

TestSuite(fxtmap, .init = set_up, .fini = tear_down);

static void module(uint32_t process, unsigned id, const char *name, const char *build_id,
                   size_t size)
{
	const uint64_t words[] = {FXT_BITS(module, id, id)};
	struct exp_fxt_record record = {.kind = FXT_module, .words = words, .size = 1};

	record.values[FXT_AT(module, thread)].process = 1000 + process;
	record.values[FXT_AT(module, name)] = (struct exp_fxt_value){.text = name,
	                                                             .number = strlen(name)};
	record.values[FXT_AT(module, build_id)] = (struct exp_fxt_value){.text = build_id,
	                                                                 .number = size};
	cr_expect_eq(exp_fxtmap_process(&record), 1000 + process);
	cr_assert_eq(exp_fxtmap_take(&map, &record, process, 0, 0), 0);
}

static void mapping(uint32_t process, unsigned id, uint64_t start, uint64_t size, uint64_t address)
{
	const uint64_t words[] = {FXT_BITS(mmap, module, id)};
	struct exp_fxt_record record = {.kind = FXT_mmap, .words = words, .size = 1, .offset = 24};

	record.values[FXT_AT(mmap, thread)].process = 1000 + process;
	record.values[FXT_AT(mmap, start)].number = start;
	record.values[FXT_AT(mmap, size)].number = size;
	record.values[FXT_AT(mmap, address)].number = address;
	cr_expect_eq(exp_fxtmap_process(&record), 1000 + process);
	cr_assert_eq(exp_fxtmap_take(&map, &record, process, 3, 9), 0);
}

Test(fxtmap, a_mapping_is_an_object_of_its_module)
{
	module(1, 5, "/lib/a.so", "\x01\x23\xab\xff", 4);
	mapping(1, 5, 0x7000, 0x1000, 0x200);
	cr_assert_eq(map.object_count, 1);
	cr_expect_str_eq(map.objects[0].object.path, "/lib/a.so");
	cr_expect_str_eq(map.objects[0].object.build_id, "0123abff");
	cr_expect_eq(map.objects[0].object.start, 0x7000);
	cr_expect_eq(map.objects[0].object.end, 0x8000);
	cr_expect_eq(map.objects[0].object.bias, 0x7000 - 0x200);
	cr_expect_eq(map.objects[0].object.generation_from, 3);
	cr_expect_eq(map.objects[0].object.generation_to, 9);
	cr_expect_eq(map.objects[0].id, 1);
	cr_expect_eq(warnings, 0);
}

Test(fxtmap, numbers_of_modules_are_of_a_process)
{
	module(1, 5, "/one", "", 0);
	module(2, 5, "/two", "", 0);
	mapping(2, 5, 0x1000, 1, 0);
	mapping(1, 5, 0x2000, 1, 0);
	cr_assert_eq(map.object_count, 2);
	cr_expect_str_eq(map.objects[0].object.path, "/two");
	cr_expect_str_eq(map.objects[1].object.path, "/one");
	cr_expect_str_eq(map.objects[1].object.build_id, "");
	cr_expect_eq(map.objects[1].id, 2);
}

Test(fxtmap, a_module_that_is_told_again_holds_for_what_comes_later)
{
	module(1, 5, "/old", "", 0);
	mapping(1, 5, 0x1000, 1, 0);
	module(1, 5, "/new", "", 0);
	mapping(1, 5, 0x2000, 1, 0);
	cr_assert_eq(map.object_count, 2);
	cr_expect_eq(map.module_count, 1);
	cr_expect_str_eq(map.objects[0].object.path, "/old");
	cr_expect_str_eq(map.objects[1].object.path, "/new");
}

Test(fxtmap, a_mapping_that_cannot_be_is_told_and_left_out)
{
	mapping(1, 5, 0x1000, 1, 0);
	cr_expect_eq(warnings, 1);
	cr_expect_str_eq(warning, "x.er: offset 24: a mapping of a module that was not announced");
	module(1, 5, "/a", "", 0);
	mapping(1, 5, 0x1000, 0, 0);
	cr_expect_eq(warnings, 2);
	cr_expect_str_eq(warning, "x.er: offset 24: a mapping of a size that cannot be");
	mapping(1, 5, UINT64_MAX - 9, 10, 0);
	cr_expect_eq(warnings, 3);
	mapping(1, 5, UINT64_MAX - 9, 9, 0);
	cr_expect_eq(warnings, 3);
	cr_expect_eq(map.object_count, 1);
}

Test(fxtmap, other_records_are_none_of_it)
{
	struct exp_fxt_record record = {.kind = FXT_kernel_object};

	cr_expect_eq(exp_fxtmap_process(&record), 0);
	cr_expect_eq(exp_fxtmap_take(&map, &record, 1, 0, 0), 0);
	cr_expect_eq(map.object_count + map.module_count, 0);
}
