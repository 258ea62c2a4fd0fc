/* options.c: the options of xer_trcrpt, as rows of two tables: letters, and the names behind
 * -O. */
#include "analyzer/trcrpt/trcrpt.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "format/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE_MAX = 500 };

typedef int taker(struct trcrpt_options *options, const char *value);

static void add_word(struct trcrpt_words *list, const char *text, size_t len)
{
	list->words = memory_grow(list->words, list->count, &list->capacity, sizeof(*list->words));
	list->words[list->count++] = memory_text(text, len);
}

/* Words separated by commas or blanks. */
static int add_words(struct trcrpt_words *list, const char *text)
{
	size_t before = list->count;

	while (*text != '\0') {
		size_t len = strcspn(text, ", \t");

		if (len > 0)
			add_word(list, text, len);
		text += len;
		text += *text != '\0';
	}
	return list->count > before ? 0 : -EINVAL;
}

/* The same of ids. */
static int add_numbers(struct trcrpt_words *list, const char *text)
{
	return text[strspn(text, "0123456789, \t")] == '\0' ? add_words(list, text) : -EINVAL;
}

static int add_hook(struct trcrpt_hooks *list, const char *text, size_t len)
{
	struct trcrpt_hook hook = {.subhook = TRCRPT_ANY_SUBHOOK};
	const char *colon = memchr(text, ':', len);
	size_t digits = colon ? (size_t)(colon - text) : len;

	if (template_hook_parse(text, digits, &hook.hook) != 0)
		return -EINVAL;
	if (colon) {
		char *end;

		hook.subhook = (int)strtoul(colon + 1, &end, 16);
		if (end != text + len || !isxdigit((unsigned char)colon[1]) || end - colon > 5)
			return -EINVAL;
	}
	list->hooks = memory_grow(list->hooks, list->count, &list->capacity, sizeof(*list->hooks));
	list->hooks[list->count++] = hook;
	return 0;
}

static int add_hooks(struct trcrpt_hooks *list, const char *text)
{
	size_t before = list->count;

	while (*text != '\0') {
		size_t len = strcspn(text, ", \t");

		if (len > 0 && add_hook(list, text, len) != 0)
			return -EINVAL;
		text += len;
		text += *text != '\0';
	}
	return list->count > before ? 0 : -EINVAL;
}

static int take_number(const char *text, unsigned max, unsigned *out)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end != '\0' || number > max)
		return -EINVAL;
	*out = (unsigned)number;
	return 0;
}

static int take_seconds(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return !isdigit((unsigned char)*text) || *end != '\0' || *out > 1e12 ? -EINVAL : 0;
}

/* MMddhhmmssyy, local time; seconds and year may be left out. */
static int take_date(const char *text, int64_t *out)
{
	time_t now = time(NULL);
	struct tm date = {.tm_isdst = -1};
	int field[6] = {0};
	size_t count = strlen(text) / 2;

	if (strlen(text) % 2 != 0 || count < 4 || count > 6 ||
	    text[strspn(text, "0123456789")] != '\0')
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		field[i] = (text[2 * i] - '0') * 10 + text[2 * i + 1] - '0';
	localtime_r(&now, &date);
	date.tm_isdst = -1;
	date.tm_mon = field[0] - 1;
	date.tm_mday = field[1];
	date.tm_hour = field[2];
	date.tm_min = field[3];
	date.tm_sec = field[4];
	if (count == 6)
		date.tm_year = field[5] < 70 ? field[5] + 100 : field[5];
	if (field[0] < 1 || field[0] > 12 || field[1] < 1 || field[1] > 31 || field[2] > 23 ||
	    field[3] > 59 || field[4] > 60)
		return -EINVAL;
	*out = (int64_t)mktime(&date) * 1000000000;
	return 0;
}

static int take_switch(const char *text, int *out)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		return -EINVAL;
	*out = strcmp(text, "on") == 0;
	return 0;
}

/* ---- -O ---- */

#define SWITCHES(X) \
	X("2line", two_lines) \
	X("ids", ids) \
	X("exec", exec) \
	X("pid", pid) \
	X("tid", tid) \
	X("cpuid", cpuid) \
	X("filename", filename) \
	X("removedups", removes_duplicates) \
	X("hist", histogram)

static int take_setting(struct trcrpt_options *options, const char *name, const char *value)
{
	int ignored;

#define X(word, field) \
	if (strcmp(name, word) == 0) \
		return take_switch(value, &options->field);
	SWITCHES(X)
#undef X
	if (strcmp(name, "svc") == 0) /* system calls are not traced here */
		return take_switch(value, &ignored);
	if (strcmp(name, "timestamp") == 0)
		return take_number(value, TRCRPT_NO_TIME, &options->timestamp);
	if (strcmp(name, "pagesize") == 0)
		return take_number(value, PAGE_MAX, &options->page_size);
	if (strcmp(name, "starttime") == 0)
		return take_seconds(value, &options->start_s);
	if (strcmp(name, "endtime") == 0)
		return take_seconds(value, &options->end_s);
	return -ENOENT;
}

static int take_settings(struct trcrpt_options *options, const char *text)
{
	struct trcrpt_words words = {0};
	int status = add_words(&words, text);

	for (size_t i = 0; i < words.count; i++) {
		char *equals = strchr(words.words[i], '=');

		if (status == 0 && !equals)
			status = -EINVAL;
		if (status == 0) {
			*equals = '\0';
			status = take_setting(options, words.words[i], equals + 1);
		}
		free(words.words[i]);
	}
	free(words.words);
	return status;
}

