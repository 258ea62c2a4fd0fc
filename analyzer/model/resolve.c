/* resolve.c: a hash table of addresses. See resolve.h.
 * See doc/decisions/97-gathering.md. */
#include "analyzer/model/resolve.h"

#include "analyzer/base/memory.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void resolver_init(struct resolver *resolver, struct tree *tree, struct symbols *symbols,
                   const struct experiment *experiment, const struct tree_view *view)
{
	*resolver = (struct resolver){
		.tree = tree, .symbols = symbols, .experiment = experiment, .view = view};
}

void resolver_fini(struct resolver *resolver)
{
	free(resolver->items);
	free(resolver->known);
	free(resolver->table);
}

static size_t home_of(const struct resolver *resolver, uint64_t pc, uint32_t generation,
                      unsigned flags)
{
	uint64_t hash = (pc ^ (uint64_t)generation << 40 ^ (uint64_t)flags << 62) *
	                0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */

	return (hash >> 20) & (resolver->slots - 1);
}

static void rehash(struct resolver *resolver)
{
	free(resolver->table);
	resolver->slots = resolver->slots ? resolver->slots * 2 : FIRST_SLOTS;
	resolver->table = memory_take(resolver->slots, sizeof(*resolver->table));
	for (size_t i = 0; i < resolver->count; i++) {
		const struct resolved *known = &resolver->known[i];
		size_t slot = home_of(resolver, known->pc, known->generation, known->flags);

		while (resolver->table[slot] != 0)
			slot = (slot + 1) & (resolver->slots - 1);
		resolver->table[slot] = (uint32_t)i + 1;
	}
}

/* What a frame is shown as. The address of an instruction keeps its offset in the function. */
static struct sym_frame shown_frame(struct shown *shown, const struct sym_frame *frame)
{
	struct sym_frame result = *frame;

	result.function = shown_function(shown, frame->function);
	if (result.function == frame->function)
		return result;
	if (shown_is_object(shown, result.function))
		return (struct sym_frame){.function = result.function};
	result.address += result.function->address - frame->function->address;
	return result;
}

static void add_item(struct resolver *resolver, const struct sym_frame *frame)
{
	struct sym_frame shown = shown_frame(resolver->view->shown, frame);

	resolver->items = memory_grow(resolver->items, resolver->item_count,
	                              &resolver->item_capacity, sizeof(*resolver->items));
	resolver->items[resolver->item_count++] = tree_item(resolver->tree, &shown);
}

/* Of instructions, what is inlined belongs to the function that holds it. */
static uint16_t add_items(struct resolver *resolver, const struct sym_frame *frames, int count)
{
	struct sym_frame whole = frames[0];

	if (resolver->tree->mode == TREE_PCS) {
		whole.function = frames[count - 1].function;
		frames = &whole;
		count = 1;
	}
	for (int i = count; i-- > 0;)
		add_item(resolver, &frames[i]);
	return (uint16_t)count;
}

static void resolve(struct resolver *resolver, struct resolved *known)
{
	const struct sym_frame *frames;
	enum frames_kind kind;
	int count = (resolver->tree->mode == TREE_FUNCTIONS ? frames_find_functions : frames_find)(
		resolver->symbols, resolver->experiment, known->pc, known->generation,
		known->flags & RESOLVE_LEAF, resolver->view->mode, &frames, &kind);

	if (count < 1)
		return;
	known->kind = (uint8_t)kind;
	known->first = (uint32_t)resolver->item_count;
	if (known->flags & RESOLVE_TRACED) {
		frames += count - 1;
		count = 1;
	}
	if (count > UINT16_MAX)
		count = UINT16_MAX;
	known->has_frames = 1;
	known->is_java = frames_is_java(&frames[0]) != 0;
	known->object = frames[0].function->object;
	if (kind == FRAMES_SHOWN)
		known->count = add_items(resolver, frames, count);
}

const struct resolved *resolver_find(struct resolver *resolver, uint64_t pc, uint32_t generation,
                                     unsigned flags)
{
	struct resolved *known;
	size_t slot;

	if ((resolver->count + 1) * 2 > resolver->slots)
		rehash(resolver);
	slot = home_of(resolver, pc, generation, flags);
	for (; resolver->table[slot] != 0; slot = (slot + 1) & (resolver->slots - 1)) {
		known = &resolver->known[resolver->table[slot] - 1];
		if (known->pc == pc && known->generation == generation && known->flags == flags)
			return known;
	}
	resolver->known = memory_grow(resolver->known, resolver->count, &resolver->capacity,
	                              sizeof(*resolver->known));
	known = &resolver->known[resolver->count++];
	*known = (struct resolved){.pc = pc, .generation = generation, .flags = (uint8_t)flags};
	resolver->table[slot] = (uint32_t)resolver->count;
	resolve(resolver, known);
	return known;
}
