/* strings.c: the texts of a report page, every one once. */
#include "analyzer/page/page.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct key {
	const struct page *page;
	const char *text;
};

/* Items of the table are numbers + 1. */
static int is_same(const void *item, const void *context)
{
	const struct key *key = context;

	return strcmp(key->page->strings[(uintptr_t)item - 1], key->text) == 0;
}

uint32_t page_string(struct page *page, const char *text)
{
	const struct key key = {page, text ? text : ""};
	uint64_t hash = exp_hash_text(EXP_HASH_START, key.text);
	uintptr_t item = (uintptr_t)exp_hash_find(&page->texts, hash, is_same, &key);

	if (item != 0)
		return (uint32_t)(item - 1);
	page->strings = memory_grow(page->strings, page->string_count, &page->string_capacity,
	                            sizeof(*page->strings));
	page->strings[page->string_count] = memory_text(key.text, strlen(key.text));
	item = ++page->string_count;
	if (exp_hash_add(&page->texts, hash, (void *)item) != 0)
		memory_fail();
	return (uint32_t)(item - 1);
}
