/* tree.h: call stacks, each distinct one once, as nodes of the file frameinfo. */
#ifndef XER_COLLECTOR_TREE_H
#define XER_COLLECTOR_TREE_H

#include <stddef.h>
#include <stdint.h>

/* Prepare the table, at the start and in a forked child, whose tree is empty. Returns 0 or -ENOMEM.
 * Signal-safe. */
int tree_open(void);

/* Release its memory. No thread may be walking a stack. */
void tree_close(void);

/* madvise(2) for all memory of the tree. Signal-safe. */
void tree_advise(int advice);

/* The mapping of the file that `address` is in, with its size; NULL if there is none. Signal-safe.
 */
uint8_t *tree_find_map(uintptr_t address, size_t *size);

/* The node {parent, pc} of the current generation, created if it does not exist; 0 when the tree
 * has stopped. The node is in the file before this returns. Lock-free and signal-safe. */
uint32_t tree_node(uint32_t parent, uint64_t pc);

/* The innermost node of pc from `node` outwards; `node` itself if there is none. Signal-safe. */
uint32_t tree_outward(uint32_t node, uint64_t pc);

/* The innermost node from `node` outwards whose code is not in [start, end); `node` itself if there
 * is none. Signal-safe. */
uint32_t tree_outside(uint32_t node, uint64_t start, uint64_t end);

#endif
