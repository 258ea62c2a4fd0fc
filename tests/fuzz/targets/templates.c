/* Trace format templates, and a user event for them. */
#include "tests/fuzz/targets/target.h"

#include "template/template.h"
#include "template/update.h"

#include <string.h>

static void format(const struct template_set *set, const uint8_t *bytes, size_t size)
{
	const struct template_context context = {.context = NULL};
	struct template_run *run = template_run_create(set, &context);
	struct template_event event = {.bytes = bytes,
	                               .size = size,
	                               .tid = 2,
	                               .pid = 1,
	                               .program = "prog",
	                               .log_file = "log"};

	event.is_32 = size > 8 && bytes[0] & 1;
	event.is_generic = size > 8 && bytes[0] >> 1 & 1;
	if (size < (event.is_32 ? 4u : 8u))
		event.bytes = (const uint8_t *)"\x80\0\0\x18\0\x10\0\1", event.size = 8,
		event.is_32 = event.is_generic = 0;
	for (size_t i = 0; i < template_set_count(set) && i < 16; i++) {
		const struct template *template = template_at(set, i);
		const char *text;
		size_t len;

		event.hook = template_header(template)->hook;
		template_format(run, template, &event, &text, &len);
		for (size_t j = 0; j < len; j++)
			FUZZ_ASSERT((uint8_t)text[j] >= ' ' || text[j] == '\n' || text[j] == '\t');
		FUZZ_ASSERT(len < 4 << 20);
	}
	template_run_destroy(run);
}

void fuzz_templates(const uint8_t *bytes, size_t size)
{
	struct template_set *set = template_set_create();
	const uint8_t *end = memchr(bytes, 0, size);
	size_t len = end ? (size_t)(end - bytes) : size;

	template_set_add(set, "file", (const char *)bytes, len);
	if (template_set_finish(set) == 0)
		format(set, end ? end + 1 : bytes + size, end ? size - len - 1 : 0);
	template_set_destroy(set);
}

void fuzz_update(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, 0, size);
	size_t len = end ? (size_t)(end - bytes) : size, rest = end ? size - len - 1 : 0;
	struct template_update update, back;

	if (template_update_make(&update, "target", (const char *)bytes, len, "update",
	                         end ? (const char *)end + 1 : "", rest) == 0) {
		/* The changes that undo an update can be read as an update, too. */
		FUZZ_ASSERT(template_update_make(&back, "target", update.text, update.text_len,
		                                 "undo", update.undo, update.undo_len) == 0);
		template_update_fini(&back);
	}
	template_update_fini(&update);
}
