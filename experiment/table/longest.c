/* longest.c: see longest.h. */
#include "experiment/table/longest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_less(const struct exp_longest_place *a, const struct exp_longest_place *b)
{
	return a->key != b->key ? a->key < b->key : a->order > b->order;
}

static void sift_down(struct exp_longest *longest, size_t at)
{
	for (;;) {
		size_t least = at;
		struct exp_longest_place moved = longest->heap[at];

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < longest->count;
		     child++)
			if (is_less(&longest->heap[child], &longest->heap[least]))
				least = child;
		if (least == at)
			return;
		longest->heap[at] = longest->heap[least];
		longest->heap[least] = moved;
		at = least;
	}
}

static void sift_up(struct exp_longest *longest, size_t at)
{
	while (at > 0 && is_less(&longest->heap[at], &longest->heap[(at - 1) / 2])) {
		struct exp_longest_place moved = longest->heap[at];

		longest->heap[at] = longest->heap[(at - 1) / 2];
		longest->heap[(at - 1) / 2] = moved;
		at = (at - 1) / 2;
	}
}

static int make(struct exp_longest *longest)
{
	longest->items = malloc(longest->most * longest->size);
	longest->heap = malloc(longest->most * sizeof(*longest->heap));
	return longest->items && longest->heap ? 0 : -ENOMEM;
}

int exp_longest_offer(struct exp_longest *longest, uint64_t key, const void *item)
{
	struct exp_longest_place place = {key, longest->offered++, longest->count};

	if (!longest->items && make(longest) != 0)
		return -ENOMEM;
	if (!exp_longest_wants(longest, key))
		return 0;
	if (longest->count == longest->most)
		place.item = longest->heap[0].item;
	memcpy(longest->items + place.item * longest->size, item, longest->size);
	if (longest->count == longest->most) {
		longest->heap[0] = place;
		sift_down(longest, 0);
	} else {
		longest->heap[longest->count++] = place;
		sift_up(longest, longest->count - 1);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	return is_less(b, a) ? -1 : is_less(a, b);
}

void *exp_longest_take(struct exp_longest *longest)
{
	char *sorted = longest->count > 0 ? malloc(longest->count * longest->size) : NULL;

	if (longest->count > 1)
		qsort(longest->heap, longest->count, sizeof(*longest->heap), compare);
	for (size_t i = 0; i < longest->count && sorted; i++)
		memcpy(sorted + i * longest->size,
		       longest->items + longest->heap[i].item * longest->size, longest->size);
	exp_longest_fini(longest);
	return sorted;
}

void exp_longest_fini(struct exp_longest *longest)
{
	free(longest->items);
	free(longest->heap);
	longest->items = NULL;
	longest->heap = NULL;
	longest->count = 0;
}
