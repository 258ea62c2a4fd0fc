/* disassemble.h: instructions as text. Built on capstone where the build found it
 * (disassemble_capstone.c), else a stand-in that says so (disassemble_none.c). */
#ifndef XER_ANALYZER_CODE_DISASSEMBLE_H
#define XER_ANALYZER_CODE_DISASSEMBLE_H

#include "analyzer/model/choices.h"
#include <stddef.h>
#include <stdint.h>

enum { INSTRUCTION_TEXT_MAX = 224 };

struct instruction {
	size_t size;                     /* bytes, at least 1 */
	char text[INSTRUCTION_TEXT_MAX]; /* "mov     %rsp, %rbp"; without the target of a direct
	                                    jump or call */
	int has_target;                  /* it jumps to, or calls, a fixed address: */
	uint64_t target;
	int has_data; /* it reads, writes or computes a fixed address: */
	uint64_t data;
};

struct disassembler;

/* For the machine of an ELF header (EM_X86_64, ...). Returns 0 and *out; -ENOSYS (built without
 * capstone), -ENOTSUP (a machine that is not known) or -ENOMEM. */
int disassembler_create(unsigned machine, enum assembly assembly, struct disassembler **out);
void disassembler_destroy(struct disassembler *disassembler);

/* Decode the instruction with which bytes[len], len > 0, begin; bytes that are not an instruction
 * become a ".byte". */
void disassembler_decode(struct disassembler *disassembler, const uint8_t *bytes, size_t len,
                         uint64_t address, struct instruction *out);

#endif
