/* sizes.c: see sizes.h. */
#include "analyzer/page/sizes.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

enum { SIZES = 1 << 17, ROW_SHIFT = 16, SORT_SHIFT = 8 };

void sizes_fini(struct sizes *sizes)
{
	free(sizes->at);
	exp_index_fini(&sizes->numbers);
	*sizes = (struct sizes){.count = 0};
}

void sizes_clear(struct sizes *sizes)
{
	exp_index_fini(&sizes->numbers);
	sizes->count = 0;
	sizes->is_full = 0;
}

void sizes_add(struct sizes *sizes, uint32_t row, enum size_sort sort, unsigned class)
{
	uint64_t key = (uint64_t)row << ROW_SHIFT | sort << SORT_SHIFT | class;
	uint32_t at;

	if (sizes->is_full)
		return;
	at = exp_index_find(&sizes->numbers, key);
	if (at != EXP_INDEX_NONE) {
		sizes->at[at].count++;
		return;
	}
	if (sizes->count == SIZES) {
		sizes_clear(sizes);
		sizes->is_full = 1;
		return;
	}
	if (exp_index_add(&sizes->numbers, key, (uint32_t)sizes->count) != 0)
		memory_fail();
	sizes->at = memory_grow(sizes->at, sizes->count, &sizes->capacity, sizeof(*sizes->at));
	sizes->at[sizes->count++] = (struct size){row, (uint8_t)sort, (uint8_t) class, 1};
}
