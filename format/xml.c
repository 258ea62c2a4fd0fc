/* xml.c: build XML elements and plan their crash-proof appending. See xml.h for the contract.
 * See doc/decisions/14-xml-appending.md. */
#include "format/xml.h"

#include <errno.h>
#include <string.h>

/* An instruction without meaning. While a page is being added it hides the new page's text. */
#define PI_OPEN "<?x "
#define PI_WHOLE "<?x ?>\n"

static void put_bytes(struct xml_text *text, const char *bytes, size_t len)
{
	if (text->overflow || len >= text->capacity - text->len) {
		text->overflow = 1;
		return;
	}
	memcpy(text->at + text->len, bytes, len);
	text->len += len;
	text->at[text->len] = '\0';
}

void xml_put(struct xml_text *text, const char *markup)
{
	put_bytes(text, markup, strlen(markup));
}

/* Length of the UTF-8 sequence at at[len] that XML 1.0 can carry, 0 if there is none. */
static size_t utf8_length(const unsigned char *at, size_t len)
{
	unsigned char lead = at[0];
	size_t need = lead < 0x80                   ? 1
	              : lead >= 0xc2 && lead < 0xe0 ? 2
	              : lead >= 0xe0 && lead < 0xf0 ? 3
	              : lead >= 0xf0 && lead < 0xf5 ? 4
	                                            : 0;

	if (need == 0 || need > len)
		return 0;
	for (size_t i = 1; i < need; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if (need == 3) {
		unsigned point = (lead & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
		int surrogate = point >= 0xd800 && point < 0xe000;

		return point < 0x800 || surrogate || point >= 0xfffe ? 0 : 3;
	}
	if (need == 4 && ((lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] >= 0x90)))
		return 0;
	return need;
}

static const char *entity_of(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

static void put_hex_byte(struct xml_text *text, unsigned char c)
{
	static const char digit[] = "0123456789abcdef";
	char escape[4] = {'\\', 'x', digit[c >> 4], digit[c & 15]};

	put_bytes(text, escape, sizeof(escape));
}

void xml_put_content(struct xml_text *text, const char *value, size_t len)
{
	const unsigned char *at = (const unsigned char *)value;

	while (len > 0) {
		size_t step = utf8_length(at, len);
		const char *entity = entity_of(*at);

		if (entity)
			xml_put(text, entity);
		else if (step == 0 || *at < 0x20 || *at == 0x7f)
			put_hex_byte(text, *at);
		else
			put_bytes(text, (const char *)at, step);
		step += step == 0;
		at += step;
		len -= step;
	}
}

static void open_attribute(struct xml_text *text, const char *name)
{
	xml_put(text, " ");
	xml_put(text, name);
	xml_put(text, "=\"");
}

void xml_put_attribute(struct xml_text *text, const char *name, const char *value, size_t len)
{
	open_attribute(text, name);
	xml_put_content(text, value, len);
	xml_put(text, "\"");
}

void xml_put_string(struct xml_text *text, const char *name, const char *value)
{
	if (value)
		xml_put_attribute(text, name, value, strlen(value));
}

static void put_digits(struct xml_text *text, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	put_bytes(text, digits + at, sizeof(digits) - at);
}

void xml_put_number(struct xml_text *text, const char *name, uint64_t value)
{
	open_attribute(text, name);
	put_digits(text, value, 10);
	xml_put(text, "\"");
}

void xml_put_signed(struct xml_text *text, const char *name, int64_t value)
{
	open_attribute(text, name);
	if (value < 0)
		xml_put(text, "-");
	put_digits(text, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
	xml_put(text, "\"");
}

void xml_put_hex(struct xml_text *text, const char *name, uint64_t value)
{
	open_attribute(text, name);
	xml_put(text, "0x");
	put_digits(text, value, 16);
	xml_put(text, "\"");
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

size_t xml_decode(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from) {
		if (from[0] == '\\' && from[1] == '\\') {
			*to++ = '\\';
			from += 2;
		} else if (from[0] == '\\' && from[1] == 'x' && hex_value(from[2]) >= 0 &&
		           hex_value(from[3]) >= 0) {
			*to++ = (char)(hex_value(from[2]) << 4 | hex_value(from[3]));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return (size_t)(to - text);
}

static void plan_write(struct xml_append *plan, uint64_t at, const char *bytes, size_t len)
{
	if (len > 0)
		plan->write[plan->count++] = (struct xml_write){at, len, bytes};
}

/* The element fits in the page of the closing tag: one write does it. */
static void plan_inside(struct xml_append *plan, uint64_t end, size_t len, size_t close_len)
{
	plan_write(plan, end, plan->page, len + close_len);
	plan->end = end + len;
}

/* The element goes to the next page. Blanks and an instruction may follow a root's closing tag, and
 * an instruction may hold anything but its own end; so, with | for the page boundary:
 *
 *     </r>                                 as it was
 *     </r>      |                          the page filled with blanks
 *     </r>      | <?x ?>                   the next page begun
 *     </r><?x   | <?x ?>                   one instruction from the old page into the new
 *     </r><?x   | <e/></r><?x ?>           the same, with the element as its text
 *               | <e/></r><?x ?>           the old end blanked: the element shows
 */
static void plan_next_page(struct xml_append *plan, uint64_t end, size_t len, const char *close)
{
	size_t close_len = strlen(close);
	uint64_t boundary = (end / XML_PAGE + 1) * XML_PAGE;
	size_t left = (size_t)(boundary - end);
	char *tail = plan->page + len + close_len;

	memset(plan->blanks, ' ', sizeof(plan->blanks));
	memcpy(tail, PI_WHOLE, strlen(PI_WHOLE));
	plan_write(plan, end + close_len, plan->blanks, left - close_len);
	plan_write(plan, boundary, PI_WHOLE, strlen(PI_WHOLE));
	plan_write(plan, end + close_len, PI_OPEN, strlen(PI_OPEN));
	plan_write(plan, boundary, plan->page, len + close_len + strlen(PI_WHOLE));
	plan_write(plan, end, plan->blanks, close_len + strlen(PI_OPEN));
	plan->end = boundary + len;
}

int xml_append_plan(struct xml_append *plan, uint64_t end, const char *element, size_t len,
                    const char *close)
{
	size_t close_len = strlen(close);
	size_t in_page = XML_PAGE - (size_t)(end % XML_PAGE);

	if (len < XML_ELEMENT_MIN)
		return -EINVAL;
	if (len > XML_ELEMENT_MAX)
		return -E2BIG;
	plan->count = 0;
	memcpy(plan->page, element, len);
	memcpy(plan->page + len, close, close_len);
	/* Room for the later step into the next page stays behind the closing tag. */
	if (len + close_len + strlen(PI_OPEN) <= in_page)
		plan_inside(plan, end, len, close_len);
	else
		plan_next_page(plan, end, len, close);
	return 0;
}

int xml_end_is_appendable(uint64_t end, const char *close)
{
	return XML_PAGE - end % XML_PAGE >= strlen(close) + strlen(PI_OPEN);
}

long xml_end_find(const char *text, size_t len, const char *close)
{
	size_t close_len = strlen(close);

	for (size_t at = len; at >= close_len; at--)
		if (memcmp(text + at - close_len, close, close_len) == 0)
			return (long)(at - close_len);
	return -ENODATA;
}
