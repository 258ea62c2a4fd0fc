/* Tests that each row of format/datakind.def has everything that a kind of data needs. */
#include "format/layout.h"
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TABLE "format/datakind.def"

static const struct kind {
	const char *id;
	int number;
	const char *stream, *reader, *count, *setting, *option, *word, *name, *title, *key, *events,
		*chosen;
} kinds[] = {
#define DATAKIND(id, number, stream, reader, stage, count, setting, option, word, name, title, \
                 key, events, chosen, chosen_count) \
	{#id,  number, #stream, #reader, #count, setting, option, \
	 word, name,   title,   key,     events, chosen},
#include "format/datakind.def"
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct {
	const char *id, *name;
} streams[] = {
#define STREAM(id, name, role) {#id, name},
#include "format/datakind.def"
};
enum { STREAMS = sizeof(streams) / sizeof(streams[0]) };

static const struct {
	const char *id, *kind, *role;
} totals[] = {
#define TOTAL(id, kind, role, meaning) {#id, #kind, #role},
#include "format/datakind.def"
};
enum { TOTALS = sizeof(totals) / sizeof(totals[0]) };

static const struct {
	const char *kind, *from;
} metrics[] = {
#define METRIC(id, keyword, kind, unit, place, from, overview, heading, meaning) {#kind, #from},
#include "analyzer/model/metric.def"
};
enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

static const struct {
	const char *name, *need;
} commands[] = {
#define GROUP(heading)
#define COMMAND(name, alias, argument, need, ...) {name, #need},
#define VIEW COMMAND
#include "analyzer/views/command.def"
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char *const record_streams[] = {
#define RECORD(name, kind, stream, size, meaning) stream,
#include "format/datakind.def"
};
enum { RECORDS = sizeof(record_streams) / sizeof(record_streams[0]) };

static const struct {
	const char *field, *kind, *form, *key, *meaning;
} switches[] = {
#define SWITCH(field, kind, key, form, meaning) {#field, #kind, #form, key, meaning},
#include "format/datakind.def"
};
enum { SWITCHES = sizeof(switches) / sizeof(switches[0]) };

static const struct {
	char letter;
	const char *word;
} options[] = {
#define OPTION(letter, word, ...) {letter, word},
#include "collect/options/options.def"
};
enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

/* Does the option in text[len], "-p" or "--omp", have a row? */
static int is_option(const char *text, size_t len)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const char *word = options[i].word;

		if (len == 2 && text[0] == '-' && text[1] == options[i].letter)
			return 1;
		if (word && len == strlen(word) + 2 && strncmp(text, "--", 2) == 0 &&
		    strncmp(text + 2, word, len - 2) == 0)
			return 1;
	}
	return 0;
}

/* The row itself writes the settings of switches of this form. */
static int is_calls_switch(const char *setting)
{
	for (size_t i = 0; i < SWITCHES; i++)
		if (strcmp(switches[i].field, setting) == 0)
			return strcmp(switches[i].form, "CALLS") == 0;
	return 0;
}

static const char *stream_name(const char *id)
{
	for (size_t i = 0; i < STREAMS; i++)
		if (strcmp(streams[i].id, id) == 0)
			return streams[i].name;
	return NULL;
}

static int has_record(const char *stream)
{
	for (size_t i = 0; i < RECORDS; i++)
		if (strcmp(record_streams[i], stream) == 0)
			return 1;
	return 0;
}

/* Does a golden experiment have this file, and is it not empty? */
static int is_golden(const char *stream)
{
	struct stat stat_buf;
	char pattern[80];
	int found = 0;
	glob_t paths;

	snprintf(pattern, sizeof(pattern), "tests/golden/*.er/%s", stream);
	if (glob(pattern, 0, NULL, &paths) == 0) {
		for (size_t i = 0; i < paths.gl_pathc; i++)
			found |= stat(paths.gl_pathv[i], &stat_buf) == 0 && stat_buf.st_size > 0;
		globfree(&paths);
	}
	return found;
}

/* Does a script run a command that needs this kind? */
static int is_run(const char *kind)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		char word[64];

		snprintf(word, sizeof(word), "-%s", commands[i].name);
		if (strcmp(commands[i].need, kind) == 0 &&
		    text_has(text_of("tests/e2e", ".sh"), word))
			return 1;
	}
	return 0;
}

