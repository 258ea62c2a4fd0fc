/* debugsections.c: finds sections with debug information, and inflates compressed ones piece by
 * piece.
 * See doc/decisions/20-debug-entries.md. */
#include "experiment/dwarf/debugsections.h"

#include "experiment/table/arena.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Deflate makes at most 1032 bytes of one. */
enum { RATIO_MAX = 1032, ZLIB_HEAD = 2, STEP = 64 << 10 };

static const char *const names[] = {
#define SECTION(identifier, name) name,
	EXP_DEBUG_SECTIONS(SECTION)
#undef SECTION
};

struct exp_inflate {
	z_stream stream;
	uint8_t *bytes;
};

static void stop(struct exp_debug_section *section)
{
	if (!section->inflate)
		return;
	inflateEnd(&section->inflate->stream);
	free(section->inflate->bytes);
	free(section->inflate);
	section->inflate = NULL;
}

int exp_debug_inflate(struct exp_debug_section *section, uint64_t end)
{
	z_stream *stream;

	if (!section->inflate || end > section->size)
		return -EBADMSG;
	stream = &section->inflate->stream;
	/* Asked for a little more each time: so not in too small pieces. */
	end = section->size - end < STEP ? section->size : end + STEP;
	stream->next_out = section->inflate->bytes + section->ready;
	while (section->ready < end) {
		int status;

		stream->avail_out = end - section->ready < UINT32_MAX ? (uInt)(end - section->ready)
		                                                      : UINT32_MAX;
		status = inflate(stream, Z_NO_FLUSH);
		section->ready = (size_t)(stream->next_out - section->inflate->bytes);
		if (status != Z_OK)
			break;
	}
	if (section->ready >= end)
		return 0;
	section->size = section->ready; /* what is behind is damaged */
	return -EBADMSG;
}

/* Without the checksum that zlib keeps at the end: nobody waits for the end. */
static int begin(struct exp_debug_section *section, const uint8_t *bytes, size_t size,
                 uint64_t whole)
{
	struct exp_inflate *inflate;

	if (size <= ZLIB_HEAD || size > UINT32_MAX || (bytes[0] & 0xf) != Z_DEFLATED ||
	    (bytes[1] & 0x20) || (bytes[0] * 256u + bytes[1]) % 31 != 0 || whole / RATIO_MAX > size)
		return -ENOTSUP;
	inflate = exp_zeroed(1, sizeof(*inflate));
	if (!inflate)
		return -ENOMEM;
	inflate->stream.next_in = (Bytef *)(uintptr_t)(bytes + ZLIB_HEAD);
	inflate->stream.avail_in = (uInt)(size - ZLIB_HEAD);
	inflate->bytes = malloc(whole + 1);
	if (!inflate->bytes || inflateInit2(&inflate->stream, -MAX_WBITS) != Z_OK) {
		exp_memory_note(ENOMEM);
		free(inflate->bytes);
		free(inflate);
		return -ENOMEM;
	}
	*section = (struct exp_debug_section){inflate->bytes, whole, 0, inflate};
	return 0;
}

static int take(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, struct exp_debug_section *section)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	GElf_Chdr compressed;
	size_t header_size;

	if (!data || !data->d_buf || section->bytes)
		return 0;
	if (!(header->sh_flags & SHF_COMPRESSED)) {
		*section = (struct exp_debug_section){data->d_buf, data->d_size, data->d_size,
		                                      NULL};
		return 0;
	}
	if (!gelf_getchdr(scn, &compressed) || compressed.ch_type != ELFCOMPRESS_ZLIB)
		return -ENOTSUP;
	header_size = gelf_getclass(elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	return data->d_size < header_size
	               ? -ENOTSUP
	               : begin(section, (const uint8_t *)data->d_buf + header_size,
	                       data->d_size - header_size, compressed.ch_size);
}

/* Is this a kind of file that all debug information can be read from by bytes? */
static int is_plain(const GElf_Ehdr *header)
{
	const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
	                                                                      : ELFDATA2MSB;

	return (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
	       header->e_ident[EI_DATA] == order;
}

static int take_named(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, const char *name,
                      struct exp_debug_sections *out)
{
	if (strcmp(name, ".gnu_debugaltlink") == 0 || strncmp(name, ".zdebug", 7) == 0)
		return -ENOTSUP;
	if (strncmp(name, ".debug_", 7) != 0)
		return 0;
	for (size_t i = 0; i < EXP_DEBUG_COUNT; i++)
		if (strcmp(name, names[i]) == 0)
			return take(elf, scn, header, &out->of[i]);
	return 0;
}

int exp_debug_sections_open(Elf *elf, struct exp_debug_sections *out)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr file;
	size_t texts;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (!gelf_getehdr(elf, &file) || !is_plain(&file) || elf_getshdrstrndx(elf, &texts) != 0)
		return -ENOTSUP;
	while (rc == 0 && (scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr header;
		const char *name = !gelf_getshdr(scn, &header)
		                           ? NULL
		                           : elf_strptr(elf, texts, header.sh_name);

		if (name && header.sh_type != SHT_NOBITS)
			rc = take_named(elf, scn, &header, name, out);
	}
	if (rc != 0)
		exp_debug_sections_close(out);
	return rc;
}

void exp_debug_sections_close(struct exp_debug_sections *sections)
{
	for (size_t i = 0; i < EXP_DEBUG_COUNT; i++)
		stop(&sections->of[i]);
	memset(sections, 0, sizeof(*sections));
}
