/* Tests of analyzer/model/shown.c: which rule about load objects counts for an object. */
#include "analyzer/model/shown.h"

#include <criterion/criterion.h>

static const struct sym_object program = {.path = "/bin/known", .name = "known"},
			       library = {.path = "/lib/libx.so", .name = "libx.so"};

Test(shown, the_last_rule_that_names_an_object_counts)
{
	struct shown *shown = shown_create();

	cr_expect_eq(shown_how(shown, &program), SHOWN_ALL, "no rule");
	shown_set(shown, "known", SHOWN_NAME);
	cr_expect_eq(shown_how(shown, &program), SHOWN_NAME, "by its name");
	cr_expect_eq(shown_how(shown, &library), SHOWN_ALL, "another one");
	shown_set(shown, "/lib/libx.so", SHOWN_API);
	cr_expect_eq(shown_how(shown, &library), SHOWN_API, "by its path");
	cr_expect_eq(shown_how(shown, &program), SHOWN_NAME);
	shown_set(shown, NULL, SHOWN_NAME);
	cr_expect_eq(shown_how(shown, &library), SHOWN_NAME, "all");
	shown_set(shown, "known", SHOWN_ALL);
	cr_expect_eq(shown_how(shown, &program), SHOWN_ALL, "all but one");
	cr_expect_eq(shown_how(shown, &library), SHOWN_NAME);
	shown_reset(shown);
	cr_expect_eq(shown_how(shown, &library), SHOWN_ALL, "reset");
	shown_destroy(shown);
}

/* <Total>, <Unknown> and the marks of cut stacks stay when all objects are hidden: they are in
 * none. */
Test(shown, what_is_in_no_object_is_never_hidden)
{
	struct symbols *symbols = symbols_create();
	struct shown *shown = shown_create();
	const struct sym_function *total = symbols_total(symbols),
				  *unknown = symbols_unknown(symbols);

	shown_set(shown, NULL, SHOWN_NAME);
	cr_expect_eq(shown_how(shown, total->object), SHOWN_ALL);
	cr_expect_eq(shown_how(shown, unknown->object), SHOWN_ALL);
	cr_expect_eq(shown_function(shown, total), total);
	cr_expect_eq(shown_function(shown, unknown), unknown);
	cr_expect_not(shown_is_object(shown, shown_function(shown, unknown)));
	shown_set(shown, "<Unknown>", SHOWN_NAME);
	cr_expect_eq(shown_how(shown, unknown->object), SHOWN_ALL, "not even by its name");
	shown_destroy(shown);
	symbols_destroy(symbols);
}
