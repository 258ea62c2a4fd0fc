/* sizes.h: which sizes the blocks and calls of a row had. Nearly all rows have one class of sizes,
 * the powers of two, and then their mean tells it; only the others are told of here. */
#ifndef XER_ANALYZER_PAGE_SIZES_H
#define XER_ANALYZER_PAGE_SIZES_H

#include "experiment/table/index.h"

#include <stddef.h>
#include <stdint.h>

/* As section.def has them; what is freed is not written. */
enum size_sort { SIZE_BLOCKS, SIZE_LEAKS, SIZE_READS, SIZE_WRITES, SIZE_ERRORS, SIZE_FREED };

/* Blocks or calls of a row that are not of the row's first class, or failed. */
struct size {
	uint32_t row;
	uint8_t sort, class; /* bits of the size, 0 to 64; of SIZE_ERRORS errno, 0: unknown */
	uint64_t count;
};

/* Zeroed: none. */
struct sizes {
	struct size *at; /* at[count] */
	size_t count, capacity;
	struct exp_index numbers; /* row, sort and class -> number */
	int is_full;              /* there were too many: they are not known */
};

void sizes_fini(struct sizes *sizes);

/* Forget all. */
void sizes_clear(struct sizes *sizes);

/* Note a block or call. */
void sizes_add(struct sizes *sizes, uint32_t row, enum size_sort sort, unsigned class);

/* The class of a size. */
static inline unsigned sizes_class(uint64_t bytes)
{
	return bytes == 0 ? 0 : 64 - (unsigned)__builtin_clzll(bytes);
}

#endif
