/* code.c: the tables of format codes and predefined macros, and how their names and numbers are
 * read. */
#include "template/internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const struct code_rule rules[] = {
#define CODE(letter, kind, sizes, bits, formats) {letter, KIND_##kind, sizes, bits, formats},
#include "template/code.def"
};

static const struct {
	const char *name;
	enum macro_kind kind;
} macros[] = {
#define MACRO(name, kind) {#name, MACRO_KIND_##kind},
#include "template/macro.def"
};

const struct code_rule *template_code_rule(char letter)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].letter == letter)
			return &rules[i];
	return NULL;
}

/* Read decimal digits at word[*at]. Returns the number, cut at a million, or -1 if there are none.
 */
static long read_digits(const char *word, size_t len, size_t *at)
{
	size_t from = *at;
	long value = 0;

	for (; *at < len && isdigit((unsigned char)word[*at]); (*at)++)
		value = value < 1000000 ? value * 10 + (word[*at] - '0') : value;
	return *at > from ? value : -1;
}

/* Split a word into letter, m and n. Returns 1, or 0 if it has another shape. */
static int split(const char *word, size_t len, char *letter, long *size, long *fraction)
{
	size_t at = 1;

	*fraction = -1;
	if (len < 2)
		return 0;
	*letter = word[0];
	*size = read_digits(word, len, &at);
	if (*size >= 0 && at < len && word[at] == '.') {
		at++;
		*fraction = read_digits(word, len, &at);
		if (*fraction < 0)
			return 0;
	}
	return *size >= 0 && at == len;
}

static int is_size(const struct code_rule *rule, long size, long fraction)
{
	if (rule->sizes ? size > 31 || !(rule->sizes >> size & 1) : size > CODE_SIZE_MAX)
		return 0;
	if (fraction > (long)rule->bits || (fraction >= 0 && rule->bits == 0))
		return 0;
	/* A number of bits, up to 64. */
	return rule->kind != KIND_BINARY || (size * 8 + (fraction > 0 ? fraction : 0) > 0 &&
	                                     size * 8 + (fraction > 0 ? fraction : 0) <= 64);
}

int template_code_parse(const char *word, size_t len, struct code *out)
{
	const struct code_rule *rule;
	long size, fraction;
	char letter;

	if (!split(word, len, &letter, &size, &fraction))
		return 0;
	rule = template_code_rule(letter);
	if (!rule)
		return 0;
	if (!is_size(rule, size, fraction))
		return -EINVAL;
	*out = (struct code){.letter = letter,
	                     .size = (uint16_t)size,
	                     .has_fraction = fraction >= 0,
	                     .fraction = (uint16_t)(fraction > 0 ? fraction : 0)};
	return 1;
}

int template_format_parse(const char *word, size_t len, struct code *out)
{
	const struct code_rule *rule;
	long size = 0, fraction = -1;
	char letter = word[0];

	*out = (struct code){.letter = 'X', .size = 2};
	if (letter == 'N' && (len == 1 || split(word, len, &letter, &size, &fraction))) {
		out->letter = 'N';
		out->size = 8;
		return 1;
	}
	if (!split(word, len, &letter, &size, &fraction))
		return 0;
	letter = letter == 'O' ? 'o' : letter == 'W' ? 'X' : letter;
	rule = template_code_rule(letter);
	if (!rule || !rule->formats || !is_size(rule, size, fraction))
		return 2;
	*out = (struct code){.letter = letter,
	                     .size = (uint16_t)size,
	                     .has_fraction = fraction >= 0,
	                     .fraction = (uint16_t)(fraction > 0 ? fraction : 0)};
	return 1;
}

unsigned template_code_bytes(const struct code *code)
{
	unsigned bytes = code->size;

	if (code->letter == 'B')
		bytes += (code->fraction + 7u) / 8;
	if (code->letter == 'X' && bytes == 0)
		bytes = 1;
	return bytes > 8 ? 8 : bytes;
}

unsigned template_macro_find(const char *name, size_t len)
{
	for (unsigned i = 0; i < MACROS; i++)
		if (strlen(macros[i].name) == len && memcmp(macros[i].name, name, len) == 0)
			return i;
	return MACROS;
}

enum macro_kind template_macro_kind(unsigned macro)
{
	return macros[macro].kind;
}

static unsigned digit_of(char c)
{
	if (isdigit((unsigned char)c))
		return (unsigned)(c - '0');
	return isxdigit((unsigned char)c) ? (unsigned)(tolower((unsigned char)c) - 'a' + 10) : 99;
}

int template_number_parse(const char *text, size_t len, unsigned base, uint64_t *out)
{
	uint64_t value = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
		len -= 2;
	}
	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = digit_of(text[i]);

		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return -EINVAL;
		value = value * base + digit;
	}
	*out = value;
	return 0;
}

int template_hook_parse(const char *text, size_t len, uint16_t *out)
{
	uint64_t value;

	if (len < 3 || len > 4 || text[1] == 'x' || text[1] == 'X' ||
	    template_number_parse(text, len, 16, &value) < 0)
		return -EINVAL;
	*out = (uint16_t)(len == 3 ? value << 4 : value);
	return 0;
}

void template_hook_text(uint16_t hook, char *out)
{
	static const char digits[] = "0123456789ABCDEF";

	for (int i = 0; i < 4; i++)
		out[i] = digits[hook >> (12 - 4 * i) & 15];
	out[(hook & 15) == 0 ? 3 : 4] = '\0';
}
