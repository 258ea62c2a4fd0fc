/* Tests of the names of functions, lines and instructions. */
#include "analyzer/model/name.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct sym_object object = {.name = "libt.so", .path = "/x/libt.so"};
static struct sym_function work = {.name = "work(int)",
                                   .mangled = "_Z4worki",
                                   .address = 0x1000,
                                   .object = &object},
			   total = {.name = "<Total>", .mangled = "<Total>"},
			   nameless = {.name = "libt.so+0x2000",
                                       .mangled = "libt.so+0x2000",
                                       .address = 0x2000,
                                       .unresolved = 1,
                                       .object = &object};
static struct choices choices;

static void expect(char *name, const char *expected)
{
	cr_expect_str_eq(name, expected, "%s", name);
	free(name);
}

Test(name, arguments_are_left_out_of_short_names)
{
	expect(name_shorten("f(int)"), "f");
	expect(name_shorten("f(int) const"), "f");
	expect(name_shorten("f"), "f");
	expect(name_shorten(""), "");
	expect(name_shorten("f(void (*)(int), long)"), "f");
	expect(name_shorten("A<int>::f(A<int (*)(int)>)"), "A<int>::f");
	expect(name_shorten("operator()"), "operator()");
	expect(name_shorten("A::operator()(int)"), "A::operator()");
	expect(name_shorten("(anonymous namespace)"), "(anonymous namespace)");
	expect(name_shorten("a::(anonymous namespace)"), "a::(anonymous namespace)");
	expect(name_shorten("f)"), "f)");
	expect(name_shorten(" const"), " const");
	expect(name_shorten("f(int) [clone .cold]"), "f(int) [clone .cold]");
}

Test(name, functions_have_three_forms_and_their_object)
{
	choices = (struct choices){.name_form = NAME_LONG};
	expect(name_function(&choices, &work), "work(int)");
	choices.name_form = NAME_SHORT;
	expect(name_function(&choices, &work), "work");
	choices.name_form = NAME_MANGLED;
	expect(name_function(&choices, &work), "_Z4worki");
	choices.with_soname = 1;
	expect(name_function(&choices, &work), "_Z4worki (libt.so)");
	expect(name_function(&choices, &total), "<Total>");
}

static void expect_item(enum tree_mode mode, const struct sym_frame *item, const char *expected)
{
	choices = (struct choices){.name_form = NAME_SHORT};
	expect(name_item(&choices, mode, item), expected);
}

Test(name, lines_and_instructions_say_where_they_are)
{
	struct sym_frame line = {.function = &work,
	                         .file = "/src/t.c",
	                         .line = 2,
	                         .address = 0x100b},
			 bare = {.function = &work, .address = 0x100b},
			 inlined = {.function = &work,
	                            .file = "/src/t.c",
	                            .line = 2,
	                            .address = 0x100b,
	                            .inlined = 1};

	expect_item(TREE_FUNCTIONS, &line, "work");
	expect_item(TREE_LINES, &line, "work, line 2 in \"t.c\"");
	expect_item(TREE_LINES, &bare, "<Function: work, instructions without line numbers>");
	expect_item(TREE_PCS, &line, "work + 0x0000000B, line 2 in \"t.c\"");
	expect_item(TREE_PCS, &bare, "work + 0x0000000B");
	expect_item(TREE_FRAMES, &line, "work + 0x0000000B, line 2 in \"t.c\"");
	expect_item(TREE_FRAMES, &inlined, "work, line 2 in \"t.c\"");
	expect_item(TREE_PCS, &inlined, "work + 0x0000000B, line 2 in \"t.c\"");
}

Test(name, what_is_no_code_has_its_name_alone)
{
	struct sym_function whole = {
		.name = object.name, .mangled = object.name, .object = &object};
	struct sym_frame of_total = {.function = &total, .address = 5},
			 of_object = {.function = &whole, .address = 5},
			 unknown = {.function = &nameless, .address = 0x2000},
			 before = {.function = &work, .address = 0x10};

	expect_item(TREE_LINES, &of_total, "<Total>");
	expect_item(TREE_PCS, &of_total, "<Total>");
	expect_item(TREE_LINES, &of_object, "libt.so");
	expect_item(TREE_PCS, &unknown, "libt.so+0x2000");
	expect_item(TREE_PCS, &before, "work + 0x00000010");
}
