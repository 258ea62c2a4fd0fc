/* pattern.c: runs a pattern along stacks from the outside in, all positions at a time: bit i of a
 * state says that the frames up to here end with the first i + 1 positions (the algorithm
 * "shift-and"). A node goes on from its caller's state, so that however many stacks there are, each
 * node is looked at once.
 * See doc/decisions/32-filters.md. */
#include "analyzer/filter/pattern.h"

#include "format/record.h"
#include "analyzer/base/memory.h"
#include "analyzer/model/name.h"
#include "analyzer/model/tree.h"

#include <stdlib.h>
#include <string.h>

/* Of a state, above the positions: it is known; the node is a frame of the recorder, which stays
 * out of the states of what is below; a whole match was met on the way, or, of a leaf, is the node
 * itself; the node is a frame of the Java machine, which stays out too; a frame of Java was met on
 * the way. */
#define STATE_KNOWN ((uint64_t)1 << 63)
#define STATE_RECORDER ((uint64_t)1 << 62)
#define STATE_MATCHED ((uint64_t)1 << 61)
#define STATE_JVM ((uint64_t)1 << 60)
#define STATE_JAVA ((uint64_t)1 << 59)
#define STATE_POSITIONS (STATE_JAVA - 1)
#define MASK_UNKNOWN UINT64_MAX

_Static_assert(EXPRESSION_SETS <= 59, "positions stand below the other bits");

static int is_leaf_wanted(const struct pattern *pattern)
{
	return pattern->wanted->token == TOKEN_LEAF;
}

static uint64_t mask_of_name(const struct pattern *pattern, const char *name)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < pattern->wanted->count; i++)
		if (expression_text_matches(pattern->wanted->sets[i], name))
			mask |= pattern->wanted->is_any ? 1 : (uint64_t)1 << i;
	return mask;
}

static uint64_t mask_of_function(struct pattern *pattern, const struct sym_function *function)
{
	size_t count = pattern->mask_count;
	uint64_t *mask;
	char *brief;

	if (function->index >= count) {
		pattern->mask_count = 2 * function->index + 64;
		pattern->masks = memory_resize(pattern->masks, pattern->mask_count,
		                               sizeof(*pattern->masks));
		memset(pattern->masks + count, 0xff,
		       (pattern->mask_count - count) * sizeof(*pattern->masks));
	}
	mask = &pattern->masks[function->index];
	if (*mask != MASK_UNKNOWN)
		return *mask;
	brief = name_shorten(function->name);
	*mask = mask_of_name(pattern, function->name) | mask_of_name(pattern, function->mangled) |
	        mask_of_name(pattern, brief);
	free(brief);
	return *mask;
}

/* The state behind a frame that can fill the positions of `mask`. */
static uint64_t advance(const struct pattern *pattern, uint64_t state, uint64_t mask)
{
	uint64_t last = (uint64_t)1 << (pattern->wanted->is_any ? 0 : pattern->wanted->count - 1);
	uint64_t positions = ((state & STATE_POSITIONS) << 1 | 1) & mask;
	uint64_t matched = (is_leaf_wanted(pattern) ? 0 : state & STATE_MATCHED) |
	                   (state & STATE_JAVA);

	return positions | matched | (positions & last ? STATE_MATCHED : 0);
}

static uint64_t find_state(struct pattern *pattern, uint32_t node, uint64_t before)
{
	const struct exp_nodes *nodes = &pattern->nodes, *whole = &pattern->place->whole->nodes;
	const struct sym_frame *frames;
	uint64_t state = before & ~(STATE_RECORDER | STATE_JVM);
	enum frames_kind kind;
	int count = frames_find_functions(pattern->place->symbols, pattern->place->experiment,
	                                  nodes->pc[node], nodes->generation[node],
	                                  node < whole->count &&
	                                          tree_is_leaf(whole, pattern->is_parent, node),
	                                  pattern->mode, &frames, &kind);

	if (count < 1)
		return state;
	if (nodes->pc[node] < FMT_PC_MARKS)
		state |= STATE_JAVA;
	/* Frames outside the first Java frame are not shown. */
	if (pattern->mode == FRAMES_USER && !(state & STATE_JAVA) && frames_is_java(&frames[0]))
		state = STATE_JAVA;
	if (kind == FRAMES_RECORDER)
		return state | STATE_RECORDER;
	if (kind != FRAMES_SHOWN)
		return kind == FRAMES_JVM ? state | STATE_JVM : state;
	while (count-- > 0)
		state = advance(pattern, state, mask_of_function(pattern, frames[count].function));
	return state;
}

/* The state of a node, those of its callers first; a stack may be deeper than ours. */
static uint64_t state_of(struct pattern *pattern, uint32_t node)
{
	const uint32_t *parents = pattern->nodes.parent;

	if (!(pattern->states[node] & STATE_KNOWN)) {
		uint32_t at = node, parent = parents[at];

		while (parent < at && !(pattern->states[parent] & STATE_KNOWN)) {
			/* Callers are marked with the node that asked, so that the way back down is
			 * known. */
			pattern->states[parent] = at;
			at = parent;
			parent = parents[at];
		}
		for (;;) {
			uint32_t below = (uint32_t)pattern->states[at];

			pattern->states[at] = find_state(pattern, at,
			                                 parent < at ? pattern->states[parent] &
			                                                       ~STATE_KNOWN
			                                             : 0) |
			                      STATE_KNOWN;
			if (at == node)
				break;
			parent = at;
			at = below;
		}
	}
	return pattern->states[node];
}

int pattern_matches(struct pattern *pattern, uint32_t node)
{
	uint64_t state;

	if (node >= pattern->nodes.count)
		return (advance(pattern, 0, pattern->unknown) & STATE_MATCHED) != 0;
	state = state_of(pattern, node);
	if (state & STATE_RECORDER)
		state = advance(pattern, state, pattern->recorder);
	if (state & STATE_JVM)
		state = advance(pattern, state, pattern->jvm);
	return (state & STATE_MATCHED) != 0;
}

void pattern_init(struct pattern *pattern, const struct expression_pattern *wanted,
                  const struct filter_place *place)
{
	*pattern = (struct pattern){.wanted = wanted, .place = place};
	pattern->mode = wanted->token == TOKEN_USTACK   ? FRAMES_USER
	                : wanted->token == TOKEN_XSTACK ? FRAMES_EXPERT
	                : wanted->token == TOKEN_MSTACK ? FRAMES_MACHINE
	                                                : place->mode;
	pattern->recorder = mask_of_name(pattern, frames_names[FRAMES_RECORDER]);
	pattern->jvm = mask_of_name(pattern, frames_names[FRAMES_JVM]);
	pattern->unknown = mask_of_name(pattern, "<Unknown>");
}

void pattern_fini(struct pattern *pattern)
{
	free(pattern->states);
	free(pattern->masks);
	free(pattern->is_parent);
}

int pattern_begin(struct pattern *pattern, const struct exp_nodes *nodes)
{
	free(pattern->states);
	free(pattern->is_parent);
	pattern->nodes = *nodes;
	pattern->is_parent = tree_find_parents(&pattern->place->whole->nodes);
	pattern->states = memory_take(nodes->count, sizeof(*pattern->states));
	return 0;
}
