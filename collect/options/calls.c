/* calls.c: the value of --functrace. See calls.h. */
#include "collect/options/calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *unit;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/* A number without sign or blanks before it, at text[len]. Returns its length, 0 if there is none.
 */
static size_t read_number(const char *text, size_t len, double *out)
{
	size_t size = strspn(text, "0123456789.");
	char copy[32], *end;

	if (size == 0 || size > len || size >= sizeof(copy))
		return 0;
	memcpy(copy, text, size);
	copy[size] = '\0';
	*out = strtod(copy, &end);
	return *end == '\0' && end != copy ? size : 0;
}

static int read_depth(const char *text, size_t len, struct calls *out)
{
	double depth = 0;

	if (read_number(text, len, &depth) != len || depth < 1 || depth > CALLS_DEPTH_MAX ||
	    depth != (double)(int)depth)
		return -EINVAL;
	out->depth = (uint64_t)depth;
	return 0;
}

static int read_min(const char *text, size_t len, struct calls *out)
{
	double amount;
	size_t size = read_number(text, len, &amount);

	for (size_t i = 0; size && i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].unit) == len - size &&
		    memcmp(units[i].unit, text + size, len - size) == 0 &&
		    amount * units[i].ns < 1e15) {
			out->min_ns = (uint64_t)(amount * units[i].ns + 0.5);
			return 0;
		}
	return -EINVAL;
}

static int read_returns(const char *text, size_t len, struct calls *out)
{
	if (len == 2 && memcmp(text, "on", 2) == 0)
		out->returns = 1;
	else if (len == 3 && memcmp(text, "off", 3) == 0)
		out->returns = 0;
	else
		return -EINVAL;
	return 0;
}

static int add_pattern(const char *text, size_t len, struct calls *out)
{
	size_t used = strlen(out->names);
	size_t bare = strspn(text, "!@");

	if (bare >= len || bare > 2 || (bare == 2 && memcmp(text, "!@", 2) != 0) ||
	    memchr(text, '=', len))
		return -EINVAL;
	if (used + 1 + len >= sizeof(out->names))
		return -EINVAL;
	sprintf(out->names + used, "%s%.*s", used ? "," : "", (int)len, text);
	return 0;
}

static int read_one(const char *text, size_t len, struct calls *out)
{
	static const struct {
		const char *name;
		int (*read)(const char *text, size_t len, struct calls *out);
	} words[] = {{"depth=", read_depth}, {"min=", read_min}, {"returns=", read_returns}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = strlen(words[i].name);

		if (strncmp(text, words[i].name, size) == 0)
			return words[i].read(text + size, len - size, out);
	}
	return add_pattern(text, len, out);
}

int calls_read(const char *list, struct calls *out)
{
	struct calls calls = {.depth = 0};

	for (;;) {
		size_t len = strcspn(list, ",");

		if (read_one(list, len, &calls) < 0)
			return -EINVAL;
		if (list[len] == '\0')
			break;
		list += len + 1;
	}
	*out = calls;
	return 0;
}
