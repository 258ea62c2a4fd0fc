/* disassemble_none.c: takes the place of disassemble_capstone.c in a build without capstone. */
#include "analyzer/code/disassemble.h"

#include <errno.h>

int disassembler_create(unsigned machine, enum assembly assembly, struct disassembler **out)
{
	(void)machine;
	(void)assembly;
	(void)out;
	return -ENOSYS;
}

void disassembler_destroy(struct disassembler *disassembler)
{
	(void)disassembler;
}

void disassembler_decode(struct disassembler *disassembler, const uint8_t *bytes, size_t len,
                         uint64_t address, struct instruction *out)
{
	(void)disassembler;
	(void)bytes;
	(void)len;
	(void)address;
	*out = (struct instruction){.size = 1};
}
