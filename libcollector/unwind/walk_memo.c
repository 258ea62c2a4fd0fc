/* walk_memo.c: the memo of a stack, and which pages it knows to be readable. See walk.h.
 * See doc/decisions/07-unwinder.md. */
#include "libcollector/unwind/walk_step.h"

#include <errno.h>

_Static_assert(sizeof(struct walk_memo) +
                               WALK_FRAMES_MIN * (sizeof(struct walk_frame) +
                                                  WALK_CHECKS * sizeof(struct walk_check)) <=
                       2 * WALK_PAGE,
               "a small memo touches two pages");

static size_t whole_pages(size_t size)
{
	return (size + WALK_PAGE - 1) / WALK_PAGE * WALK_PAGE;
}

/* Without the machine, which is in pages of its own, as it is needed only where a rule is not known
 * yet. */
static size_t size_of_frames(uint32_t capacity)
{
	return whole_pages(
		sizeof(struct walk_memo) +
		capacity * (sizeof(struct walk_frame) + WALK_CHECKS * sizeof(struct walk_check)));
}

size_t walk_memo_size(uint32_t capacity)
{
	return size_of_frames(capacity) + whole_pages(sizeof(struct cfi_machine));
}

struct walk_memo *walk_memo_make(void *memory, uint32_t capacity)
{
	struct walk_memo *memo = memory;

	memo->capacity = capacity;
	memo->check = (struct walk_check *)(memo + 1);
	memo->frame = (struct walk_frame *)(memo->check + WALK_CHECKS * capacity);
	memo->machine = (struct cfi_machine *)((char *)memory + size_of_frames(capacity));
	memo->is_final = capacity >= WALK_FRAMES_MAX;
	return memo;
}

struct walk_memo *walk_memo_create(uint32_t capacity)
{
	void *memory = sys_mmap_apart(walk_memo_size(capacity));

	return memory ? walk_memo_make(memory, capacity) : NULL;
}

void walk_memo_destroy(struct walk_memo *memo)
{
	sys_munmap(memo, walk_memo_size(memo->capacity));
}

void walk_memo_advise(struct walk_memo *memo, int advice)
{
	sys_madvise(memo, walk_memo_size(memo->capacity), advice);
}

void walk_memo_forget(struct walk_memo *memo)
{
	memo->low = memo->high = memo->home = 0;
	memo->debt = 0;
	memo->is_too_small = 0;
	memo->is_final = memo->capacity >= WALK_FRAMES_MAX;
	memo->base_sp = 0;
	memo->base_node = 0;
	memo->count = 0;
	memo->tree = 0;
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
