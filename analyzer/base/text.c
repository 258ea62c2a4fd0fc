/* text.c: safe output of untrusted bytes, and of paths. */
#include "analyzer/base/text.h"

#include "experiment/base/printable.h"
#include "analyzer/base/memory.h"

#include <ctype.h>
#include <string.h>

void text_put_bytes(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		size_t size = exp_printable(text, (size_t)(end - text));

		if (size == 0)
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
}

void text_put(FILE *out, const char *text)
{
	if (text)
		text_put_bytes(out, text, strlen(text));
}

char *text_escape(const char *text)
{
	size_t left = strlen(text), len = 0;
	char *escaped = memory_take(4 * left + 1, 1);

	while (left > 0) {
		size_t size = exp_printable(text, left);

		if (size == 0)
			len += (size_t)sprintf(escaped + len, "\\x%02x", (unsigned char)*text);
		else
			memcpy(escaped + len, text, size);
		len += size;
		text += size ? size : 1;
		left -= size ? size : 1;
	}
	return escaped;
}

void text_put_lines(FILE *out, const char *text, const char *indent)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		fputs(indent, out);
		text_put_bytes(out, text, len);
		fputc('\n', out);
		text += len;
		if (*text == '\n')
			text++;
	}
}

char *text_trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

int text_is_short(uint64_t greatest_ns)
{
	return greatest_ns > 0 && greatest_ns < 1000000;
}

char *text_time(uint64_t ns, int is_short, char *text)
{
	if (is_short)
		snprintf(text, TEXT_TIME_MAX, "%.3f", (double)ns / 1e3);
	else
		snprintf(text, TEXT_TIME_MAX, "%.6f", (double)ns / 1e9);
	return text;
}

char *text_group(char *text)
{
	char *first = text + strcspn(text, "0123456789");
	size_t digits = strspn(first, "0123456789");

	for (size_t left = digits; digits > 4 && left > 3; left -= 3) {
		char *at = first + left - 3;

		memmove(at + 1, at, strlen(at) + 1);
		*at = ',';
	}
	return text;
}

/* In integers, so that every machine prints the same; half a step up. */
char *text_time_digits(uint64_t ns, uint64_t unit_ns, unsigned digits, char *text)
{
	uint64_t parts = 1, step, steps;

	for (unsigned i = 0; i < digits; i++)
		parts *= 10;
	step = unit_ns / parts;
	steps = ns / step + (ns % step >= step - step / 2 && step > 1);
	if (digits == 0)
		snprintf(text, TEXT_TIME_MAX, "%llu", (unsigned long long)steps);
	else
		snprintf(text, TEXT_TIME_MAX, "%llu.%0*llu", (unsigned long long)(steps / parts),
		         (int)digits, (unsigned long long)(steps % parts));
	return text;
}

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
