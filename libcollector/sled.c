/* sled.c: read and make sleds. See sled.h. */
#include "sled.h"

#include <errno.h>
#include <string.h>

void sled_get(const uint8_t *entry, struct sled *out)
{
	uint64_t address, function;

	memcpy(&address, entry, sizeof(address));
	memcpy(&function, entry + 8, sizeof(function));
	*out = (struct sled){.address = address, .function = function, .kind = entry[16], .version = entry[18]};
	if (out->version < SLED_VERSION_RELATIVE)
		return;
	out->address += (uint64_t)(uintptr_t)entry;
	out->function += (uint64_t)(uintptr_t)entry + 8;
}

int sled_is_original(const struct sled *sled, const uint8_t *code)
{
	static const uint8_t jump[SLED_HEAD] = {0xeb, 0x09};

	if (sled->kind == SLED_EXIT)
		return code[0] == 0xc3;
	return memcmp(code, jump, sizeof(jump)) == 0;
}

int sled_make(const struct sled *sled, uint32_t id, uint64_t target, uint8_t code[SLED_SIZE])
{
	int64_t distance = (int64_t)(target - (sled->address + SLED_SIZE));
	int32_t relative = (int32_t)distance;

	if (relative != distance)
		return -ERANGE;
	code[0] = 0x41; /* mov $id, %r10d */
	code[1] = 0xba;
	memcpy(code + 2, &id, sizeof(id));
	code[6] = sled->kind == SLED_EXIT ? 0xe9 : 0xe8;
	memcpy(code + 7, &relative, sizeof(relative));
	return 0;
}
