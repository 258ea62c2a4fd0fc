/* nops.c: instructions that do nothing. See nops.h. */
#include "libcollector/calls/nops.h"

#include <errno.h>
#include <string.h>

enum { INSTRUCTION_MAX = 15 };

/* The length of an operand at code[size]: ModRM (/0), SIB, displacement. 0: it is something else.
 */
static size_t operand_length(const uint8_t *code, size_t size)
{
	unsigned mod, base;
	size_t len = 1;

	if (size < len || (code[0] >> 3 & 7) != 0)
		return 0;
	mod = code[0] >> 6;
	base = code[0] & 7;
	if (mod != 3 && base == 4) {
		if (size < 2)
			return 0;
		base = code[1] & 7;
		len++;
	}
	if (mod == 1)
		return len + 1;
	return mod == 2 || (mod == 0 && base == 5) ? len + 4 : len;
}

size_t nops_length(const uint8_t *code, size_t size)
{
	size_t len = 0, operand;

	while (len < size && (code[len] == 0x66 || code[len] == 0x2e))
		len++;
	if (len < size && code[len] == 0x90)
		return len + 1 <= INSTRUCTION_MAX ? len + 1 : 0;
	if (size - len < 3 || code[len] != 0x0f || code[len + 1] != 0x1f)
		return 0;
	operand = operand_length(code + len + 2, size - len - 2);
	len += 2 + operand;
	return operand && len <= size && len <= INSTRUCTION_MAX ? len : 0;
}

size_t nops_run(const uint8_t *code, size_t size)
{
	size_t len = 0, next;

	while ((next = nops_length(code + len, size - len)) != 0)
		len += next;
	return len;
}

size_t nops_room(const uint8_t *code, size_t size)
{
	size_t len = 0, next;

	while (len < NOPS_CALL) {
		next = nops_length(code + len, size - len);
		if (next == 0)
			return 0;
		len += next;
	}
	return len;
}

int nops_make_call(uint64_t address, uint64_t target, uint8_t *patch, size_t room)
{
	int64_t distance = (int64_t)(target - (address + NOPS_CALL));
	int32_t relative = (int32_t)distance;

	if (relative != distance)
		return -ERANGE;
	memset(patch, 0x90, room);
	patch[0] = 0xe8;
	memcpy(patch + 1, &relative, sizeof(relative));
	return 0;
}
