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

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
