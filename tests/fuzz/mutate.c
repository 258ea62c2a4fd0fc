/* mutate: damage a file in a way that depends on a seed.
 *
 * usage: mutate SEED IN OUT
 *
 * Writes IN with one to six changes to OUT. Half of the changes know the formats: numbers at the
 * limits of values that a reader relies on (lengths, offsets, limits), pieces of XML in XML. The
 * same SEED and IN give the same OUT. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_BYTES = 1 << 20, PIECE = 96 };

static uint8_t bytes[2 * SIZE_MAX_BYTES];
static size_t len;
static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return limit == 0 ? 0 : ((state * 2685821657736338717u) >> 11) % limit;
}

/* A place in the file, usually one that is not zero. */
static size_t place(size_t unit)
{
	size_t at = 0;

	for (int try = 0; try < 16; try++) {
		at = below(len) / unit * unit;
		if (bytes[at] != 0)
			break;
	}
	return at;
}

static void insert(size_t at, const void *piece, size_t size)
{
	if (len + size > SIZE_MAX_BYTES)
		return;
	memmove(bytes + at + size, bytes + at, len - at);
	memcpy(bytes + at, piece, size);
	len += size;
}

static void delete (size_t at, size_t size)
{
	if (size > len - at)
		size = len - at;
	memmove(bytes + at, bytes + at + size, len - at - size);
	len -= size;
}

static void put_number(void)
{
	static const uint64_t numbers[] = {0,
	                                   1,
	                                   7,
	                                   8,
	                                   15,
	                                   16,
	                                   17,
	                                   31,
	                                   32,
	                                   48,
	                                   255,
	                                   4080,
	                                   4095,
	                                   4096,
	                                   4097,
	                                   65535,
	                                   65536,
	                                   0x7fffffff,
	                                   0x80000000,
	                                   0xfffffff8,
	                                   0xffffffff,
	                                   0x100000000,
	                                   0x7fffffffffffffff,
	                                   0x8000000000000000,
	                                   0xfffffffffffffff0,
	                                   UINT64_MAX};
	static const size_t sizes[] = {1, 2, 4, 8};
	size_t size = sizes[below(4)];
	size_t at = place(size);
	uint64_t number = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];

	if (below(4) == 0)
		number = len;
	else if (below(4) == 0)
		number = at;
	if (at + size <= len)
		memcpy(bytes + at, &number, size);
}

static void put_record_kind(void)
{
	static const uint8_t kinds[] = {0x01, 0x03, 0x05, 0x07, 0x09, 0x0b, 0x0d, 0x0f,
	                                0x00, 2,    16,   18,   20,   32,   34,   48};
	size_t at = place(8);

	bytes[at] = kinds[below(sizeof(kinds))];
}

static void put_xml(void)
{
	static const char *const pieces[] = {
		"<",
		">",
		"\"",
		"&",
		"&amp;",
		"&#0;",
		"&#27;",
		"&x;",
		"\\x1b",
		"\\x00",
		"\\x",
		"\\",
		"/>",
		"</experiment>",
		"</map>",
		"<!--",
		"-->",
		"<![CDATA[",
		"]]>",
		"<?x ?>",
		"<!DOCTYPE a [<!ENTITY x \"y\">]>",
		"<a>",
		"</a>",
		" id=\"1\"",
		"\xc2\x9b",
		"\xed\xa0\x80",
		"\xff",
		"-1",
		"0",
		"18446744073709551615",
		"0xffffffffffffffff",
		"99999999999999999999",
		"1e308",
		"../../..",
		"/dev/zero",
		"%n%s",
		"<event kind=\"exit\" time=\"1\" code=\"-1\" cpu_ns=\"18446744073709551615\"/>\n",
		"<clock source=\"tsc\" hz=\"1\" ticks=\"0\"/>\n",
		"<unload id=\"1\" generation=\"0\" time=\"0\"/>\n",
		"<count name=\"lost_profile\" value=\"18446744073709551615\"/>\n",
		"<object id=\"9\" path=\"..\" build_id=\"zz/../..\" bias=\"0x1\" start=\"0x0\" end=\"0xffffffffffffffff\" generation=\"0\"/>\n",
	};
	const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
	size_t at = below(len + 1);

	/* Some of them replace a whole number. */
	if (below(2) == 0)
		for (size_t to = at; to < len && to < at + 400; to++)
			if (bytes[to] >= '0' && bytes[to] <= '9') {
				at = to;
				while (at < len && bytes[at] >= '0' && bytes[at] <= '9')
					delete (at, 1);
				break;
			}
	insert(at, piece, strlen(piece));
}

static void change_any(void)
{
	size_t at = place(1);
	uint8_t piece[PIECE];
	size_t size = 1 + below(PIECE);

	switch (below(7)) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		bytes[at] = (uint8_t)below(256);
		break;
	case 2:
		memset(bytes + at, below(2) ? 0xff : 0, size < len - at ? size : len - at);
		break;
	case 3:
		size = size < len - at ? size : len - at;
		memcpy(piece, bytes + at, size);
		insert(below(len + 1), piece, size);
		break;
	case 4:
		delete (at, below(2) ? 16 * (1 + below(8)) : size);
		break;
	case 5:
		size = size < len - at ? size : len - at;
		memcpy(piece, bytes + at, size);
		at = below(len - size + 1);
		memcpy(bytes + at, piece, size);
		break;
	default:
		if (below(4) == 0)
			len = at + 1;
		break;
	}
}

int main(int argc, char **argv)
{
	FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL;
	FILE *out;
	int is_xml;

	if (!in)
		return 2;
	len = fread(bytes, 1, SIZE_MAX_BYTES, in);
	fclose(in);
	is_xml = len > 0 && bytes[0] == '<';
	state = (strtoull(argv[1], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
	for (uint64_t i = below(6) + 1; i > 0 && len > 1; i--) {
		if (below(2) == 0)
			change_any();
		else if (is_xml)
			put_xml();
		else if (below(3) == 0)
			put_record_kind();
		else
			put_number();
	}
	out = fopen(argv[3], "wb");
	if (!out || fwrite(bytes, 1, len, out) != len || fclose(out) != 0)
		return 1;
	return 0;
}
