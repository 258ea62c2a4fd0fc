/* hooks.c: the options about user events. A list of hooks becomes entries of the plan that
 * libcollector follows (usertrace_plan.c has their form); groups are replaced by their hooks here.
 */
#include "collect/options/hooks.h"

#include "collect/base/signalname.h"
#include "collect/options/groupfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_DEPTH = 8, MEBIBYTE = 1 << 20, SIZE_MAX_MB = 1 << 20, SIZE_MIN = 64 << 10 };

/* Where the entries of a list go. */
struct sink {
	char *text; /* text[HOOKS_TEXT] */
	unsigned trace;
	char sign;
};

static int add_text(char *text, size_t size, const char *more)
{
	size_t len = strlen(text);

	return snprintf(text + len, size - len, "%s%s", len ? "," : "", more) < (int)(size - len)
	               ? 0
	               : -E2BIG;
}

/* Read hexadecimal digits at *text, `least` to 4 of them. Returns how many, or -EINVAL. */
static int read_hex(const char **text, int least, unsigned *out)
{
	int count = 0;

	for (*out = 0; count <= 4 && isxdigit((unsigned char)**text); count++, (*text)++)
		*out = *out * 16 + (unsigned)(isdigit((unsigned char)**text)
		                                      ? **text - '0'
		                                      : tolower((unsigned char)**text) - 'a' + 10);
	return count >= least && count <= 4 ? count : -EINVAL;
}

static int add_hook(const char **text, const struct sink *sink)
{
	unsigned hook, subhook = 0;
	char entry[32];
	int digits = read_hex(text, 3, &hook);
	int has_subhook = digits > 0 && **text == ':';

	if (digits < 0)
		return digits;
	if (digits == 3)
		hook <<= 4;
	if (hook == 0)
		return -EINVAL;
	if (has_subhook) {
		(*text)++;
		if (read_hex(text, 1, &subhook) < 0)
			return -EINVAL;
	}
	if (!sink)
		return 0;
	snprintf(entry, sizeof(entry), has_subhook ? "%u%c%04x:%04x" : "%u%c%04x", sink->trace,
	         sink->sign, hook, subhook);
	return add_text(sink->text, HOOKS_TEXT, entry);
}

static int add_list(const char *text, const struct sink *sink, int depth);

static int add_group(const char **text, const struct sink *sink, int depth)
{
	size_t len = strcspn(*text, ",");
	char list[HOOKS_TEXT];
	int status;

	if (len == 0)
		return -EINVAL;
	status = sink ? groupfile_find(*text, len, list, sizeof(list)) : 0;
	*text += len;
	if (status < 0 || !sink)
		return status;
	return depth == GROUP_DEPTH ? -ELOOP : add_list(list, sink, depth + 1);
}

static int add_list(const char *text, const struct sink *sink, int depth)
{
	for (;;) {
		int status;

		if (*text == '@') {
			text++;
			status = add_group(&text, sink, depth);
		} else {
			status = add_hook(&text, sink);
		}
		if (status < 0)
			return status;
		if (*text == '\0')
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

int hooks_is_list(const char *text)
{
	return add_list(text, NULL, 0) == 0;
}

int hooks_take(struct hooks *hooks, const char *value)
{
	struct sink sink = {hooks->system, 0, '+'};

	hooks->is_off = strcmp(value, "off") == 0;
	hooks->is_list = 0;
	hooks->system[0] = '\0';
	if (hooks->is_off || strcmp(value, "on") == 0)
		return 0;
	hooks->is_list = 1;
	return add_list(value, &sink, 0);
}

int hooks_exclude(struct hooks *hooks, const char *value)
{
	struct sink sink = {hooks->system, 0, '-'};

	return add_list(value, &sink, 0);
}

/* "MB", with decimals. */
static int read_size(const char *text, uint64_t *out)
{
	char *end;
	double mb;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	mb = strtod(text, &end);
	if (*end || text[strspn(text, "0123456789.")] || mb > SIZE_MAX_MB ||
	    mb * MEBIBYTE < SIZE_MIN)
		return -EINVAL;
	*out = (uint64_t)(mb * MEBIBYTE);
	return 0;
}

/* `mode` is the beginning of the name of a mode. */
static int add_mode(struct hooks *hooks, unsigned trace, const char *mode, size_t len,
                    uint64_t bytes)
{
	static const char *const names[] = {"alternate", "circular", "single"};
	char entry[48];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) != len || strncmp(names[i], mode, len) != 0)
			continue;
		if ((i == 0) != (bytes == 0))
			return -EINVAL;
		if (i == 0)
			return 0;
		snprintf(entry, sizeof(entry), "%u:%c:%llu", trace, names[i][0],
		         (unsigned long long)bytes);
		return add_text(hooks->modes, sizeof(hooks->modes), entry);
	}
	return -EINVAL;
}

