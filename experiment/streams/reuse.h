/* reuse.h: stacks through addresses where different functions were at different times.
 *
 * A node of a call stack has an address and a generation of the address map, and the recorder
 * begins a generation only for changes that it knows. For functions described by files
 * (jitfunctions.h), the times are known: so a node at an address of several functions becomes
 * several nodes, one for each span of time in which all its functions are the same. Their
 * generations are instants (instant.h), which stand for that time. */
#ifndef XER_EXPERIMENT_STREAMS_REUSE_H
#define XER_EXPERIMENT_STREAMS_REUSE_H

#include "experiment/streams/nodes.h"

/* From a moment on a stack is another node. */
struct exp_reuse_span {
	uint64_t ticks;
	uint32_t node;
};

struct exp_reuse {
	size_t node_count; /* those of the file */
	uint32_t *first; /* first[node_count + 1]: where the spans of a node begin in spans[]; those
	                    of the next end them */
	struct exp_reuse_span *spans;
	size_t span_count, span_capacity;
};

/* Divide the nodes of a table that has been read. Returns 0 or -ENOMEM. */
int exp_reuse_make(struct experiment *experiment, struct exp_node_table *table);
void exp_reuse_destroy(struct exp_reuse *reuse);

/* What a node of the file is at a moment. */
uint32_t exp_reuse_at(const struct exp_reuse *reuse, uint32_t node, uint64_t ticks);

#endif
