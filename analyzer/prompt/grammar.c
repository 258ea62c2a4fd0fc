/* grammar.c: see grammar.h. */
#include "analyzer/prompt/grammar.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *name;
	enum grammar_place place;
} places[] = {
#define PLACE(name, place) {name, GRAMMAR_##place},
#include "analyzer/prompt/place.def"
};

/* Bytes up to one of `ends` outside of brackets, or up to the end of text[len]. */
static size_t span(const char *text, size_t len, const char *ends)
{
	int depth = 0;
	size_t at = 0;

	for (; at < len; at++) {
		if (depth == 0 && strchr(ends, text[at]))
			break;
		depth += (text[at] == '[') - (text[at] == ']');
	}
	return at;
}

/* Without brackets around all of it. */
static void strip(const char **text, size_t *len)
{
	while (*len > 1 && **text == '[' && span(*text + 1, *len - 1, "]") == *len - 2) {
		(*text)++;
		*len -= 2;
	}
}

/* The index-th argument as *text, *len. Returns their number. */
static size_t argument(const char **text, size_t *len, size_t index)
{
	const char *at = *text, *end;
	size_t size = strlen(at), count = 0;

	strip(&at, &size);
	end = at + size;
	*len = 0;
	while (at < end) {
		size = span(at, (size_t)(end - at), " ");
		if (size > 0 && count++ == index) {
			*text = at;
			*len = size;
		}
		at += size + 1;
	}
	return count;
}

size_t grammar_count(const char *argument_text)
{
	size_t len;

	return argument(&argument_text, &len, 0);
}

static enum grammar_place place_of(const char *name, size_t len)
{
	enum grammar_place found = GRAMMAR_NOTHING;
	size_t longest = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t size = strlen(places[i].name);

		if (size > longest && size <= len && strncmp(places[i].name, name, size) == 0 &&
		    (size == len || !isalpha((unsigned char)name[size]))) {
			found = places[i].place;
			longest = size;
		}
	}
	return found;
}

int grammar_next(const char *argument_text, size_t index, struct grammar_choice *choice)
{
	const char *at = argument_text, *end;
	size_t len, size;

	if (argument(&at, &len, index) <= index)
		return 0;
	strip(&at, &len);
	end = at + len;
	at += *at == '='; /* "[=on|off]" */
	if (choice->text)
		at = choice->text + span(choice->text, (size_t)(end - choice->text), "|") + 1;
	if (at >= end)
		return 0;
	size = span(at, (size_t)(end - at), "|");
	*choice = (struct grammar_choice){.text = at, .len = size};
	choice->is_word = islower((unsigned char)*at) || isdigit((unsigned char)*at);
	if (choice->is_word) /* "circular:MB" gives "circular:" */
		for (choice->len = 0;
		     choice->len < size && !strchr("[ABCDEFGHIJKLMNOPQRSTUVWXYZ", at[choice->len]);)
			choice->len++;
	else
		choice->place = place_of(at, size);
	return 1;
}
