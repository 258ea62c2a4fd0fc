/* The object of an address, compared with dladdr. */
#include "libcollector/base/object.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

static void is_as_dladdr_says(const void *address)
{
	struct object_found found;
	struct link_map *map;
	Dl_info info;

	cr_assert_neq(dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	cr_assert_eq(object_find((uintptr_t)address, &found), 0);
	cr_assert_eq(found.start, (uintptr_t)info.dli_fbase);
	cr_assert_lt(found.start, (uintptr_t)address);
	cr_assert_gt(found.end, (uintptr_t)address);
	cr_assert_eq(found.link, map);
	cr_assert_eq(memcmp((const void *)found.start, ELFMAG, SELFMAG), 0);
	cr_assert(found.unwind_table > (const uint8_t *)found.start &&
	          found.unwind_table < (const uint8_t *)found.end);
	cr_assert_eq(found.unwind_table[0], 1, "the version of .eh_frame_hdr");
}

Test(object, of_the_program_and_of_a_library)
{
	is_as_dladdr_says((const void *)(uintptr_t)&is_as_dladdr_says);
	is_as_dladdr_says((const void *)(uintptr_t)&qsort);
}

Test(object, of_no_object)
{
	struct object_found found;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(page, MAP_FAILED);
	cr_assert_eq(object_find((uintptr_t)page, &found), -ENOENT);
	cr_assert_eq(object_find(0, &found), -ENOENT);
	cr_assert_eq(object_find(UINTPTR_MAX, &found), -ENOENT);
	cr_assert_eq(object_find((uintptr_t)&found, &found), -ENOENT, "a stack");
	munmap(page, 4096);
}

/* The kernel mapped it before the program ran. */
Test(object, the_loader_is_what_the_kernel_has_begun_with)
{
	struct object_found found;

	if (!getauxval(AT_BASE))
		cr_skip_test("the program is begun by the loader as a command");
	cr_assert_eq(object_loader(), getauxval(AT_BASE));
	cr_assert_eq(object_find(object_loader(), &found), 0);
	cr_assert_eq(found.start, object_loader());
	cr_assert_not_null(strstr(found.link->l_name, "/ld"), "%s", found.link->l_name);
}
