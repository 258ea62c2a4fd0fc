/* resolve.h: what the addresses of an experiment become in a tree. Each is looked up once, however
 * many nodes have it. */
#ifndef XER_ANALYZER_MODEL_RESOLVE_H
#define XER_ANALYZER_MODEL_RESOLVE_H

#include "analyzer/model/frames.h"
#include "analyzer/model/tree.h"

#include <stddef.h>
#include <stdint.h>

/* Where an address stands in its stack. */
enum resolve_flags {
	RESOLVE_LEAF = 1,  /* it is that of an interrupted instruction, not a return address */
	RESOLVE_TRACED = 2 /* it is the beginning of a function whose calls were traced: what is
	                      inlined there was not called */
};

/* An address. If it is shown, its frames are items[first .. first + count - 1] of the resolver,
 * outermost first. */
struct resolved {
	uint64_t pc;
	uint32_t generation;
	uint32_t first;
	uint16_t count;
	uint8_t flags;                   /* set of enum resolve_flags */
	uint8_t kind;                    /* enum frames_kind */
	uint8_t has_frames;              /* 0: it has none in this mode */
	uint8_t is_java;                 /* its innermost frame belongs to Java */
	const struct sym_object *object; /* of its innermost frame */
};

struct resolver {
	struct tree *tree;
	struct symbols *symbols;
	const struct experiment *experiment;
	const struct tree_view *view;
	uint32_t *items; /* of the tree */
	size_t item_count, item_capacity;
	struct resolved *known; /* known[count] */
	size_t count, capacity;
	uint32_t *table; /* open addressing, numbers + 1, 0 free */
	size_t slots;
};

/* All is borrowed. */
void resolver_init(struct resolver *resolver, struct tree *tree, struct symbols *symbols,
                   const struct experiment *experiment, const struct tree_view *view);
void resolver_fini(struct resolver *resolver);

/* An address as of a generation, valid until the next call. Out of memory, the program ends. */
const struct resolved *resolver_find(struct resolver *resolver, uint64_t pc, uint32_t generation,
                                     unsigned flags);

#endif
