/* header_settings.c: what was asked for, in words. See setting.def. */
#include "analyzer/views/experiments/header.h"

#include "analyzer/base/fit.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#include <stdlib.h>
#include <string.h>

static const struct words {
	const char *name, *text;
	int is_for_off;
} all_words[] = {
#define ON 0
#define OFF 1
#define SETTING(name, when, words) {#name, words, when},
#include "analyzer/views/experiments/setting.def"
#undef ON
#undef OFF
};
enum { WORDS = sizeof(all_words) / sizeof(all_words[0]) };

/* The value of setting name[len]; "": it has none. */
static const char *value_of(const struct exp_info *info, const char *name, size_t len)
{
	for (size_t i = 0; i < info->setting_count; i++)
		if (strlen(info->settings[i].name) == len &&
		    memcmp(info->settings[i].name, name, len) == 0)
			return info->settings[i].value;
	return "";
}

static int is_off(const char *value)
{
	return strcmp(value, "off") == 0 || strcmp(value, "0") == 0;
}

static int ends_in(const char *name, size_t len, const char *end)
{
	return len > strlen(end) && memcmp(name + len - strlen(end), end, strlen(end)) == 0;
}

static void put_bytes(FILE *out, const char *value)
{
	unsigned long long bytes = strtoull(value, NULL, 10);

	if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
		fprintf(out, "%llu MiB", bytes >> 20);
	else
		fprintf(out, "%llu bytes", bytes);
}

static void put_value(FILE *out, const char *name, size_t len, const char *value)
{
	static const char *const units[] = {"ms", "us", "ns"};

	if (ends_in(name, len, "_bytes")) {
		put_bytes(out, value);
		return;
	}
	text_put(out, value);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ends_in(name, len, units[i]) && name[len - 3] == '_')
			fprintf(out, " %s", units[i]);
}

/* Has every setting in the part text[len] a value that is not off? */
static int is_said(const struct exp_info *info, const char *text, size_t len)
{
	for (const char *at = memchr(text, '{', len); at;
	     at = memchr(at, '{', (size_t)(text + len - at))) {
		const char *value = value_of(info, at + 1, strcspn(at + 1, "}"));

		if (value[0] == '\0' || is_off(value))
			return 0;
		at++;
	}
	return 1;
}

static void put_words(FILE *out, const struct exp_info *info, const char *at)
{
	while (*at != '\0') {
		size_t len = strcspn(at, "{[]");

		fwrite(at, 1, len, out);
		at += len;
		if (*at == '{') {
			len = strcspn(++at, "}");
			put_value(out, at, len, value_of(info, at, len));
			at += len;
		} else if (*at == '[' && !is_said(info, at, strcspn(at, "]"))) {
			at += strcspn(at, "]");
		}
		at += *at != '\0';
	}
}

static int is_known(const char *name)
{
	char reference[64];

	snprintf(reference, sizeof(reference), "{%s}", name);
	for (size_t i = 0; i < WORDS; i++)
		if (strcmp(all_words[i].name, name) == 0 || strstr(all_words[i].text, reference))
			return 1;
	return strcmp(name, "command") == 0; /* a line of its own */
}

/* Where the next item goes: lines are broken between items. */
struct lines {
	FILE *out;
	size_t columns, used;
};

static void put_item(struct lines *lines, const char *text)
{
	size_t width = fit_width(text);

	if (lines->used != 0 && lines->used + strlen("; ") + width + strlen(";") > lines->columns) {
		fprintf(lines->out, ";\n%*s", (int)strlen(HEADER_SETTINGS), "");
		lines->used = 0;
	}
	fputs(lines->used != 0 ? "; " : "", lines->out);
	fputs(text, lines->out);
	lines->used += width + (lines->used != 0 ? strlen("; ") : 0);
}

static void put_known(struct lines *lines, const struct exp_info *info)
{
	for (size_t i = 0; i < WORDS; i++) {
		const struct words *words = &all_words[i];
		const char *value = value_of(info, words->name, strlen(words->name));
		char *text = NULL;
		size_t size;
		FILE *stream;

		if (value[0] == '\0' || is_off(value) != words->is_for_off)
			continue;
		stream = memory_stream(&text, &size);
		put_words(stream, info, words->text);
		memory_stream_end(stream, &text);
		put_item(lines, text);
		free(text);
	}
}

static void put_others(struct lines *lines, const struct exp_info *info)
{
	for (size_t i = 0; i < info->setting_count; i++) {
		const struct exp_pair *setting = &info->settings[i];
		char *text, *escaped;

		if (is_known(setting->name) || setting->value[0] == '\0' || is_off(setting->value))
			continue;
		text = memory_format("%s = %s", setting->name, setting->value);
		escaped = text_escape(text);
		put_item(lines, escaped);
		free(escaped);
		free(text);
	}
}

void header_put_settings(FILE *out, const struct exp_info *info, size_t columns)
{
	struct lines lines = {.out = out, .columns = columns - strlen(HEADER_SETTINGS)};

	fputs(HEADER_SETTINGS, out);
	put_known(&lines, info);
	put_others(&lines, info);
	fputc('\n', out);
}
