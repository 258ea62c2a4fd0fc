/* proto.h: protocol buffers, as far as writing needs them
 * (https://protobuf.dev/programming-guides/encoding/): fields of varints, strings, nested messages
 * and packed numbers. */
#ifndef XER_ANALYZER_EXPORT_PROTO_H
#define XER_ANALYZER_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

/* A message that is being made; all zero at first. */
struct proto {
	uint8_t *bytes; /* bytes[len] */
	size_t len, capacity;
};

/* Add a field: a number (left out if 0, which is the default), bytes, another message,
 * numbers[count] packed. */
void proto_number(struct proto *message, unsigned field, uint64_t number);
void proto_bytes(struct proto *message, unsigned field, const void *bytes, size_t len);
void proto_message(struct proto *message, unsigned field, const struct proto *inner);
void proto_packed(struct proto *message, unsigned field, const uint64_t *numbers, size_t count);

/* Make it empty; and free it. */
void proto_clear(struct proto *message);
void proto_fini(struct proto *message);

#endif
