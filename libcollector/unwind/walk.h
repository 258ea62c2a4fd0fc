/* walk.h: the call stack of a thread, as a node of the frame tree.
 *
 * A walk goes from the innermost frame outwards by packed rules (rule.h). It ends early where it
 * meets the thread's previous stack, kept in a *memo*: if one frame is the same, and every word
 * from which the memo's outer frames were read is unchanged, then those frames are the same too,
 * and their node is known.
 *
 * Memory is read only if it is known to be mapped: within the range of pages that earlier walks of
 * this memo have found readable, which grows page by page (a probe is one system call). So nothing
 * is assumed about where stacks are: alternate signal stacks, coroutines and broken pointers are
 * safe. A range without the thread's own stack, which stays mapped, may have been unmapped since:
 * it is checked again before each walk. */
#ifndef XER_COLLECTOR_WALK_H
#define XER_COLLECTOR_WALK_H

#include "libcollector/unwind/cfi.h"
#include "libcollector/unwind/shadow.h"
#include "libcollector/unwind/tree.h"

#include <stdint.h>

/* A memo begins small and is replaced by a larger one when a stack does not fit, so that a program
 * with many threads has little memory for each. The largest takes 24 MiB, of which only what is
 * used is ever touched. */
enum { WALK_FRAMES_MIN = 80, WALK_FRAMES_FACTOR = 4, WALK_FRAMES_MAX = 1 << 18 };

/* One frame: the state in which its code continues at pc. */
struct walk_frame {
	uint64_t sp, pc, bp;
	uint64_t bp_slot; /* where bp was read from, 0: kept from the inner frame */
	uint32_t rule;    /* at pc; of the outermost frame: unspecified */
	uint32_t node;
	uint32_t checks;  /* number of memo->check[] entries of the frames outside of this one */
	uint8_t needs_bp; /* bp is used here or further out to find a CFA */
	uint8_t is_exchanged; /* pc was found in the shadow of the word below sp */
	uint8_t is_mark;      /* not a frame: the frames outside are guessed; sp is that of the
	                         frame inside */
	uint8_t has_mark;     /* it is there or further out */
};

enum { WALK_CHECKS = 3 /* of a frame, at most */ };

/* A word of the stack, or of its shadow, that must not have changed. */
struct walk_check {
	uint64_t slot, value;
};

struct walk_memo {
	uint64_t low, high; /* known to be readable */
	uint64_t home;      /* an address in the stack that the thread was made with, 0: unknown */
	uint64_t page;      /* one more readable page, elsewhere */
	uint32_t count;     /* frames, outermost first; 0: nothing remembered */
	uint32_t generation;
	uint32_t tree;     /* tree_number when it was last used */
	uint32_t capacity; /* of frame[]; check[] has WALK_CHECKS times as many */
	uint8_t is_too_small;
	uint8_t is_final;   /* no larger one is to be had: a stack that does not fit is truncated */
	uint8_t is_used;    /* since its owner has last looked (memo_pool.c) */
	uint32_t place;     /* free for its owner */
	uint32_t debt;      /* frames walked lately, beyond what an event may cost */
	uint64_t base_sp;   /* frames from here on are not walked: base_node stands for them */
	uint32_t base_node; /* 0: all are */
	int base_drops;     /* nor is the outermost frame before it */
	struct walk_check *check;
	struct walk_frame *frame;
	struct cfi_machine *machine;
};

/* The memory of a memo for stacks of up to `capacity` frames, a multiple of the page size; and the
 * memo in such memory, which is zero and begins at a page. Signal-safe. */
size_t walk_memo_size(uint32_t capacity);
struct walk_memo *walk_memo_make(void *memory, uint32_t capacity);

/* A memo in memory of its own. NULL if there is none. Signal-safe. */
struct walk_memo *walk_memo_create(uint32_t capacity);
void walk_memo_destroy(struct walk_memo *memo);

/* madvise(2) for all its memory. Signal-safe. */
void walk_memo_advise(struct walk_memo *memo, int advice);

/* The memo is to serve another thread. */
void walk_memo_forget(struct walk_memo *memo);

/* Walks that begin inside `sp` end there, and continue with `node`, which ends in a mark; if
 * `drops`, the last frame before that is left out too. node 0: they do not end there.
 * Signal-safe. */
void walk_memo_join(struct walk_memo *memo, uint64_t sp, uint32_t node, int drops);

/* Before nodes are looked up, or made, for the thread of the memo: it forgets nodes of an older
 * part of the tree, and tells tree_watch that the thread is in it. */
static inline void walk_memo_enter(struct walk_memo *memo)
{
	uint32_t tree = atomic_load_explicit(&tree_number, memory_order_acquire);

	if (__builtin_expect(memo->tree != tree, 0)) {
		__atomic_store_n(&memo->tree, tree, __ATOMIC_RELAXED);
		memo->count = 0;
	}
}

/* The node of the stack whose innermost frame continues at pc with sp and bp, the frame pointer.
 * context: an interrupted one, whose instruction is at pc; NULL: pc is a return address of the
 * calling thread, whose other registers are found by unwinding the recorder itself if they are
 * needed. Returns a node id; 0 if the tree has stopped, or if the memo is too small, and not final.
 * Signal-safe; one walk at a time for each memo. */
uint32_t walk_stack(struct walk_memo *memo, uint64_t pc, uint64_t sp, uint64_t bp,
                    const ucontext_t *context);

#endif
