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
