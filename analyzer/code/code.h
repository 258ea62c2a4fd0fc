/* code.h: the instructions of one function with their values. */
#ifndef XER_ANALYZER_CODE_CODE_H
#define XER_ANALYZER_CODE_CODE_H

#include "analyzer/code/disassemble.h"
#include "analyzer/data/dataset.h"
#include "analyzer/model/choices.h"

struct code_instruction {
	uint64_t address;
	struct instruction decoded;
	const uint8_t *bytes;
	const struct sym_frame *frames; /* frames[frame_count], innermost first */
	int frame_count;
	int is_target; /* a jump of this function leads here */
};

struct code {
	const struct sym_function *function;
	struct code_instruction *at; /* at[count] */
	size_t count, capacity;
	struct fold *fold; /* by instruction */
};

/* Decode a function and find its values. Returns 0; or -ENOENT (its bytes are not there), -ENOSYS,
 * -ENOTSUP, -ENOMEM as disassembler_create. */
int code_init(struct code *code, const struct dataset *dataset, const struct choices *choices,
              const struct sym_function *function);
void code_fini(struct code *code);

/* The name of an address that the code of a function uses: "work", "work + 0x1A", "free@got",
 * "table + 8"; NULL if nothing is known. The caller frees. */
char *code_name(const struct dataset *dataset, const struct choices *choices,
                const struct sym_function *from, uint64_t address);

#endif
