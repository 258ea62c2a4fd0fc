/* Which code is the program's own. */
#include "analyzer/model/owncode.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct sym_object program = {.path = "/home/me/app", .name = "app"},
			       own_library = {.path = "/home/me/libmine.so.1",
                                              .name = "libmine.so.1"},
			       libc = {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6",
                                       .name = "libc.so.6"},
			       vdso = {.path = "[vdso]", .name = "[vdso]"},
			       java = {.path = "java", .name = "java", .is_java = 1};

static int is_own(const char *name, const struct sym_object *object, const char *file)
{
	const struct sym_function function = {.name = name, .object = object};

	return owncode_is(&function, file);
}

Test(owncode, programs_and_their_libraries_are)
{
	cr_expect(is_own("work", &program, NULL));
	cr_expect(is_own("work", &program, "/home/me/work.c"));
	cr_expect(is_own("work", &own_library, NULL));
	cr_expect(is_own("Sums.main", &java, "Sums.java"));
	cr_expect(is_own("f", &program, "include/mine.h"));
}

Test(owncode, systems_are_not)
{
	cr_expect_not(is_own("malloc", &libc, NULL));
	cr_expect_not(is_own("clock_gettime", &vdso, NULL));
	cr_expect_not(is_own("_start", &program, NULL));
	cr_expect_not(is_own("<Unknown>", &program, NULL));
	cr_expect_not(
		is_own("std::mutex::lock()", &program, "/usr/include/c++/12/bits/std_mutex.h"));
	cr_expect_not(is_own("std::mutex::lock()", &program, "/opt/gcc/include/c++/14/mutex"));
	cr_expect_not(is_own("_mm_add_ps", &program,
	                     "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h"));
}

Test(owncode, a_function_without_a_name_is_not)
{
	const struct sym_function function = {
		.name = "app+0x12", .object = &program, .unresolved = 1};

	cr_expect_not(owncode_is(&function, NULL));
}

static uint32_t add(struct tree *tree, uint32_t node, const struct sym_function *function)
{
	struct sym_frame frame = {.function = function};

	return tree_child(tree, node, &frame);
}

Test(owncode, of_a_stack_it_is_the_innermost_own_function)
{
	static const struct sym_function total = {.name = "<Total>", .object = &program},
					 own = {.name = "work", .object = &program},
					 inner = {.name = "malloc", .object = &libc},
					 start = {.name = "__libc_start_main", .object = &libc};
	struct tree *tree = tree_create(TREE_FUNCTIONS, &total);
	uint32_t outside = add(tree, TREE_ROOT, &start), work = add(tree, outside, &own),
		 called = add(tree, work, &inner), *items;

	cr_expect_eq(owncode_node(tree, called), work);
	cr_expect_eq(owncode_node(tree, work), work);
	cr_expect_eq(owncode_node(tree, outside), TREE_ROOT);
	items = owncode_items(tree);
	cr_expect_eq(items[called], tree->nodes[work].item);
	cr_expect_eq(items[work], tree->nodes[work].item);
	cr_expect_eq(items[outside], tree->nodes[outside].item, "there is none");
	cr_expect_eq(items[TREE_ROOT], 0);
	free(items);
	tree_destroy(tree);
}
