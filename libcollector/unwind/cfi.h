/* cfi.h: call frame information: what a frame's registers were in its caller, for any code address.
 *
 * Reads .eh_frame through the binary-search table of .eh_frame_hdr in the loaded object, without
 * locks or memory of its own. Signal-safe. Sources: DWARF 5 section 6.4; System V ABI, x86-64
 * supplement. */
#ifndef XER_COLLECTOR_CFI_H
#define XER_COLLECTOR_CFI_H

#include "libcollector/base/sys.h"

#include <stdint.h>

enum cfi_how {
	CFI_SAME,       /* unchanged */
	CFI_UNDEFINED,  /* unknown; for the return address: the outermost frame */
	CFI_OFFSET,     /* saved at CFA + offset */
	CFI_VAL_OFFSET, /* is CFA + offset */
	CFI_REGISTER,   /* in another register */
	CFI_EXPRESSION, /* saved at the value of an expression */
	CFI_VAL_EXPRESSION
};

struct cfi_rule {
	uint8_t how;               /* enum cfi_how */
	uint8_t reg;               /* CFI_REGISTER */
	int64_t offset;            /* CFI_OFFSET, CFI_VAL_OFFSET */
	const uint8_t *expression; /* begins with its ULEB128 length */
};

/* The unwinding rules at one address. */
struct cfi_row {
	uint8_t cfa_reg; /* CFA = register + cfa_offset, unless cfa_expression */
	int64_t cfa_offset;
	const uint8_t *cfa_expression;
	struct cfi_rule rule[ARCH_REGISTERS];
	uint8_t is_signal_frame;
};

enum { CFI_STATES = 8 }; /* depth of remember_state; compilers use one or two */

/* Working memory of cfi_row_find: too large for a signal handler's stack, so the caller lends it.
 */
struct cfi_machine {
	struct cfi_row row, initial, saved[CFI_STATES];
	unsigned depth;
	uint64_t location;
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
};

/* Find the row for `pc` by the table at eh_frame_hdr (mapped, of the object that contains pc).
 * Returns 0 and *out, which is valid as long as *machine; -ENOENT (pc has no unwinding information)
 * or -ENOTSUP (a form that is not supported). */
int cfi_row_find(struct cfi_machine *machine, const uint8_t *eh_frame_hdr, uint64_t pc,
                 const struct cfi_row **out);

/* The beginning of the function that contains `pc`, by the same table. Returns 0 and *start,
 * -ENOENT or -ENOTSUP. */
int cfi_function_find(const uint8_t *eh_frame_hdr, uint64_t pc, uint64_t *start);

/* Length of an expression block and its first byte. */
const uint8_t *cfi_expression(const uint8_t *block, uint64_t *len);

/* Reads one aligned or unaligned word of the target's memory; 0 or -EFAULT. */
typedef int (*cfi_read)(void *context, uint64_t address, uint64_t *value);

/* Evaluate a DWARF expression block with `registers`; push_cfa pushes `cfa` first, as register
 * rules require. Returns 0 and *value, or -EFAULT, -ENOTSUP. */
int cfi_evaluate(const uint8_t *block, const struct arch_registers *registers, int push_cfa,
                 uint64_t cfa, cfi_read read, void *context, uint64_t *value);

#endif
