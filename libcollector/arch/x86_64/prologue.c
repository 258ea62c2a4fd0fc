/* prologue.c: what x86-64 functions do before their first call, and behind their last one. See
 * arch.h. */
#include "libcollector/arch/arch.h"

#include <string.h>

/* Before a call there may be endbr64, and a push of r10. gcc pushes r10 around calls of __fentry__
 * in nested functions, and leaves that out of the unwinding table. */
int arch_bytes_at_call(const uint8_t *code, const uint8_t *site)
{
	static const uint8_t push[2] = {0x41, 0x52};
	int bytes = 8;

	code += arch_mark_length(code, (size_t)(site - code));
	if (site - code >= 2 && memcmp(code, push, sizeof(push)) == 0) {
		code += sizeof(push);
		bytes += 8;
	}
	if ((site - code == 5 && code[0] == 0xe8) ||
	    (site - code == 6 &&
	     ((code[0] == 0xff && code[1] == 0x15) || (code[0] == 0x67 && code[1] == 0xe8))))
		return bytes;
	return -1;
}

/* add $bytes, %rsp; ret */
int arch_bytes_to_return(const uint8_t *code)
{
	static const uint8_t add[3] = {0x48, 0x83, 0xc4};

	return memcmp(code, add, sizeof(add)) == 0 && code[3] < 0x80 && code[4] == 0xc3 ? code[3]
	                                                                                : -1;
}

/* push %rN, or sub $bytes, %rsp. Returns the length of the instruction, 0: it is another one. */
static size_t take_space(const uint8_t *code, size_t size, int *bytes)
{
	int32_t wide;

	if (size >= 1 && (code[0] & 0xf8) == 0x50) {
		*bytes += 8;
		return 1;
	}
	if (size >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50) {
		*bytes += 8;
		return 2;
	}
	if (size >= 4 && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec && code[3] < 0x80) {
		*bytes += code[3];
		return 4;
	}
	if (size >= 7 && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec) {
		memcpy(&wide, code + 3, sizeof(wide));
		if (wide < 0)
			return 0;
		*bytes += wide;
		return 7;
	}
	return 0;
}

int arch_frame_bytes(const uint8_t *code, size_t size)
{
	static const uint8_t set[][4] = {{0x55, 0x48, 0x89, 0xe5}, {0x55, 0x48, 0x8b, 0xec}};
	size_t at = arch_mark_length(code, size), taken;
	int bytes = 0;

	if (size - at < sizeof(set[0]) || (memcmp(code + at, set[0], sizeof(set[0])) != 0 &&
	                                   memcmp(code + at, set[1], sizeof(set[1])) != 0))
		return -1;
	at += sizeof(set[0]);
	while ((taken = take_space(code + at, size - at, &bytes)) > 0)
		at += taken;
	return bytes;
}
