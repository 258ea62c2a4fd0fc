/* seekable.h: the table at the end of a compressed data file, zstd's "seekable format" 0.1.0.
 *
 * A compressed file is a sequence of zstd frames, each of which can be decompressed alone, and then
 * a frame that zstd skips:
 *
 *     u32 magic 0x184D2A5E | u32 size of what follows |
 *     for each frame: u32 compressed size, u32 size of its plain bytes, perhaps u32 checksum |
 *     u32 number of frames | u8 descriptor (bit 7: there are checksums) | u32 magic 0x8F92EAB1
 *
 * So a reader finds the table from the end of the file. `zstd -d` gives the plain file.
 * Source of the format: contrib/seekable_format/zstd_seekable_compression_format.md of zstd.
 * See doc/decisions/107-compressed-files.md. */
#ifndef XER_FORMAT_SEEKABLE_H
#define XER_FORMAT_SEEKABLE_H

#include <stddef.h>
#include <stdint.h>

#define SEEKABLE_SKIPPED UINT32_C(0x184D2A5E)
#define SEEKABLE_MAGIC UINT32_C(0x8F92EAB1)

enum {
	SEEKABLE_HEAD = 8, /* magic and size */
	SEEKABLE_ENTRY = 8,
	SEEKABLE_CHECKSUM = 4, /* of an entry, if there are checksums */
	SEEKABLE_FOOTER = 9,
	SEEKABLE_FRAMES_MAX = 0x8000000, /* frames of a table, by the format */
	SEEKABLE_HAS_CHECKSUMS = 0x80,
	SEEKABLE_RESERVED = 0x7c /* bits of the descriptor that are 0 */
};

struct seekable_entry {
	uint32_t packed, plain; /* sizes */
};

struct seekable_footer {
	uint32_t count;      /* frames */
	uint32_t entry_size; /* bytes of each entry of the table */
};

/* Size of the whole table, with its head and footer. */
static inline uint64_t seekable_size(const struct seekable_footer *footer)
{
	return SEEKABLE_HEAD + (uint64_t)footer->count * footer->entry_size + SEEKABLE_FOOTER;
}

/* Write the head of a table at at[8], an entry at at[8], the footer at at[9]. Tables are written
 * without checksums: the frames have their own. */
void seekable_head_put(uint8_t *at, uint32_t count);
void seekable_entry_put(uint8_t *at, const struct seekable_entry *entry);
void seekable_footer_put(uint8_t *at, uint32_t count);

/* Read the last 9 bytes of a file. Returns 0 or -EBADMSG; `out` is written only on success. */
int seekable_footer_get(const uint8_t *at, struct seekable_footer *out);

/* Is at[8] the head of the table with this footer? Returns 0 or -EBADMSG. */
int seekable_head_get(const uint8_t *at, const struct seekable_footer *footer);

void seekable_entry_get(const uint8_t *at, struct seekable_entry *out);

#endif
