/* make_log.h: a log of LLVM's XRay runtime, byte by byte: bytes[len]. */
#ifndef XER_TESTS_UNIT_EXPERIMENT_XRAY_MAKE_LOG_H
#define XER_TESTS_UNIT_EXPERIMENT_XRAY_MAKE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { NEW_BUFFER, END_OF_BUFFER, NEW_CPU, TSC_WRAP, WALL, CUSTOM, ARGUMENT, EXTENTS, TYPED, PID };

static uint8_t bytes[1 << 18];
static size_t len;
static int is_big, version;

static void put(size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		bytes[at + i] = (uint8_t)(value >> 8 * (is_big ? size - 1 - i : i));
}

static void header(int with_version, int big, unsigned type, uint64_t buffer_size)
{
	memset(bytes, 0, sizeof(bytes));
	is_big = big;
	version = with_version;
	put(0, 2, (uint64_t)with_version);
	put(2, 2, type);
	put(4, 4, 3);
	put(8, 8, 1000000000);
	put(16, 8, buffer_size);
	len = 32;
}

static size_t metadata(unsigned kind)
{
	size_t at = len;

	bytes[at] = (uint8_t)(is_big ? 0x80 | kind : 1 | kind << 1);
	len += 16;
	return at;
}

static size_t extents_at;

static void buffer(uint32_t tid, uint64_t tsc)
{
	if (version >= 2) {
		extents_at = metadata(EXTENTS);
	}
	put(metadata(NEW_BUFFER) + 1, 4, tid);
	put(metadata(WALL) + 1, 8, 7);
	if (version >= 3)
		put(metadata(PID) + 1, 4, 99);
	size_t at = metadata(NEW_CPU);
	put(at + 1, 2, 5);
	put(at + 3, 8, tsc);
}

static void end(void)
{
	if (version >= 2)
		put(extents_at + 1, 8, len - extents_at - 16);
	else
		metadata(END_OF_BUFFER);
}

static void function(uint32_t id, unsigned action, uint32_t delta)
{
	put(len, 4, is_big ? (uint32_t)action << 28 | id : id << 4 | action << 1);
	put(len + 4, 4, delta);
	len += 8;
}

static void custom(uint64_t tsc, uint32_t delta, const char *text)
{
	size_t at = metadata(CUSTOM);

	put(at + 1, 4, strlen(text));
	if (version >= 5)
		put(at + 5, 4, delta);
	else
		put(at + 5, 8, tsc);
	memcpy(bytes + len, text, strlen(text));
	len += strlen(text);
}

#endif
