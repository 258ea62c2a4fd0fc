/* heap.h: heap tracing: the malloc family, wrapped. */
#ifndef XER_COLLECTOR_HEAP_H
#define XER_COLLECTOR_HEAP_H

#include "libcollector/thread/scope.h"

/* Begin to record. Before this, the wrappers only pass on. */
void heap_start(void);

/* Events pause: only the ends of existing blocks are recorded, if there can be any. */
void heap_pause(void);

/* At a usage sample: check whether the program break has moved. Signal-safe. */
void heap_sample(struct col_thread *self, enum col_context context);

/* Record that `func` has made a block for `caller`, or is about to free one; if blocks are sampled,
 * only if this one is chosen. Normal context. */
void heap_record_alloc(enum fmt_heap_func func, const void *block, size_t size,
                       struct caller caller);
void heap_record_free(enum fmt_heap_func func, const void *block);

#endif
