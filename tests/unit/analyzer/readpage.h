/* readpage.h: what a report page holds, read by zlib and a decoder of its own. The last page that
 * was read stands in variables. */
#ifndef XER_TESTS_UNIT_ANALYZER_READPAGE_H
#define XER_TESTS_UNIT_ANALYZER_READPAGE_H

#include "analyzer/page/page.h"

/* The bytes of a column, a NUL after them: base64 and deflate are taken away from text[length]. The
 * caller frees. */
unsigned char *unpack(const char *text, size_t length, size_t *size);

/* The number in LEB128 at bytes[*at], and the difference that it means in zigzag. */
uint64_t unpack_number(const unsigned char *bytes, size_t *at);
int64_t unpack_zigzag(uint64_t number);

/* A section: text, or numbers. */
struct page_section_read {
	char *text; /* JSON and LINES, a NUL after it */
	int64_t *numbers;
	size_t count; /* of numbers, or of lines */
};

struct page_total_read {
	struct page_section_read rows, values;
};

extern struct page_section_read page_sections[PAGE_SECTIONS];
extern struct page_total_read page_totals[EXP_METRICS];
extern const char **page_strings;

/* Read the text of a page; make the page of an experiment after other commands, "x\ny\n", and read
 * it. */
void page_take(const char *page);
void page_read(const char *path, const char *commands);
void page_forget(void);

/* Expect that a text has a part. */
void page_expect(const char *text, const char *part);

/* Expect that the tables of a document in JSON are those of another one, up to its end. */
void page_same_tables(const char *made, const char *wanted);

#endif