Test(kinds, numbers_are_counted_from_0_without_gaps)
{
	unsigned seen = 0;

	for (size_t i = 0; i < KINDS; i++) {
		row_needs(kinds[i].number >= 0 && kinds[i].number < KINDS, TABLE, kinds[i].id,
		          "the next free number");
		row_needs(!(seen & 1u << kinds[i].number), TABLE, kinds[i].id,
		          "a number of its own");
		seen |= 1u << kinds[i].number;
	}
}

Test(kinds, every_kind_has_its_texts)
{
	for (size_t i = 0; i < KINDS; i++) {
		const struct kind *kind = &kinds[i];

		row_needs(kind->option && *kind->option, TABLE, kind->id,
		          "an option that records it");
		row_needs(kind->word && *kind->word, TABLE, kind->id, "a word for describe");
		row_needs(kind->name && *kind->name, TABLE, kind->id, "a name");
		row_needs(kind->title && *kind->title, TABLE, kind->id, "a title");
		row_needs(kind->key && *kind->key, TABLE, kind->id, "a key");
		row_needs(kind->events && *kind->events, TABLE, kind->id, "a name for its events");
		row_needs(kind->chosen && *kind->chosen, TABLE, kind->id,
		          "a name for what filters choose");
		for (size_t j = 0; j < i; j++) {
			row_needs(strcmp(kind->word, kinds[j].word) != 0, TABLE, kind->id,
			          "a word of its own");
			row_needs(strcmp(kind->key, kinds[j].key) != 0, TABLE, kind->id,
			          "a key of its own");
			row_needs(strcmp(kind->title, kinds[j].title) != 0, TABLE, kind->id,
			          "a title of its own");
		}
	}
}

/* Counters have directories, not files. */
Test(kinds, every_kind_has_a_file)
{
	for (size_t i = 0; i < KINDS; i++)
		row_needs(strcmp(kinds[i].id, "COUNTERS") == 0 || stream_name(kinds[i].stream),
		          TABLE, kinds[i].id, "a STREAM row");
}

/* The component traces have the records of the system trace. */
Test(kinds, every_file_has_records_and_stands_in_the_manual)
{
	for (size_t i = 0; i < STREAMS; i++) {
		char text[64];
		int is_component = strncmp(streams[i].id, "USERTRACE", 9) == 0 && streams[i].id[9];

		row_needs(is_component || has_record(streams[i].name), TABLE, streams[i].id,
		          "a RECORD in format/datakind.def");
		if (is_component)
			continue;
		snprintf(text, sizeof(text), "\n%s\tT{", streams[i].name);
		row_needs_between(TABLE, streams[i].id, text, ".SH DESCRIPTION", "\n.SH",
		                  "experiment.5");
		row_needs_between(TABLE, streams[i].id, streams[i].name, "\n.BR overview ,",
		                  "\n.IR \"data files\"", "experiment.5");
	}
}

Test(kinds, every_kind_is_measured)
{
	for (size_t i = 0; i < KINDS; i++) {
		int is_measured = 0, has_total = 0;

		for (size_t j = 0; j < METRICS; j++)
			is_measured |= strcmp(metrics[j].kind, kinds[i].id) == 0;
		for (size_t j = 0; j < TOTALS; j++)
			has_total |= strcmp(totals[j].kind, kinds[i].id) == 0;
		row_needs(has_total, TABLE, kinds[i].id, "a TOTAL");
		row_needs(is_measured, TABLE, kinds[i].id, "a METRIC in analyzer/model/metric.def");
	}
}

/* The tables of functions, lines and so on show clock samples and counters, without a view of their
 * own. */
Test(kinds, every_kind_has_a_view)
{
	for (size_t i = 0; i < KINDS; i++) {
		int has_view = strcmp(kinds[i].id, "PROFILE") == 0 ||
		               strcmp(kinds[i].id, "COUNTERS") == 0;

		for (size_t j = 0; j < COMMANDS; j++)
			has_view |= strcmp(commands[j].need, kinds[i].id) == 0;
		row_needs(has_view, TABLE, kinds[i].id,
		          "a VIEW that needs it in analyzer/views/command.def");
	}
}

