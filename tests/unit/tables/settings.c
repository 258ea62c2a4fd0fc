/* Tests of setting.def, which says what was asked for in words: each setting is one that xcollect
 * writes and the manual has. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TABLE "analyzer/views/experiments/setting.def"

static const struct {
	const char *name, *words;
} settings[] = {
#define SETTING(name, when, words) {#name, words},
#include "analyzer/views/experiments/setting.def"
};

static void needs_setting(const char *row, const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), "\"%s\"", name);
	row_needs(strstr(text_of("collect/experiment/logfile.c", ""), word) != NULL, TABLE, row,
	          "its setting in collect/experiment/logfile.c");
	row_needs_between(TABLE, row, name, "\n.SS Settings of log.xml\n", "\n.TE", "experiment.5");
}

Test(settings, every_one_is_written_and_stands_in_the_manual)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		needs_setting(settings[i].name, settings[i].name);
		for (const char *at = settings[i].words; (at = strchr(at, '{')); at++) {
			char name[64];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 1, "}"), at + 1);
			needs_setting(settings[i].name, name);
		}
	}
}

Test(settings, brackets_are_closed)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		for (const char *at = settings[i].words; *at != '\0'; at++)
			if (*at == '[')
				cr_expect_not_null(strchr(at, ']'), "%s", settings[i].name);
}
