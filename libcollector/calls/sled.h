/* sled.h: the places that clang's -fxray-instrument leaves in functions ("sleds"), as their
 * object's map lists them.
 *
 * Source: LLVM, "XRay Instrumentation", and the layout of xray_instr_map in what clang 14 and later
 * write. */
#ifndef XER_COLLECTOR_SLED_H
#define XER_COLLECTOR_SLED_H

#include "libcollector/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

enum sled_kind {
	SLED_ENTER,
	SLED_EXIT,
	SLED_TAIL_EXIT,
	SLED_ENTER_ARGUMENT,
	SLED_CUSTOM_EVENT,
	SLED_TYPED_EVENT,
	SLED_KINDS
};

enum {
	SLED_SIZE = ARCH_SLED_SIZE,
	SLED_HEAD = ARCH_SLED_HEAD,
	SLED_ENTRY_SIZE = 32,
	SLED_VERSION_RELATIVE = 2
};

struct sled {
	uint64_t address, function; /* run-time addresses */
	uint8_t kind;
	uint8_t version;
};

/* Read an entry of the map at entry[32] in memory. */
void sled_get(const uint8_t *entry, struct sled *out);

/* True for the code of an event that is not patched, and not what it should be: clang 14 emits such
 * code, in which the jump leads into an instruction. */
int sled_is_unknown(const struct sled *sled, const uint8_t *code);

/* How to patch a sled: first write tail[tail_size] at tail_at, then head at the beginning, by one
 * store. */
struct sled_code {
	uint8_t head[SLED_HEAD];
	uint8_t tail[SLED_SIZE - SLED_HEAD];
	unsigned tail_at, tail_size;
};

/* Bytes of a sled, which sled_is_original needs. */
unsigned sled_size(const struct sled *sled);

/* True if the code at the sled is as the compiler left it. */
int sled_is_original(const struct sled *sled, const uint8_t *code);

/* The code of a patched sled. For a function: its number to a register, then a call of (for an
 * exit: a jump to) `target`. For an event: no jump over the call that the compiler put there, which
 * goes to `target` instead. target must be within 2 GiB. Returns 0, or -ERANGE. */
int sled_make(const struct sled *sled, uint32_t id, uint64_t target, struct sled_code *out);

/* The beginning of the code that the compiler left; in the sled of an exit, what follows its return
 * is not code. */
void sled_original_head(const struct sled *sled, uint8_t head[SLED_HEAD]);

#endif
