/* harness.c: see harness.h. */
#include "tests/unit/template/harness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_MAX = 8192 };

static uint8_t entry[ENTRY_MAX];
static struct template_event event;

static void put_word(uint8_t *at, uint64_t word, size_t size)
{
	memcpy(at, &word, size);
}

static const struct template_event *make(unsigned word, int is_32, int is_generic, size_t size)
{
	uint32_t length = (uint32_t)(size - 8 + 16);
	uint8_t header[8] = {is_generic ? 0xc0 : 0x80, 0,
	                     (uint8_t)(length >> 8),   (uint8_t)length,
	                     (uint8_t)(word >> 24),    (uint8_t)(word >> 16),
	                     (uint8_t)(word >> 8),     (uint8_t)word};

	memcpy(entry, is_32 ? header + 4 : header, is_32 ? 4 : 8);
	event = (struct template_event){.bytes = entry,
	                                .size = size,
	                                .hook = (uint16_t)(word >> 16),
	                                .subhook = (uint16_t)word,
	                                .is_32 = is_32,
	                                .is_generic = is_generic,
	                                .tid = 77,
	                                .pid = 66,
	                                .cpu = 3,
	                                .program = "/bin/prog",
	                                .log_file = "usertrace",
	                                .log_offset = 4096,
	                                .line = 10};
	return &event;
}

const struct template_event *event_words(unsigned word, unsigned count, const uint64_t *words)
{
	if (count > 0)
		memcpy(entry + 8, words, count * 8);
	return make(word, 0, 0, 8 + count * 8);
}

const struct template_event *event_bytes(unsigned word, uint64_t d1, const void *bytes, size_t len)
{
	put_word(entry + 8, d1, 8);
	memcpy(entry + 16, bytes, len);
	return make(word, 0, 1, 16 + len);
}

const struct template_event *event_words_32(unsigned word, unsigned count, const uint32_t *words)
{
	if (count > 0)
		memcpy(entry + 4, words, count * 4);
	return make(word, 1, 0, 4 + count * 4);
}

const struct template_event *event_bytes_32(unsigned word, uint32_t d1, const void *bytes,
                                            size_t len)
{
	put_word(entry + 4, d1, 4);
	memcpy(entry + 8, bytes, len);
	return make(word, 1, 1, 8 + len);
}

static size_t name_of(void *context, uint64_t address, char *out, size_t size)
{
	(void)context;
	return address == 0x1234 ? (size_t)snprintf(out, size, "main+0x4") : 0;
}

static const char *program_of(void *context, uint32_t pid)
{
	(void)context;
	return pid == 66 ? "/bin/prog" : NULL;
}

const char *formatted(const char *text, const struct template_event *made,
                      enum template_outcome *outcome)
{
	static char copy[2 << 20];
	const struct template_context context = {.name_of = name_of, .program_of = program_of};
	struct template_set *set = template_set_create();
	const struct template_message *messages;
	struct template_run *run;
	enum template_outcome got;
	const char *result;
	size_t len;

	cr_assert_eq(template_set_add(set, "file", text, strlen(text)), 0);
	if (template_set_finish(set) != 0) {
		template_set_messages(set, &messages);
		cr_assert(0, "%s\n%s", messages[0].text, text);
	}
	cr_assert(template_find(set, made->hook) != NULL, "no template for the event");
	run = template_run_create(set, &context);
	got = template_format(run, template_find(set, made->hook), made, &result, &len);
	if (outcome)
		*outcome = got;
	memcpy(copy, result, len);
	copy[len] = '\0';
	template_run_destroy(run);
	template_set_destroy(set);
	return copy;
}

const char *items(const char *text, const struct template_event *made)
{
	char file[4096];

	snprintf(file, sizeof(file), "010 1.0 L=APPL \"\" %s\n", text);
	return formatted(file, made, NULL);
}

const char *first_message(const char *text, int *errors)
{
	static char copy[600];
	const struct template_message *messages;
	struct template_set *set = template_set_create();

	cr_assert_eq(template_set_add(set, "file", text, strlen(text)), 0);
	*errors = template_set_finish(set);
	strcpy(copy, template_set_messages(set, &messages) ? messages[0].text : "");
	template_set_destroy(set);
	return copy;
}
