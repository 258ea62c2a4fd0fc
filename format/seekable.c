/* seekable.c: see seekable.h. */
#include "format/seekable.h"

#include <errno.h>
#include <string.h>

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

void seekable_head_put(uint8_t *at, uint32_t count)
{
	put32(at, SEEKABLE_SKIPPED);
	put32(at + 4, count * SEEKABLE_ENTRY + SEEKABLE_FOOTER);
}

void seekable_entry_put(uint8_t *at, const struct seekable_entry *entry)
{
	put32(at, entry->packed);
	put32(at + 4, entry->plain);
}

void seekable_footer_put(uint8_t *at, uint32_t count)
{
	put32(at, count);
	at[4] = 0;
	put32(at + 5, SEEKABLE_MAGIC);
}

int seekable_footer_get(const uint8_t *at, struct seekable_footer *out)
{
	uint32_t count = get32(at);

	if (get32(at + 5) != SEEKABLE_MAGIC || at[4] & SEEKABLE_RESERVED ||
	    count > SEEKABLE_FRAMES_MAX)
		return -EBADMSG;
	*out = (struct seekable_footer){
		.count = count,
		.entry_size = SEEKABLE_ENTRY +
	                      (at[4] & SEEKABLE_HAS_CHECKSUMS ? SEEKABLE_CHECKSUM : 0),
	};
	return 0;
}

int seekable_head_get(const uint8_t *at, const struct seekable_footer *footer)
{
	return get32(at) == SEEKABLE_SKIPPED &&
	                       get32(at + 4) == seekable_size(footer) - SEEKABLE_HEAD
	               ? 0
	               : -EBADMSG;
}

void seekable_entry_get(const uint8_t *at, struct seekable_entry *out)
{
	out->packed = get32(at);
	out->plain = get32(at + 4);
}
