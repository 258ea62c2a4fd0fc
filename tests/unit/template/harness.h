/* harness.h: events made by hand, and the output of a template for them. */
#ifndef XER_TESTS_UNIT_TEMPLATE_HARNESS_H
#define XER_TESTS_UNIT_TEMPLATE_HARNESS_H

#include "template/template.h"

/* A fixed event of a little-endian 64-bit program with data words; a generic one with d1 and bytes;
 * the same for 32 bits. The result is valid until the next call of the same function. */
const struct template_event *event_words(unsigned word, unsigned count, const uint64_t *words);
const struct template_event *event_bytes(unsigned word, uint64_t d1, const void *bytes, size_t len);
const struct template_event *event_words_32(unsigned word, unsigned count, const uint32_t *words);
const struct template_event *event_bytes_32(unsigned word, uint32_t d1, const void *bytes,
                                            size_t len);

#define WORDS(...) \
	event_words(0x01000000, sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})

/* The output of the template file `text` for an event of its first hook. Fails the test if the file
 * has errors. `outcome` may be NULL. */
const char *formatted(const char *text, const struct template_event *event,
                      enum template_outcome *outcome);

/* The same with "010 1.0 L=APPL "" " before the items. */
const char *items(const char *text, const struct template_event *event);

/* The first message about a template file; "" if there is none. With the number of errors. */
const char *first_message(const char *text, int *errors);

#endif