int hooks_mode(struct hooks *hooks, const char *value)
{
	size_t len = strcspn(value, ":");
	uint64_t bytes = 0;

	if (value[len] == ':' && read_size(value + len + 1, &bytes) < 0)
		return -EINVAL;
	return add_mode(hooks, 0, value, len, bytes);
}

static int is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-' &&
		    text[i] != '.')
			return 0;
	return len > 0 && len < 32;
}

static int has_component(const struct hooks *hooks, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = hooks->names; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && strncmp(at, name, len) == 0)
			return 1;
	return 0;
}

/* The parts behind the list: mode=, size=, on, off. They are cut off `text`, from its end. */
static int take_details(struct hooks *hooks, unsigned trace, char *text)
{
	const char *mode = "alternate";
	uint64_t bytes = 0;
	char *part;

	while ((part = strrchr(text, ':'))) {
		if (strncmp(part, ":mode=", 6) == 0)
			mode = part + 6;
		else if (strncmp(part, ":size=", 6) == 0 && read_size(part + 6, &bytes) < 0)
			return -EINVAL;
		else if (strcmp(part, ":off") == 0)
			hooks->off |= 1u << trace;
		else if (strncmp(part, ":size=", 6) != 0 && strcmp(part, ":on") != 0)
			break;
		*part = '\0';
	}
	return add_mode(hooks, trace, mode, strlen(mode), bytes);
}

int hooks_component(struct hooks *hooks, const char *value)
{
	struct sink sink = {hooks->components, hooks->count + 1, '+'};
	char text[HOOKS_TEXT];
	size_t name = strcspn(value, ":");
	int status;

	if (!value[name] || !is_name(value, name) || strlen(value) >= sizeof(text))
		return -EINVAL;
	if (sink.trace == HOOKS_TRACES)
		return -E2BIG;
	strcpy(text, value);
	text[name] = '\0';
	if (has_component(hooks, text))
		return -EEXIST;
	status = take_details(hooks, sink.trace, text + name + 1);
	if (status == 0)
		status = add_list(text + name + 1, &sink, 0);
	if (status == 0)
		status = add_text(hooks->names, sizeof(hooks->names), text);
	hooks->count += status == 0;
	return status;
}

int hooks_start(struct hooks *hooks, const char *value)
{
	if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return -EINVAL;
	hooks->off = (hooks->off & ~1u) | (strcmp(value, "off") == 0);
	return 0;
}

int hooks_signal(struct hooks *hooks, const char *value)
{
	return signalname_parse(value, (unsigned)strlen(value), &hooks->signal);
}

void hooks_text(const struct hooks *hooks, char *out)
{
	int is_plain = !hooks->is_off && !hooks->is_list && !hooks->system[0] &&
	               !hooks->components[0];

	*out = '\0';
	if (is_plain)
		return;
	if (!hooks->is_off && !hooks->is_list)
		strcpy(out, "*");
	if (!hooks->is_off && hooks->system[0])
		sprintf(out + strlen(out), "%s%s", *out ? "," : "", hooks->system);
	if (hooks->components[0])
		sprintf(out + strlen(out), "%s%s", *out ? "," : "", hooks->components);
}

unsigned hooks_traces(const struct hooks *hooks)
{
	return ((1u << (hooks->count + 1)) - 1) & ~(hooks->is_off ? 1u : 0u);
}
