/* one_archive.h: what suites that archive one experiment share: files in a directory of its own,
 * which its map names, and the messages. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_ARCHIVE_ONE_ARCHIVE_H
#define XER_TESTS_UNIT_EXPERIMENT_ARCHIVE_ONE_ARCHIVE_H

#include "experiment/archive/archive.h"
#include "tests/unit/experiment/make_elf.h"
#include "tests/unit/experiment/make_experiment.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct maker maker;
static char map[4096];  /* elements of map.xml */
static char said[4096]; /* lines; paths without the maker's directory */

static void set_up(void)
{
	maker_create(&maker);
}

static void tear_down(void)
{
	maker_destroy(&maker);
}

/* Keep the messages, with "@" for the maker's directory. */
static void say(void *context, const char *message)
{
	const char *at;

	(void)context;
	while ((at = strstr(message, maker.directory)) != NULL) {
		strncat(said, message, (size_t)(at - message));
		strcat(said, "@");
		message = at + strlen(maker.directory);
	}
	strcat(said, message);
	strcat(said, "\n");
}

/* Write a file into the maker's directory. */
static void put_file(const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", maker.directory, name);
	file = fopen(path, "w");
	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	cr_assert_eq(fclose(file), 0);
}

/* Add an element to the map. */
static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	size_t used = strlen(map);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(map + used, sizeof(map) - used, format, arguments);
	va_end(arguments);
}

/* An object of the map: the file `name` of the maker's directory, of 0x1000 bytes. */
static void add_object(unsigned number, const char *name, const char *build_id)
{
	add("<object id=\"%u\" path=\"%s/%s\" build_id=\"%s\" start=\"%#x\" end=\"%#x\"/>", number,
	    maker.directory, name, build_id, number << 12, (number + 1) << 12);
}

static struct experiment *open_one(void)
{
	struct experiment *experiment;
	struct exp_cause cause;
	char text[sizeof(map) + 64];

	snprintf(text, sizeof(text), "<map version=\"1.0\">%s</map>\n", map);
	maker_put(&maker, "map.xml", text, strlen(text));
	cr_assert_eq(maker_open(&maker, &experiment, &cause), 0, "%s", cause.text);
	return experiment;
}

/* Archive the experiment; the messages are in `said`. Returns the result of experiment_archive. */
static int archive_it(struct exp_archive_options options)
{
	struct experiment *experiment = open_one();
	struct exp_cause cause;
	int rc;

	said[0] = '\0';
	options.reporter = (struct exp_reporter){.warn = say};
	rc = experiment_archive(experiment, &options, &cause);
	experiment_close(experiment);
	return rc;
}

#endif
