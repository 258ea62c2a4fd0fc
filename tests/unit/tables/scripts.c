/* Tests that the programs that the scripts of tests/e2e record exist. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD "abcdefghijklmnopqrstuvwxyz_0123456789"

/* Some programs are built from the source of another one, as build.mk says. */
static int is_made(const char *name)
{
	static const char *const tails[] = {".c", ".cc"};
	char path[128];

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		snprintf(path, sizeof(path), "tests/programs/%s%s", name, tails[i]);
		if (access(path, R_OK) == 0)
			return 1;
	}
	snprintf(path, sizeof(path), "tests/programs/%s:", name);
	return strstr(text_of("build.mk", ""), path) != NULL;
}

Test(scripts, every_program_of_a_script_is_there)
{
	static const char before[] = "$programs/";
	const char *text = text_of("tests/e2e", ".sh");

	for (const char *at = text; (at = strstr(at, before));) {
		char name[64];

		at += sizeof(before) - 1;
		snprintf(name, sizeof(name), "%.*s", (int)strspn(at, WORD), at);
		row_needs(*name == '\0' || is_made(name), "tests/e2e", name,
		          "its source in tests/programs/");
	}
}
