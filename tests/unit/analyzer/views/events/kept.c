/* Memory that the C library keeps for its own use. */
#include "analyzer/views/events/kept.h"

#include <criterion/criterion.h>

static const struct sym_object libc = {.path = "/lib/libc.so.6", .name = "libc.so.6"};
static const struct sym_object loader = {.path = "/lib/ld-linux-x86-64.so.2",
                                         .name = "ld-linux-x86-64.so.2"};
static const struct sym_object program = {.path = "/tmp/a", .name = "a"};

static void check(const struct sym_object *object, const char *name, int own, int library)
{
	struct sym_function function = {.name = name, .object = object};
	int is_library;

	cr_assert_eq(kept_is_own(&function, &is_library), own, "%s", name);
	cr_assert_eq(is_library, library, "%s", name);
}

Test(kept, functions_of_the_library_by_name)
{
	check(&libc, "_IO_file_doallocate", 1, 1);
	check(&libc, "_nl_intern_locale_data", 1, 1);
	check(&libc, "getdelim", 0, 1);
	check(&libc, "setlocale_mine", 0, 1);
	check(&program, "setlocale", 0, 0);
}

Test(kept, all_of_the_loader)
{
	check(&loader, "ld-linux-x86-64.so.2+0x1234", 1, 1);
}

static uint32_t add(struct tree *tree, uint32_t parent, const struct sym_function *function)
{
	const struct sym_frame frame = {.function = function};

	return tree_child(tree, parent, &frame);
}

Test(kept, frames_inside_of_the_library_decide)
{
	static const struct sym_function total = {.name = "<Total>", .object = &program};
	static const struct sym_function main_function = {.name = "main", .object = &program};
	static const struct sym_function set = {.name = "setlocale", .object = &libc};
	static const struct sym_function dup = {.name = "strdup", .object = &libc};
	static const struct sym_function open = {.name = "dlopen", .object = &libc};
	static const struct sym_function init = {.name = "init", .object = &program};
	struct tree *tree = tree_create(TREE_FRAMES, &total);
	uint32_t root = add(tree, TREE_ROOT, &main_function);
	uint32_t locale = add(tree, add(tree, root, &set), &dup);
	uint32_t copy = add(tree, root, &dup);
	uint32_t constructor = add(tree, add(tree, root, &open), &init);
	uint32_t stacks[] = {locale, copy, add(tree, root, &open), constructor};

	cr_assert_eq(kept_set_apart(tree, stacks, 4), 2);
	cr_assert_eq(stacks[0], copy);
	cr_assert_eq(stacks[1], constructor);
	cr_assert_eq(stacks[2], locale);
	cr_assert_eq(kept_set_apart(tree, NULL, 0), 0);
	tree_destroy(tree);
}
