/* tree.h: call stacks, each distinct one once, as nodes of the file frameinfo. */
#ifndef XER_COLLECTOR_TREE_H
#define XER_COLLECTOR_TREE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Prepare the table, at the start and in a forked child, whose tree is empty. Returns 0 or -ENOMEM.
 * Signal-safe. */
int tree_open(void);

/* The same with parts of at most 2^bits / 2 nodes (tree_part.h). */
int tree_open_with(int bits);

/* Release its memory. No thread may be walking a stack. */
void tree_close(void);

/* Create its file now, if there is none yet. Signal-safe. */
void tree_make(void);

/* How many parts (tree_part.h) there were until now, the current one included. Who keeps nodes to
 * continue stacks from them forgets them when this changes. */
extern atomic_uint tree_number __attribute__((visibility("hidden")));

/* May there be a thread that began to use the tree when tree_number was at most `number`, and has
 * not ended yet? The memory of a part is used again when this denies it, some time after the next
 * part has begun. NULL: there is none. Called with signals blocked. */
extern int (*_Atomic tree_watch)(uint32_t number) __attribute__((visibility("hidden")));

/* madvise(2) for all memory of the tree. Signal-safe. */
void tree_advise(int advice);

/* The mapping of the file that `address` is in, with its size; NULL if there is none. Signal-safe.
 */
uint8_t *tree_find_map(uintptr_t address, size_t *size);

/* The node {parent, pc} of the generation that pc has now, created if it does not exist; 0 when the
 * tree has stopped. The node is in the file before this returns. Signal-safe, and lock-free but for
 * the moments in which a part begins. */
uint32_t tree_node(uint32_t parent, uint64_t pc);

/* The node with the stack of `node` in the current part, which is not that old then; 0 when the
 * tree has stopped. Signal-safe. */
uint32_t tree_renew(uint32_t node);

/* How many frames a stack may have that fits into the tree. */
uint32_t tree_depth(void);

/* The innermost node of pc from `node` outwards; `node` itself if there is none. Signal-safe. */
uint32_t tree_outward(uint32_t node, uint64_t pc);

/* The innermost node from `node` outwards whose code is not in [start, end); `node` itself if there
 * is none. Signal-safe. */
uint32_t tree_outside(uint32_t node, uint64_t start, uint64_t end);

#endif
