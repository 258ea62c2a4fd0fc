/* evaluate.h: where a register of the caller is, as DWARF says it by an expression. */
#ifndef XER_PERF_EVALUATE_H
#define XER_PERF_EVALUATE_H

#include "sampler/arch/arch.h"

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

/* A thread as it is in one frame. */
struct frame {
	uint64_t registers[RING_REGISTERS];
	const uint8_t *stack; /* stack[stack_bytes] lies at stack_at */
	uint64_t stack_at;
	size_t stack_bytes;
};

/* A word of the copied stack. Returns 0 or -EFAULT. */
int frame_read(const struct frame *frame, uint64_t address, uint64_t *out);

/* The value that ops[count] leaves: what it computes if is_address, else what lies there, or in the
 * register that it names. Returns 0, -EFAULT, or -ENOTSUP (an operation that unwinding tables do
 * not use). */
int evaluate(const struct frame *frame, const Dwarf_Op *ops, size_t count, uint64_t cfa,
             int is_address, uint64_t *out);

#endif
