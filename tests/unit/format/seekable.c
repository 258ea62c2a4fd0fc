/* seekable.c: tests of the table of compressed files. */
#include "format/seekable.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(seekable, a_table_of_no_checksums_is_as_zstd_documents_it)
{
	uint8_t head[SEEKABLE_HEAD], entry[SEEKABLE_ENTRY], footer[SEEKABLE_FOOTER];
	const struct seekable_entry in = {0x01020304, 0x05060708};

	seekable_head_put(head, 3);
	seekable_entry_put(entry, &in);
	seekable_footer_put(footer, 3);
	cr_assert_eq(memcmp(head, "\x5e\x2a\x4d\x18\x21\0\0\0", SEEKABLE_HEAD), 0);
	cr_assert_eq(memcmp(entry, "\4\3\2\1\10\7\6\5", SEEKABLE_ENTRY), 0);
	cr_assert_eq(memcmp(footer, "\3\0\0\0\0\xb1\xea\x92\x8f", SEEKABLE_FOOTER), 0);
}

Test(seekable, what_was_written_is_read)
{
	uint8_t bytes[SEEKABLE_FOOTER];
	struct seekable_entry entry;
	struct seekable_footer footer;

	seekable_footer_put(bytes, 1000);
	cr_assert_eq(seekable_footer_get(bytes, &footer), 0);
	cr_assert(footer.count == 1000 && footer.entry_size == SEEKABLE_ENTRY);
	cr_assert_eq(seekable_size(&footer), 8 + 8000 + 9);
	seekable_head_put(bytes, 1000);
	cr_assert_eq(seekable_head_get(bytes, &footer), 0);
	seekable_head_put(bytes, 999);
	cr_assert_eq(seekable_head_get(bytes, &footer), -EBADMSG);
	seekable_head_put(bytes, 1000);
	bytes[0]++;
	cr_assert_eq(seekable_head_get(bytes, &footer), -EBADMSG);
	seekable_entry_put(bytes, &(struct seekable_entry){5, 7});
	seekable_entry_get(bytes, &entry);
	cr_assert(entry.packed == 5 && entry.plain == 7);
}

Test(seekable, a_footer_is_checked)
{
	uint8_t bytes[SEEKABLE_FOOTER];
	struct seekable_footer footer = {77, 77};

	seekable_footer_put(bytes, SEEKABLE_FRAMES_MAX + 1u);
	cr_assert_eq(seekable_footer_get(bytes, &footer), -EBADMSG);
	seekable_footer_put(bytes, 1);
	bytes[4] = 4;
	cr_assert_eq(seekable_footer_get(bytes, &footer), -EBADMSG);
	seekable_footer_put(bytes, 1);
	bytes[8]++;
	cr_assert_eq(seekable_footer_get(bytes, &footer), -EBADMSG);
	cr_assert(footer.count == 77 && footer.entry_size == 77);
	/* Others write checksums, and use the lowest bits for what readers need not know. */
	seekable_footer_put(bytes, SEEKABLE_FRAMES_MAX);
	bytes[4] = SEEKABLE_HAS_CHECKSUMS | 3;
	cr_assert_eq(seekable_footer_get(bytes, &footer), 0);
	cr_assert(footer.count == SEEKABLE_FRAMES_MAX && footer.entry_size == 12);
}