/* ---- letters ---- */

#define FLAG(name, field) \
	static int name(struct trcrpt_options *options, const char *value) \
	{ \
		(void)value; \
		options->field = 1; \
		return 0; \
	}
FLAG(set_check, is_check)
FLAG(set_quiet, is_quiet)
FLAG(set_plain, without_headings)
FLAG(set_list, is_list)
FLAG(set_raw, is_raw)
FLAG(set_verbose, is_verbose)
FLAG(set_json, is_json)

#define LIST(name, add, field) \
	static int name(struct trcrpt_options *options, const char *value) \
	{ \
		return add(&options->field, value); \
	}
LIST(add_only, add_hooks, only)
LIST(add_except, add_hooks, except)
LIST(add_processes, add_words, processes)
LIST(add_programs, add_words, programs)
LIST(add_threads, add_numbers, threads)
LIST(add_cpus, add_numbers, cpus)

static int set_from(struct trcrpt_options *options, const char *value)
{
	return take_date(value, &options->from_ns);
}

static int set_to(struct trcrpt_options *options, const char *value)
{
	return take_date(value, &options->to_ns);
}

static int add_file(struct trcrpt_options *options, const char *value)
{
	add_word(&options->files, value, strlen(value));
	return 0;
}

static int set_text(char **to, const char *value)
{
	free(*to);
	*to = memory_text(value, strlen(value));
	return *value != '\0' ? 0 : -EINVAL;
}

static int set_output(struct trcrpt_options *options, const char *value)
{
	return set_text(&options->output, value);
}

static int set_update(struct trcrpt_options *options, const char *value)
{
	return set_text(&options->update, value);
}

/* Traces of one recording are merged in any case. */
static int set_merge(struct trcrpt_options *options, const char *value)
{
	(void)options;
	(void)value;
	return 0;
}

#define X(word, field) word ", "
static const char
	a_file[] = "the name of a file",
	hooks[] = "hook ids, hexadecimal, as 010 or 021:2", programs[] = "names",
	ids[] = "decimal numbers",
	date[] = "MMddhhmmssyy, the year or year and seconds perhaps left out",
	settings[] = "NAME=VALUE,...: " SWITCHES(
		X) "svc (on or off), timestamp (0 to 3), pagesize (0 to 500), starttime or "
		   "endtime (seconds)";
#undef X

static const struct {
	const char *name;
	taker *take;
	const char *value; /* what it is, NULL: none */
} letters[] = {
#define OPTION(name, take, value) {name, take, value},
#include "analyzer/trcrpt/options.def"
};

enum { LETTERS = sizeof(letters) / sizeof(letters[0]) };

static void say_unknown(const char *word, char *error, size_t size)
{
	const char *names[LETTERS], *near;

	for (size_t i = 0; i < LETTERS; i++)
		names[i] = letters[i].name;
	near = strlen(word) > 2 ? nearest_of(word, names, LETTERS) : NULL;
	if (near && strlen(near) > 2)
		snprintf(error, size, "unknown option %.80s (did you mean %s?)", word, near);
	else
		snprintf(error, size, "unknown option %.80s", word);
}

/* Returns how many words were taken, or -EINVAL with a reason. */
static int take_word(struct trcrpt_options *options, char *const *words, size_t count, char *error,
                     size_t size)
{
	for (size_t i = 0; i < LETTERS; i++) {
		int is_whole = strcmp(words[0], letters[i].name) == 0;
		const char *value = is_whole ? NULL : words[0] + 2;

		if (!is_whole && (strlen(letters[i].name) != 2 ||
		                  strncmp(words[0], letters[i].name, 2) != 0 || !letters[i].value))
			continue;
		/* A longer word that is an option of its own is not a letter with its value. */
		if (!is_whole &&
		    (strcmp(words[0], "-update") == 0 || strcmp(words[0], "-json") == 0))
			continue;
		if (letters[i].value && !value) {
			if (count < 2) {
				snprintf(error, size, "%s needs %s", words[0], letters[i].value);
				return -EINVAL;
			}
			value = words[1];
		}
		if (letters[i].take(options, value) != 0) {
			snprintf(error, size, "%.8s cannot be '%.80s', but %s", letters[i].name,
			         value, letters[i].value);
			return -EINVAL;
		}
		return is_whole && letters[i].value ? 2 : 1;
	}
	say_unknown(words[0], error, size);
	return -EINVAL;
}

int trcrpt_options_parse(struct trcrpt_options *out, char *const *words, size_t count, char *error,
                         size_t size)
{
	*out = (struct trcrpt_options){
		.ids = 1, .end_s = DBL_MAX, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
	for (size_t i = 0; i < count;) {
		int taken = 1;

		if (words[i][0] == '-' && words[i][1] != '\0')
			taken = take_word(out, words + i, count - i, error, size);
		else
			add_word(&out->paths, words[i], strlen(words[i]));
		if (taken < 0)
			return taken;
		i += (size_t)taken;
	}
	return 0;
}

static void free_words(struct trcrpt_words *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->words[i]);
	free(list->words);
}

void trcrpt_options_fini(struct trcrpt_options *options)
{
	free_words(&options->files);
	free_words(&options->processes);
	free_words(&options->programs);
	free_words(&options->threads);
	free_words(&options->cpus);
	free_words(&options->paths);
	free(options->only.hooks);
	free(options->except.hooks);
	free(options->output);
	free(options->update);
	free(options->command);
}
