/* xml.h: XML that is well-formed at every instant, written by programs that may be killed at any
 * time.
 *
 * A growing file always ends with its root's closing tag, possibly followed by a processing
 * instruction or blanks. An element is appended by writes that each stay inside one 4096-byte page,
 * because the kernel copies such a write as a whole even if the writer is killed (measured; longer
 * ones were torn).
 *
 * Text that may contain any bytes (paths, arguments, names) is encoded so that it survives: bytes
 * that XML 1.0 cannot represent (control bytes, invalid UTF-8, U+FFFE, U+FFFF) become \xNN, a
 * backslash becomes \\. Nothing here allocates or does I/O; everything is signal-safe. */
#ifndef XER_FORMAT_XML_H
#define XER_FORMAT_XML_H

#include <stddef.h>
#include <stdint.h>

enum { XML_PAGE = 4096 };

/* Text under construction in the caller's memory. When it does not fit, `overflow` is set and the
 * rest is dropped. len excludes the terminating NUL, which is always there (capacity >= 1). */
struct xml_text {
	char *at;
	size_t capacity;
	size_t len;
	int overflow;
};

#define XML_TEXT(array) \
	{ \
		.at = (array), .capacity = sizeof(array) \
	}

/* Append markup as it is. */
void xml_put(struct xml_text *text, const char *markup);

/* Append ` name="value"`, the value encoded and escaped; value has len bytes, any of them. */
void xml_put_attribute(struct xml_text *text, const char *name, const char *value, size_t len);

/* The same with a NUL-terminated value; nothing is appended for NULL. */
void xml_put_string(struct xml_text *text, const char *name, const char *value);

/* Append ` name="decimal"`, ` name="-decimal"` or ` name="0xhex"`. */
void xml_put_number(struct xml_text *text, const char *name, uint64_t value);
void xml_put_signed(struct xml_text *text, const char *name, int64_t value);
void xml_put_hex(struct xml_text *text, const char *name, uint64_t value);

/* Append bytes as element content, encoded and escaped. */
void xml_put_content(struct xml_text *text, const char *value, size_t len);

/* Undo the \xNN and \\ encoding of `text` (already free of XML entities) in place.
 * Returns the length of the result, which may hold NUL bytes and is NUL-terminated behind. */
size_t xml_decode(char *text);

/* One write of an append: bytes[len] to file offset `at`. */
struct xml_write {
	uint64_t at;
	size_t len;
	const char *bytes;
};

enum { XML_APPEND_WRITES = 5, XML_ELEMENT_MIN = 8, XML_ELEMENT_MAX = XML_PAGE - 256 };

/* The writes of one append, in order, with the memory that they need. */
struct xml_append {
	struct xml_write write[XML_APPEND_WRITES];
	size_t count;
	uint64_t end; /* where the closing tag stands afterwards: `end` of the next append */
	char page[XML_PAGE];
	char blanks[XML_PAGE];
};

/* Plan to append `element` (XML_ELEMENT_MIN to XML_ELEMENT_MAX bytes, its newline included) to a
 * file whose closing tag `close` stands at file offset `end`. Returns 0, -EINVAL (too short) or
 * -E2BIG. After each of the writes the file is well-formed XML; the element is there after the
 * last. At the first append at least 4 bytes must lie between the closing tag's end and the page's:
 * see xml_end_is_appendable. */
int xml_append_plan(struct xml_append *plan, uint64_t end, const char *element, size_t len,
                    const char *close);

/* True if a file that ends in `close` at offset `end` can be appended to; if not, its writer puts
 * blanks before the closing tag. */
int xml_end_is_appendable(uint64_t end, const char *close);

/* Offset in text[len] of the last `close`, the tail of a growing file; -ENODATA if there is none.
 */
long xml_end_find(const char *text, size_t len, const char *close);

#endif
