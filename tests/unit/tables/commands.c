/* Tests that each row of the tables of commands and options has what users need. */
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COMMAND_TABLE "analyzer/views/command.def"
#define COMPARE_TABLE "analyzer/compare.def"
#define OPTION_TABLE "collect/options/options.def"
#define ARCHIVE_TABLE "archive/options.def"
#define COUNTER_TABLE "collect/machine/counters.def"

static const struct {
	const char *name, *alias, *help;
} commands[] = {
#define GROUP(heading)
#define COMMAND(name, alias, argument, need, function, argument_text, help) {name, alias, help},
#define VIEW COMMAND
#include "analyzer/views/command.def"
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char *const compared[] = {
#define EACH(command) command,
#define BESIDE(command) command,
#include "analyzer/compare.def"
};

static const struct {
	char letter;
	const char *word, *meaning;
} options[] = {
#define OPTION(letter, word, argument, initial, take, meaning) {letter, word, meaning},
#include "collect/options/options.def"
};

static const struct {
	const char *spelling, *meaning;
} archive_options[] = {
#define OPTION(field, spelling, argument, meaning) {spelling, meaning},
#include "archive/options.def"
#undef OPTION
};

static const char *const counters[] = {
#define COUNTER(name, ...) name,
#include "collect/machine/counters.def"
};

Test(commands, every_command_has_help_a_view_a_manual_entry_and_a_test)
{
	const char *earlier[COMMANDS];

	for (size_t i = 0; i < COMMANDS; i++) {
		row_needs_own_name(COMMAND_TABLE, commands[i].name, earlier, i);
		earlier[i] = commands[i].name;
		row_needs(*commands[i].help != '\0', COMMAND_TABLE, commands[i].name,
		          "a help text");
		row_needs_entry(COMMAND_TABLE, commands[i].name, commands[i].name, "xer_print.1");
		row_needs_test(COMMAND_TABLE, commands[i].name, commands[i].name);
		if (commands[i].alias)
			row_needs_entry(COMMAND_TABLE, commands[i].name, commands[i].alias,
			                "xer_print.1");
	}
}

Test(commands, every_command_of_a_comparison_is_there)
{
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		int is_there = 0;

		for (size_t j = 0; j < COMMANDS; j++)
			is_there |= strcmp(commands[j].name, compared[i]) == 0;
		row_needs(is_there, COMPARE_TABLE, compared[i], "its command");
	}
}

Test(options, every_option_has_help_a_manual_entry_and_a_test)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char letter[3] = {'-', options[i].letter}, word[40] = "";
		const char *row = options[i].word ? options[i].word : letter;

		row_needs(*options[i].meaning != '\0', OPTION_TABLE, row, "a help text");
		if (options[i].letter)
			row_needs_entry(OPTION_TABLE, row, letter, "xcollect.1");
		if (options[i].word) {
			snprintf(word, sizeof(word), "--%s", options[i].word);
			row_needs_entry(OPTION_TABLE, row, word, "xcollect.1");
		}
		row_needs_test(OPTION_TABLE, row, options[i].word ? word : letter);
	}
}

Test(options, every_option_of_xer_archive_has_help_a_manual_entry_and_a_test)
{
	for (size_t i = 0; i < sizeof(archive_options) / sizeof(archive_options[0]); i++) {
		const char *row = archive_options[i].spelling;

		row_needs(*archive_options[i].meaning != '\0', ARCHIVE_TABLE, row, "a help text");
		row_needs_entry(ARCHIVE_TABLE, row, row, "xer_archive.1");
		row_needs_test(ARCHIVE_TABLE, row, row);
	}
}

Test(counters, every_counter_has_a_name_of_its_own)
{
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		row_needs_own_name(COUNTER_TABLE, counters[i], counters, i);
}
