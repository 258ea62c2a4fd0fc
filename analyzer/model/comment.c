/* comment.c: the classes of comments in listings, as users write them. */
#include "analyzer/model/comment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word;
	unsigned set;
	int is_there;
} classes[] = {
#define COMMENT(id, word, there, meaning) {word, COMMENT_SET(id), there},
#include "analyzer/model/comment.def"
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

/* Words for several classes, or for none. */
static const struct {
	const char *word;
	unsigned add, remove;
	int of_disasm;
} words[] = {
	{"all", (1u << COMMENT_CLASSES) - 1, 0, 0},
	{"none", 0, (1u << COMMENT_CLASSES) - 1, 0},
	{"basic", COMMENT_BASIC, 0, 0},
	{"hex", COMMENT_HEX, 0, 1},
	{"nohex", 0, COMMENT_HEX, 1},
	{"src", COMMENT_SOURCE, 0, 1},
	{"nosrc", 0, COMMENT_SOURCE, 1},
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static int is_word(const char *text, size_t len, const char *word)
{
	return len != 0 && strncasecmp(text, word, len) == 0;
}

/* One word of a list. Returns 0 or -EINVAL. */
static int parse_word(const char *text, size_t len, int disasm, unsigned *set, const char **absent)
{
	/* A whole word comes before the beginning of another: "fe", "src". */
	for (size_t i = 0; i < WORDS; i++)
		if (is_word(text, len, words[i].word) && (!words[i].of_disasm || disasm) &&
		    (len > 2 || words[i].word[len] == '\0')) {
			*set = (*set | words[i].add) & ~words[i].remove;
			return 0;
		}
	for (size_t i = 0; i < CLASSES; i++)
		if (is_word(text, len, classes[i].word)) {
			*set |= classes[i].set;
			if (!classes[i].is_there && !*absent)
				*absent = classes[i].word;
			return 0;
		}
	return -EINVAL;
}

static int parse_threshold(const char *text, size_t len, unsigned *threshold)
{
	char *end;
	unsigned long value;

	if (len < 3 || strncasecmp(text, "t=", 2) != 0)
		return -EINVAL;
	value = strtoul(text + 2, &end, 10);
	if (end != text + len || value > 100 || text[2] < '0' || text[2] > '9')
		return -EINVAL;
	*threshold = (unsigned)value;
	return 0;
}

int comment_parse(const char *spec, int disasm, unsigned *out, unsigned *threshold,
                  const char **absent, const char **bad, size_t *bad_len)
{
	unsigned set = *out & (COMMENT_SOURCE | COMMENT_HEX);

	*absent = NULL;
	while (*spec != '\0') {
		size_t len = strcspn(spec, ":");

		if (parse_threshold(spec, len, threshold) != 0 &&
		    parse_word(spec, len, disasm, &set, absent) != 0) {
			*bad = spec;
			*bad_len = len;
			return -EINVAL;
		}
		spec += len + (spec[len] == ':');
	}
	*out = set;
	return 0;
}
