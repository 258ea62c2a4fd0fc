/* proto.c: writes protocol buffers. */
#include "analyzer/export/proto.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, VARINT_MAX = 10 };

static void reserve(struct proto *message, size_t more)
{
	if (message->capacity - message->len >= more)
		return;
	message->capacity = message->capacity * 2 > message->len + more ? message->capacity * 2
	                                                                : message->len + more;
	message->bytes = memory_resize(message->bytes, message->capacity, 1);
}

/* Seven bits a byte, the lowest first; the highest bit says that more follow. */
static size_t put_varint(uint8_t *out, uint64_t number)
{
	size_t len = 0;

	for (; number >= 0x80; number >>= 7)
		out[len++] = (uint8_t)(number | 0x80);
	out[len++] = (uint8_t)number;
	return len;
}

static void add_varint(struct proto *message, uint64_t number)
{
	reserve(message, VARINT_MAX);
	message->len += put_varint(message->bytes + message->len, number);
}

void proto_number(struct proto *message, unsigned field, uint64_t number)
{
	if (number == 0)
		return;
	add_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
	add_varint(message, number);
}

void proto_bytes(struct proto *message, unsigned field, const void *bytes, size_t len)
{
	add_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
	add_varint(message, len);
	reserve(message, len);
	if (len != 0)
		memcpy(message->bytes + message->len, bytes, len);
	message->len += len;
}

void proto_message(struct proto *message, unsigned field, const struct proto *inner)
{
	proto_bytes(message, field, inner->bytes, inner->len);
}

void proto_packed(struct proto *message, unsigned field, const uint64_t *numbers, size_t count)
{
	uint8_t scratch[VARINT_MAX];
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += put_varint(scratch, numbers[i]);
	add_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
	add_varint(message, len);
	for (size_t i = 0; i < count; i++)
		add_varint(message, numbers[i]);
}

void proto_clear(struct proto *message)
{
	message->len = 0;
}

void proto_fini(struct proto *message)
{
	free(message->bytes);
	*message = (struct proto){.bytes = NULL};
}
