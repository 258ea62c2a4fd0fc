/* options.c: reads the command line of xer_archive by the table in options.def. */
#include "archive/options.h"

#include "format/compress.h"
#include "format/nearest.h"

#include "experiment/archive/archive.h"
#include "experiment/base/regexwork.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option {
	const char *spelling, *argument, *meaning;
	size_t offset; /* of the field in struct options */
} table[] = {
#define OPTION(field, spelling, argument, meaning) \
	{spelling, argument, meaning, offsetof(struct options, field)},
#include "archive/options.def"
#undef OPTION
};
enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

static const struct word {
	const char *word, *meaning;
} whats[] = {
#define WHAT(name, word, objects, sources, used, meaning) {word, meaning},
	EXP_ARCHIVE_WHATS(WHAT)
#undef WHAT
};
enum { WHATS = sizeof(whats) / sizeof(whats[0]) };

/* As other programs of the tree, and most programs, spell them. */
static const char *spelling_of(const char *word)
{
	if (strcmp(word, "--version") == 0)
		return "-V";
	if (strcmp(word, "-h") == 0 || strcmp(word, "-help") == 0)
		return "--help";
	return word;
}

static const struct option *find_option(const char *given)
{
	const char *word = spelling_of(given);

	for (size_t i = 0; i < OPTIONS; i++)
		if (strcmp(word, table[i].spelling) == 0)
			return &table[i];
	return NULL;
}

static int reject_option(const char *word, char *error, size_t size)
{
	const char *names[OPTIONS], *near;

	for (size_t i = 0; i < OPTIONS; i++)
		names[i] = table[i].spelling;
	near = nearest_of(word, names, OPTIONS);
	snprintf(error, size, "unknown option '%.100s'%s%s%s; see --help", word,
	         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	return -EINVAL;
}

static int check_what(const char *word, char *error, size_t size)
{
	const char *names[WHATS], *near;
	enum exp_archive_what what;

	if (exp_archive_parse(word, &what) == 0)
		return 0;
	for (size_t i = 0; i < WHATS; i++)
		names[i] = whats[i].word;
	near = nearest_of(word, names, WHATS);
	snprintf(error, size, "-a: unknown word '%.100s'%s%s%s; see --help", word,
	         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	return -EINVAL;
}

static int check_match(const char *match, char *error, size_t size)
{
	char why[EXP_REGEX_WHY];
	regex_t regex;

	if (exp_regex_compile(&regex, match, why) == 0) {
		regfree(&regex);
		return 0;
	}
	snprintf(error, size, "-m: '%.100s': %s; see --help", match, why);
	return -EINVAL;
}

static int check_compress(const char *word, char *error, size_t size)
{
	if (compress_parse(word) >= 0)
		return 0;
	snprintf(error, size, "-z: on, archives or off, not '%.100s'; see --help", word);
	return -EINVAL;
}

static int check(const struct options *options, char *error, size_t size)
{
	if (options->help || options->version)
		return 0;
	if (options->what && check_what(options->what, error, size) != 0)
		return -EINVAL;
	if (options->match && check_match(options->match, error, size) != 0)
		return -EINVAL;
	if (options->compress && check_compress(options->compress, error, size) != 0)
		return -EINVAL;
	if (options->experiment_count > 0)
		return 0;
	snprintf(error, size, "no experiment given; see --help");
	return -EINVAL;
}

int options_parse(int argc, char **argv, struct options *out, char *error, size_t size)
{
	int at;

	*out = (struct options){0};
	for (at = 1; at < argc && argv[at][0] == '-'; at++) {
		const struct option *option = find_option(argv[at]);
		const char **field;

		if (strcmp(argv[at], "--") == 0) {
			at++;
			break;
		}
		if (!option)
			return reject_option(argv[at], error, size);
		field = (const char **)((char *)out + option->offset);
		*field = option->spelling;
		if (!option->argument)
			continue;
		if (at + 1 == argc) {
			snprintf(error, size, "%s needs %s; see --help", option->spelling,
			         option->argument);
			return -EINVAL;
		}
		*field = argv[++at];
	}
	out->experiments = argv + at;
	out->experiment_count = argc - at;
	return check(out, error, size);
}

void options_help(FILE *out)
{
	fputs("Usage: xer_archive [OPTION...] EXPERIMENT...\n"
	      "Copy the load objects of experiments into them, so that they can be read "
	      "elsewhere.\n\n",
	      out);
	for (size_t i = 0; i < OPTIONS; i++) {
		char head[32];

		snprintf(head, sizeof(head), "%s %s", table[i].spelling,
		         !table[i].argument ? "" : table[i].argument);
		fprintf(out, "  %-10s %s\n", head, table[i].meaning);
	}
	fputs("\nWHAT is one of\n", out);
	for (size_t i = 0; i < WHATS; i++)
		fprintf(out, "  %-14s %s\n", whats[i].word, whats[i].meaning);
	fputs("\nExit status: 0 done, 1 something could not be archived, 2 bad usage.\n", out);
}