Test(kinds, every_kind_has_an_option_that_records_it)
{
	for (size_t i = 0; i < KINDS; i++) {
		size_t len = strcspn(kinds[i].option, " =,");
		char word[40];

		snprintf(word, sizeof(word), "%.*s", (int)len, kinds[i].option);
		row_needs(word[0] == '-', TABLE, kinds[i].id, "an option");
		row_needs_entry(TABLE, kinds[i].id, word, "xcollect.1");
		row_needs(is_option(kinds[i].option, len), TABLE, kinds[i].id,
		          "the row of its option in collect/options/options.def");
	}
}

Test(kinds, every_setting_is_written_and_stands_in_the_manual)
{
	for (size_t i = 0; i < KINDS; i++) {
		char word[40];

		if (!kinds[i].setting)
			continue;
		snprintf(word, sizeof(word), "\"%s\"", kinds[i].setting);
		row_needs(is_calls_switch(kinds[i].setting) ||
		                  strstr(text_of("collect/experiment/logfile.c", ""), word),
		          TABLE, kinds[i].id, "its setting in collect/experiment/logfile.c");
		row_needs_between(TABLE, kinds[i].id, kinds[i].setting,
		                  "\n.SS Settings of log.xml\n", "\n.TE", "experiment.5");
	}
}

Test(kinds, every_kind_has_a_reader_with_a_unit_test)
{
	for (size_t i = 0; i < KINDS; i++) {
		const char *tests = text_of("tests/unit/experiment", ".c");
		char function[64], data[64];

		snprintf(function, sizeof(function), "int exp_%s_read(struct exp_load *load)\n{",
		         kinds[i].reader);
		row_needs(strstr(text_of("experiment", ".c"), function) != NULL, TABLE, kinds[i].id,
		          "its reader in experiment/");
		snprintf(data, sizeof(data), "EXP_DATA_%s", kinds[i].id);
		row_needs(text_has(tests, data) || text_has(tests, kinds[i].count), TABLE,
		          kinds[i].id, "a test of its reader in tests/unit/experiment");
	}
}

Test(kinds, every_kind_is_recorded_by_a_test)
{
	for (size_t i = 0; i < KINDS; i++) {
		const char *stream = stream_name(kinds[i].stream);

		row_needs((stream && is_golden(stream)) || is_run(kinds[i].id) ||
		                  strcmp(kinds[i].id, "COUNTERS") == 0,
		          TABLE, kinds[i].id,
		          "a golden experiment, or a script of tests/e2e that runs its view");
	}
}

Test(switches, every_switch_has_its_kind_and_its_texts)
{
	for (size_t i = 0; i < SWITCHES; i++) {
		const char *setting = NULL;

		row_needs(*switches[i].key != '\0', TABLE, switches[i].field, "a key");
		row_needs(*switches[i].meaning != '\0', TABLE, switches[i].field, "a meaning");
		for (size_t j = 0; j < KINDS; j++)
			if (strcmp(kinds[j].id, switches[i].kind) == 0)
				setting = kinds[j].setting;
		row_needs(setting && strcmp(setting, switches[i].field) == 0, TABLE,
		          switches[i].field, "a kind of data with this setting");
	}
}

/* The greatest value of one event is not a metric: views show it themselves. */
Test(totals, every_total_is_read_and_shown)
{
	for (size_t i = 0; i < TOTALS; i++) {
		int is_shown = 0;
		char word[64];

		snprintf(word, sizeof(word), "EXP_%s", totals[i].id);
		for (size_t j = 0; j < METRICS; j++)
			is_shown |= text_has(metrics[j].from, word);
		if (strcmp(totals[i].role, "MOST") == 0)
			is_shown = text_has(text_of("analyzer", ".c"), word);
		row_needs(is_shown, TABLE, totals[i].id, "a METRIC that comes from it");
		/* Readers name the first of these, and count from there. */
		if (strncmp(totals[i].id, "OMP_", 4) != 0 &&
		    strncmp(totals[i].id, "COUNTER", 7) != 0)
			row_needs(text_has(text_of("experiment", ".c"), word), TABLE, totals[i].id,
			          "a reader that counts it");
	}
}
