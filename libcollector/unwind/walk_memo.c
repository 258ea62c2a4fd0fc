/* walk_memo.c: the memo of a stack, and which pages it knows to be readable. See walk.h.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/walk_step.h"

#include <errno.h>

static size_t memo_size(uint32_t capacity)
{
	return sizeof(struct walk_memo) +
	       capacity * (sizeof(struct walk_frame) + WALK_CHECKS * sizeof(struct walk_check));
}

struct walk_memo *walk_memo_create(uint32_t capacity)
{
	struct walk_memo *memo = sys_mmap_anonymous(memo_size(capacity));

	if (!memo)
		return NULL;
	sys_madvise(memo, memo_size(capacity), MADV_DONTFORK);
	memo->capacity = capacity;
	memo->check = (struct walk_check *)(memo + 1);
	memo->frame = (struct walk_frame *)(memo->check + WALK_CHECKS * capacity);
	return memo;
}

void walk_memo_destroy(struct walk_memo *memo)
{
	sys_munmap(memo, memo_size(memo->capacity));
}

void walk_memo_advise(struct walk_memo *memo, int advice)
{
	sys_madvise(memo, memo_size(memo->capacity), advice);
}

void walk_memo_forget(struct walk_memo *memo)
{
	memo->low = memo->high = memo->home = 0;
	memo->base_sp = 0;
	memo->base_node = 0;
	memo->count = 0;
}

void walk_memo_join(struct walk_memo *memo, uint64_t sp, uint32_t node, int drops)
{
	if (memo->base_sp == sp && memo->base_node == node)
		return;
	memo->base_sp = sp;
	memo->base_node = node;
	memo->base_drops = drops;
	memo->count = 0;
}

static int grow_up(struct walk_memo *memo, uint64_t page)
{
	while (memo->high <= page) {
		if (!sys_page_is_readable(memo->high))
			return -EFAULT;
		memo->high += WALK_PAGE;
	}
	return 0;
}

int walk_grow_down(struct walk_memo *memo, uint64_t page)
{
	while (memo->low > page) {
		if (!sys_page_is_readable(memo->low - WALK_PAGE))
			return -EFAULT;
		memo->low -= WALK_PAGE;
	}
	return 0;
}

int walk_cover(struct walk_memo *memo, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(WALK_PAGE - 1);

	if (page == memo->page)
		return 0;
	if (page >> ARCH_ADDRESS_BITS)
		return -EFAULT;
	if (page >= memo->high && page - memo->high < WALK_GROW_PAGES * WALK_PAGE)
		return grow_up(memo, page);
	if (page < memo->low && memo->low - page <= WALK_GROW_PAGES * WALK_PAGE)
		return walk_grow_down(memo, page);
	if (!sys_page_is_readable(page))
		return -EFAULT;
	memo->page = page;
	return 0;
}
