/* golden.c: see golden.h. */
#include "tests/unit/analyzer/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *root;

void golden_enter(const char *names, char directory[GOLDEN_PATH])
{
	char copy[64], command[256], *rest = copy, *name;

	root = getcwd(NULL, 0);
	strcpy(directory, "/tmp/xer-golden-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_lt(strlen(names), sizeof(copy));
	strcpy(copy, names);
	while ((name = strsep(&rest, ","))) {
		snprintf(command, sizeof(command), "cp -r tests/golden/%s.er %s/", name, directory);
		cr_assert_eq(system(command), 0);
	}
	cr_assert_eq(chdir(directory), 0);
}

void golden_leave(const char *directory)
{
	char command[64];

	cr_assert_eq(chdir(root), 0);
	free(root);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

char *golden_expected(const char *name)
{
	char path[128], *text = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/expected/%s", name);
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
	fclose(file);
	return text;
}

/* The text of an export names the program that wrote it: remove the version. */
static void drop_version(char *text)
{
	static const char name[] = "xer_print " XER_VERSION;

	while ((text = strstr(text, name))) {
		char *end = text + sizeof(name) - 1;

		text += strlen("xer_print");
		memmove(text, end, strlen(end) + 1);
	}
}

void golden_compare(const char *name, const char *expected, char *text, int status,
                    const char *messages)
{
	char *whole;

	drop_version(text);
	cr_assert_geq(asprintf(&whole, "%sexit status %d\n%s", text, status, messages), 0);
	cr_expect(strcmp(whole, expected) == 0, "%s: printed is\n%s", name, whole);
	free(whole);
}
