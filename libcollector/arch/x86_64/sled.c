/* sled.c: read and make sleds. See sled.h. */
#include "libcollector/calls/sled.h"

#include <errno.h>
#include <string.h>

void sled_get(const uint8_t *entry, struct sled *out)
{
	uint64_t address, function;

	memcpy(&address, entry, sizeof(address));
	memcpy(&function, entry + 8, sizeof(function));
	*out = (struct sled){
		.address = address, .function = function, .kind = entry[16], .version = entry[18]};
	if (out->version < SLED_VERSION_RELATIVE)
		return;
	out->address += (uint64_t)(uintptr_t)entry;
	out->function += (uint64_t)(uintptr_t)entry + 8;
}

/* Where the call in the sled of an event is: after as many instructions as the event has arguments
 * to move to their registers (push and mov, or as many bytes of nops); and the length of the jump
 * over all of it. */
static unsigned call_of(const struct sled *sled)
{
	return sled->kind == SLED_CUSTOM_EVENT ? 10 : 14;
}

static unsigned length_of(const struct sled *sled)
{
	return sled->kind == SLED_CUSTOM_EVENT ? 15 : 20;
}

static int is_event(const struct sled *sled)
{
	return sled->kind == SLED_CUSTOM_EVENT || sled->kind == SLED_TYPED_EVENT;
}

unsigned sled_size(const struct sled *sled)
{
	return is_event(sled) ? SLED_HEAD + length_of(sled) : SLED_SIZE;
}

int sled_is_original(const struct sled *sled, const uint8_t *code)
{
	static const uint8_t jump[SLED_HEAD] = {0xeb, 0x09};

	if (is_event(sled))
		return code[0] == 0xeb && code[1] == length_of(sled) && code[call_of(sled)] == 0xe8;
	if (sled->kind == SLED_EXIT)
		return code[0] == 0xc3;
	return memcmp(code, jump, sizeof(jump)) == 0;
}

void sled_original_head(const struct sled *sled, uint8_t head[SLED_HEAD])
{
	static const uint8_t leave[SLED_HEAD] = {0xc3, 0x2e};

	memcpy(head,
	       sled->kind == SLED_EXIT
	               ? leave
	               : (const uint8_t[SLED_HEAD]){0xeb,
	                                            is_event(sled) ? (uint8_t)length_of(sled) : 9},
	       SLED_HEAD);
}

int sled_is_unknown(const struct sled *sled, const uint8_t *code)
{
	return is_event(sled) && code[0] == 0xeb && !sled_is_original(sled, code);
}

/* The distance that a call or jump whose 4 bytes of distance are at `at` has to go. Returns 0 or
 * -ERANGE. */
static int put_distance(uint8_t *out, uint64_t at, uint64_t target)
{
	int64_t distance = (int64_t)(target - (at + sizeof(int32_t)));
	int32_t relative = (int32_t)distance;

	if (relative != distance)
		return -ERANGE;
	memcpy(out, &relative, sizeof(relative));
	return 0;
}

int sled_make(const struct sled *sled, uint32_t id, uint64_t target, struct sled_code *out)
{
	static const uint8_t nop[SLED_HEAD] = {0x66, 0x90},
			     move[SLED_HEAD] = {0x41, 0xba}; /* mov $id, %r10d */

	if (is_event(sled)) {
		*out = (struct sled_code){.tail_at = call_of(sled) + 1,
		                          .tail_size = sizeof(int32_t)};
		memcpy(out->head, nop, SLED_HEAD);
		return put_distance(out->tail, sled->address + out->tail_at, target);
	}
	*out = (struct sled_code){.tail_at = SLED_HEAD, .tail_size = SLED_SIZE - SLED_HEAD};
	memcpy(out->head, move, SLED_HEAD);
	memcpy(out->tail, &id, sizeof(id));
	out->tail[sizeof(id)] = sled->kind == SLED_EXIT ? 0xe9 : 0xe8;
	return put_distance(out->tail + sizeof(id) + 1, sled->address + SLED_SIZE - sizeof(int32_t),
	                    target);
}
