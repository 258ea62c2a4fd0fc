/* cppname.c: see cppname.h. A name is not parsed: brackets are matched, and what is no argument
 * list is known by the text before it. See doc/decisions/88-own-code.md. */
#include "analyzer/base/cppname.h"

#include <string.h>

static const char dots[] = "...";

/* What stands between two brackets of the outermost level, without them. */
struct group {
	char *begin;
	size_t len;
};

static int ends_with(const char *begin, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - begin) >= len && memcmp(end - len, what, len) == 0;
}

/* Length of the operator's name at `at`, as "operator<<"; 0: there is none. */
static size_t operator_len(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	if (strncmp(at, word, len) != 0 || (at != name && !strchr(": *&", at[-1])))
		return 0;
	if (strncmp(at + len, "()", 2) == 0)
		return len + 2;
	return len + strspn(at + len, "<>=-|&+*/%^!~,");
}

/* The end of what the bracket at `at` opens; NULL: it is not closed. */
static char *find_end(char *at)
{
	unsigned depth = 0;

	for (; *at != '\0'; at++) {
		size_t skip = operator_len(at, at);

		if (skip > 0)
			at += skip - 1;
		else if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at) && at[-1] != '-' && --depth == 0)
			return at;
	}
	return NULL;
}

/* Can what the bracket opens be left out? A name in brackets, as <Total>, cannot. */
static int is_arguments(const char *name, const char *at)
{
	return at != name && !strchr(":. ", at[-1]) && !ends_with(name, at, "{lambda") &&
	       strncmp(at, "<lambda", 7) != 0 && strncmp(at, "(anonymous namespace)", 21) != 0;
}

/* The longest group that `open` opens and that is worth it; its len is 0 if there is none. */
static struct group find_longest(char *name, char open)
{
	struct group longest = {.len = 0};

	for (char *at = name; *at != '\0'; at++) {
		size_t skip = operator_len(name, at);
		char *end;

		if (skip > 0) {
			at += skip - 1;
			continue;
		}
		if (!strchr("<({[", *at))
			continue;
		end = find_end(at);
		if (!end)
			break;
		if (*at == open && is_arguments(name, at) &&
		    (size_t)(end - at - 1) > strlen(dots) && (size_t)(end - at - 1) > longest.len)
			longest = (struct group){at + 1, (size_t)(end - at - 1)};
		at = end;
	}
	return longest;
}

static void fold_groups(char *name, size_t size, char open)
{
	struct group group = {.len = 0};

	while (strlen(name) > size && (group = find_longest(name, open)).len > 0) {
		char *rest = group.begin + group.len;

		memcpy(group.begin, dots, strlen(dots));
		memmove(group.begin + strlen(dots), rest, strlen(rest) + 1);
	}
}

void cppname_fold(char *name, size_t size)
{
	fold_groups(name, size, '<');
	fold_groups(name, size, '(');
}
