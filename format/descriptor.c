/* descriptor.c: encode and decode the collection descriptor. The fields are the rows of
 * descriptor.def. */
#include "format/descriptor.h"

#include <errno.h>
#include <string.h>

struct cursor {
	char *at;
	size_t left;
	int overflow;
};

static void put_char(struct cursor *cursor, char c)
{
	if (cursor->left <= 1) {
		cursor->overflow = 1;
		return;
	}
	*cursor->at++ = c;
	cursor->left--;
}

static void put_text(struct cursor *cursor, const char *key, const char *value)
{
	if (!*value)
		return;
	while (*key)
		put_char(cursor, *key++);
	put_char(cursor, '=');
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c > 0x20 && c < 0x7f && c != ';' && c != '%') {
			put_char(cursor, (char)c);
			continue;
		}
		put_char(cursor, '%');
		put_char(cursor, "0123456789abcdef"[c >> 4]);
		put_char(cursor, "0123456789abcdef"[c & 15]);
	}
	put_char(cursor, ';');
}

static void put_number(struct cursor *cursor, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put_text(cursor, key, digits + at);
}

int descriptor_put(const struct descriptor *descriptor, char *text, size_t size)
{
	struct cursor cursor = {text, size, 0};

#define NUMBER(field, key, meaning) put_number(&cursor, key, descriptor->field);
#define TEXT(field, key, size, meaning) put_text(&cursor, key, descriptor->field);
#define STEP_NUMBER(field, key, meaning) put_number(&cursor, key, descriptor->step.field);
#define STEP_TEXT(field, key, size, meaning) put_text(&cursor, key, descriptor->step.field);
#include "format/descriptor.def"
	*cursor.at = '\0';
	return cursor.overflow ? -E2BIG : (int)(cursor.at - text);
}

int descriptor_put_step(const struct descriptor_step *step, char *text, size_t size)
{
	struct cursor cursor = {text, size, 0};

#define NUMBER(field, key, meaning)
#define TEXT(field, key, size, meaning)
#define STEP_NUMBER(field, key, meaning) put_number(&cursor, key, step->field);
#define STEP_TEXT(field, key, size, meaning) put_text(&cursor, key, step->field);
#include "format/descriptor.def"
	*cursor.at = '\0';
	return cursor.overflow ? -E2BIG : (int)(cursor.at - text);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode the value at `from` up to its ';' into out[size]. */
static int get_text(const char *from, char *out, size_t size)
{
	size_t len = 0;

	while (*from && *from != ';') {
		char c = *from++;

		if (c == '%') {
			if (hex_value(from[0]) < 0 || hex_value(from[1]) < 0)
				return -EINVAL;
			c = (char)(hex_value(from[0]) << 4 | hex_value(from[1]));
			from += 2;
		}
		if (c == '\0')
			return -EINVAL;
		if (len + 1 >= size)
			return -E2BIG;
		out[len++] = c;
	}
	out[len] = '\0';
	return 0;
}

static int get_number(const char *from, uint64_t *out)
{
	uint64_t value = 0;

	if (*from < '0' || *from > '9')
		return -EINVAL;
	for (; *from >= '0' && *from <= '9'; from++) {
		unsigned digit = (unsigned)(*from - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return -E2BIG;
		value = value * 10 + digit;
	}
	if (*from != ';')
		return -EINVAL;
	*out = value;
	return 0;
}

static int key_is(const char *text, size_t len, const char *key)
{
	return strlen(key) == len && memcmp(text, key, len) == 0;
}

static int get_pair(const char *key, size_t key_len, const char *value, struct descriptor *out)
{
#define NUMBER(field, name, meaning) \
	if (key_is(key, key_len, name)) \
		return get_number(value, &out->field);
#define TEXT(field, name, size, meaning) \
	if (key_is(key, key_len, name)) \
		return get_text(value, out->field, sizeof(out->field));
#define STEP_NUMBER(field, name, meaning) \
	if (key_is(key, key_len, name)) \
		return get_number(value, &out->step.field);
#define STEP_TEXT(field, name, size, meaning) \
	if (key_is(key, key_len, name)) \
		return get_text(value, out->step.field, sizeof(out->step.field));
#include "format/descriptor.def"
	return 0;
}

int descriptor_get(const char *text, struct descriptor *out)
{
	memset(out, 0, sizeof(*out));
	while (*text) {
		const char *equals = strchr(text, '=');
		const char *end = equals ? strchr(equals, ';') : NULL;
		int status;

		if (!end)
			return -EINVAL;
		status = get_pair(text, (size_t)(equals - text), equals + 1, out);
		if (status < 0)
			return status;
		text = end + 1;
	}
	if (out->name_at > strlen(out->directory))
		out->name_at = 0;
	return out->version == DESCRIPTOR_VERSION ? 0 : -EPROTO;
}
