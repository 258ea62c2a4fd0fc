/* memo_pool.h: the memos of all threads, of which there are only so many.
 *
 * When there is none left, memos are taken from threads that have not used theirs since the last
 * time. Such a thread may be about to use it just now: it has read where the memo is, but nobody
 * sees yet that it is in a scope or in the handler. So a memo that was taken away rests for a
 * tenth of a millisecond, which is much longer than a processor keeps a store to itself, and then
 * until the thread is seen outside of the recorder. All functions are signal-safe. */
#ifndef XER_COLLECTOR_THREAD_MEMO_POOL_H
#define XER_COLLECTOR_THREAD_MEMO_POOL_H

#include "libcollector/thread/thread.h"

/* A memo for `thread`, which shall have it in thread->memo[context]. NULL: there is none of that
 * capacity, or no memory. */
struct walk_memo *memo_pool_take(struct col_thread *thread, enum col_context context,
                                 uint32_t capacity);

/* Its thread does not use it any more. */
void memo_pool_give(struct walk_memo *memo);

/* Is there a thread in the recorder whose memo is of that part of the tree (tree.h), or an older
 * one? With signals blocked. */
int memo_pool_walks(uint32_t tree);

/* In a forked child, which has none. */
void memo_pool_restart(void);

/* Bytes of address space that all memos take. */
size_t memo_pool_size(void);

#endif
