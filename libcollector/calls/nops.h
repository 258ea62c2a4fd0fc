/* nops.h: instructions that do nothing, which compilers leave in code so that it can be patched.
 * x86-64; sources: the manuals of the processors. */
#ifndef XER_COLLECTOR_NOPS_H
#define XER_COLLECTOR_NOPS_H

#include "libcollector/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

enum {
	NOPS_CALL = ARCH_CALL_SIZE,
	NOPS_PATCH_MAX = 20 /* bytes: of a call, and of a whole instruction whose part it takes */
};

/* The length of the instruction at code[size] if it does nothing, else 0. */
size_t nops_length(const uint8_t *code, size_t size);

/* The length of all that do nothing, one after the other, at code[size]. */
size_t nops_run(const uint8_t *code, size_t size);

/* Whole nops at code[size], as few as make space for a call. Returns their length, at most
 * NOPS_PATCH_MAX, or 0 if there are too few. */
size_t nops_room(const uint8_t *code, size_t size);

/* Fill patch[room] with a call from `address` to `target`. Returns 0, or -ERANGE if that is too
 * far. */
int nops_make_call(uint64_t address, uint64_t target, uint8_t *patch, size_t room);

#endif
