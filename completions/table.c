/* table.c: see table.h. */
#include "completions/table.h"

#include "experiment/archive/archive.h"

static const struct option of_xcollect[] = {
#define OPTION(letter, word, argument, initial, take, meaning) \
	{"-", (const char[]){letter, '\0'}, argument, meaning, ' '}, \
		{"--", word, argument, meaning, '='},
#include "collect/options/options.def"
};

static const struct option of_xer_print[] = {
#define GROUP(heading)
#define COMMAND(name, alias, kind, need, function, argument, help) \
	{"-", name, argument, help, ' '}, {"-", alias, argument, help, ' '},
#define VIEW COMMAND
#include "analyzer/views/command.def"
};

static const struct option of_xer_archive[] = {
#define OPTION(field, spelling, argument, meaning) {"", spelling, argument, meaning, ' '},
#include "archive/options.def"
#undef OPTION
};

/* What its values are, is a text to be read; of them, files can be completed. */
#define VALUE_NULL NULL
#define VALUE_a_file "FILE"
#define VALUE_hooks "HOOKS"
#define VALUE_programs "PROGRAMS"
#define VALUE_ids "IDS"
#define VALUE_date "DATE"
#define VALUE_settings "NAME=VALUE"
static const struct option of_xer_trcrpt[] = {
#define OPTION(name, take, value) {"", name, VALUE_##value, NULL, ' '},
#include "analyzer/trcrpt/options.def"
};

#define PROGRAM(name, options, operands) \
	{ \
#name, options, sizeof(options) / sizeof(options[0]), OPERANDS_##operands \
	}
const struct program programs[PROGRAMS] = {
	PROGRAM(xcollect, of_xcollect, COMMAND),
	PROGRAM(xer_print, of_xer_print, EXPERIMENTS),
	PROGRAM(xer_src, of_xer_print, FILES),
	PROGRAM(xer_archive, of_xer_archive, EXPERIMENTS),
	PROGRAM(xer_trcrpt, of_xer_trcrpt, EXPERIMENTS),
};

static const char *const metrics[] = {
#define METRIC(id, keyword, ...) "e." keyword, "i." keyword,
#define PROPERTY(id, keyword, ...) keyword,
#include "analyzer/model/metric.def"
	NULL,
};

static const char *const tokens[] = {
#define TOKEN(name, ...) #name,
#define ALIAS(name, other) #name,
#include "analyzer/filter/token.def"
	NULL,
};

static const char *const commands[] = {
#define GROUP(heading)
#define COMMAND(name, ...) name,
#define VIEW COMMAND
#include "analyzer/views/command.def"
	NULL,
};

static const char *const formats[] = {
#define FORMAT(name, function) name,
#define FILE_FORMAT(name, function) name,
#define DIRECTORY_FORMAT(name) name,
#include "analyzer/export/format.def"
	NULL,
};

static const char *const events[] = {
#define COUNTER(name, ...) name,
#include "collect/machine/counters.def"
	NULL,
};

static const char *const whats[] = {
#define WHAT(name, word, ...) word,
	EXP_ARCHIVE_WHATS(WHAT)
#undef WHAT
		NULL,
};

const char *place_word(enum grammar_place place, size_t index)
{
	const char *const *words = place == GRAMMAR_METRICS    ? metrics
	                           : place == GRAMMAR_FILTER   ? tokens
	                           : place == GRAMMAR_COMMANDS ? commands
	                           : place == GRAMMAR_FORMATS  ? formats
	                           : place == GRAMMAR_EVENTS   ? events
	                           : place == GRAMMAR_ARCHIVE  ? whats
	                                                       : NULL;

	return words ? words[index] : NULL;
}
