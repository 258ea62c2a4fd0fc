/* memory.c: allocation for the analyzer. A report without memory cannot go on, so failure ends the
 * program here, in one place, and callers need not check. */
#include "analyzer/base/memory.h"

#include "experiment/table/arena.h"
#include "format/memstream.h"
#include "format/slack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memory_fail(void)
{
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(1);
}

static void *must(void *at)
{
	if (!at)
		memory_fail();
	return at;
}

void *memory_take(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *memory_resize(void *at, size_t count, size_t size)
{
	return must(reallocarray(at, count ? count : 1, size ? size : 1));
}

static size_t larger(size_t capacity)
{
	if (capacity > SIZE_MAX / 4)
		memory_fail();
	return capacity ? capacity * 2 : 16;
}

void *memory_grow(void *at, size_t count, size_t *capacity, size_t size)
{
	int is_full = count >= *capacity;

	if (is_full) {
		*capacity = larger(*capacity);
		at = memory_resize(at, *capacity, size);
	}
	slack_of_array(at, count, *capacity, size, is_full);
	return at;
}

void *memory_reach(void *at, size_t index, size_t *capacity, size_t size)
{
	size_t before = *capacity;

	if (index < before)
		return at;
	while (index >= *capacity)
		*capacity = larger(*capacity);
	at = memory_resize(at, *capacity, size);
	memset((char *)at + before * size, 0, (*capacity - before) * size);
	return at;
}

char *memory_text(const char *text, size_t len)
{
	char *copy = memory_take(len + 1, 1);

	memcpy(copy, text, len);
	return copy;
}

char *memory_format(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	int len;

	va_start(arguments, format);
	len = vasprintf(&text, format, arguments);
	va_end(arguments);
	return must(len < 0 ? NULL : text);
}

FILE *memory_stream(char **text, size_t *size)
{
	return must(memstream_open(text, size));
}

void memory_stream_end(FILE *stream, char *const *text)
{
	int failed = fflush(stream) != 0 || ferror(stream);

	if (fclose(stream) != 0 || failed)
		memory_fail();
	must(*text);
}

int memory_matches(const regex_t *regex, const char *text)
{
	int status = regexec(regex, text, 0, NULL, 0);

	if (status == REG_ESPACE)
		memory_fail();
	return status == 0;
}

void memory_check(void)
{
	if (exp_memory_lacked())
		memory_fail();
}
