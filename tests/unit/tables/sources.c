/* Tests that each source of events has what a recording needs of it. */
#include "format/descriptor.h"
#include "tests/unit/tables/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_TABLE "libcollector/base/source.def"

/* The functions of a row are compared as text, since they belong to the recorder. */
static const struct {
	const char *id, *setting, *moments;
} sources[] = {
#define SOURCE(id, setting, ...) {#id, #setting, #__VA_ARGS__},
#include "libcollector/base/source.def"
};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

static int has(size_t row, const char *moment)
{
	return text_has(sources[row].moments, moment);
}

/* The text that the row has after `key`, in quotes. Returns 0 if there is none. */
static int quoted(size_t row, const char *key, char out[64])
{
	const char *at = strstr(sources[row].moments, key);
	const char *begin = at ? strchr(at, '"') : NULL;

	if (!begin)
		return 0;
	/* "field" "_events" is one word to the compiler. */
	for (size_t len = 0; *begin && *begin != ',' && len < 63; begin++)
		if (*begin != '"' && *begin != ' ') {
			out[len++] = *begin;
			out[len] = '\0';
		}
	return 1;
}

Test(sources, each_has_its_own_name)
{
	const char *earlier[SOURCES];

	for (size_t i = 0; i < SOURCES; i++) {
		row_needs_own_name(SOURCE_TABLE, sources[i].id, earlier, i);
		earlier[i] = sources[i].id;
	}
}

Test(sources, what_is_asked_for_is_asked_for_in_the_descriptor)
{
	static const char *const fields[] = {
#define NUMBER(field, key, meaning) #field,
#define TEXT(field, key, size, meaning)
#define STEP_NUMBER(field, key, meaning)
#define STEP_TEXT(field, key, size, meaning)
#include "format/descriptor.def"
	};

	for (size_t i = 0; i < SOURCES; i++) {
		int is_there = strcmp(sources[i].setting, "none") == 0;

		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			is_there |= strcmp(sources[i].setting, fields[k]) == 0;
		row_needs(is_there, SOURCE_TABLE, sources[i].id,
		          "its setting in format/descriptor.def");
	}
}

Test(sources, what_counts_events_is_in_the_manual_and_in_a_test)
{
	char counter[64];

	for (size_t i = 0; i < SOURCES; i++)
		if (quoted(i, ".counter", counter)) {
			row_needs_page(SOURCE_TABLE, sources[i].id, counter, "experiment.5");
			row_needs_test(SOURCE_TABLE, sources[i].id, counter);
		}
}

/* A file that no row names is not there when a process can create none any more. */
Test(sources, each_file_of_events_has_a_source)
{
	enum { CONTEXT, EVENTS };
	static const struct {
		const char *id;
		int role;
	} streams[] = {
#define STREAM(id, name, role) {#id, role},
#include "format/datakind.def"
	};
	static const struct {
		const char *id, *stream;
	} kinds[] = {
#define DATAKIND(id, number, stream, ...) {#id, #stream},
#include "format/datakind.def"
	};
	char word[64];

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		int is_named = streams[i].role == CONTEXT ||
		               /* the row of user events names all traces */
		               strncmp(streams[i].id, "USERTRACE", 9) == 0;

		for (size_t row = 0; row < SOURCES; row++) {
			snprintf(word, sizeof(word), "FILE(%s)", streams[i].id);
			is_named |= has(row, word);
			for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
				snprintf(word, sizeof(word), "FILE_OF_KIND(%s)", kinds[k].id);
				is_named |= strcmp(kinds[k].stream, streams[i].id) == 0 &&
				            has(row, word);
			}
		}
		row_needs(is_named, "format/datakind.def", streams[i].id,
		          "a source that writes it, in " SOURCE_TABLE);
	}
}

/* A forked child and a second recording in one process both begin without what was already written.
 * What descendants are is the same in both. */
Test(sources, what_a_child_forgets_is_forgotten_by_another_recording_too)
{
	for (size_t i = 0; i < SOURCES; i++)
		row_needs(!has(i, "forget") || has(i, "again") ||
		                  strcmp(sources[i].id, "PROCESSES") == 0,
		          SOURCE_TABLE, sources[i].id, "what is done before another recording");
}

Test(sources, what_begins_with_threads_is_told_of_their_ends)
{
	for (size_t i = 0; i < SOURCES; i++) {
		row_needs(!has(i, "thread_begin") || has(i, "thread_gone"), SOURCE_TABLE,
		          sources[i].id, "what is done when a thread is gone");
		row_needs(!has(i, "install") || has(i, "close"), SOURCE_TABLE, sources[i].id,
		          "what takes away what it installs");
		row_needs(!has(i, "keep_memory") || (has(i, "thread_prepare") || has(i, "cut_off")),
		          SOURCE_TABLE, sources[i].id,
		          "what is done with the memory that a child has of it");
	}
}
