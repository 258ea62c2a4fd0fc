/* heap.h: heap tracing: the malloc family, wrapped. */
#ifndef XER_COLLECTOR_HEAP_H
#define XER_COLLECTOR_HEAP_H

#include "libcollector/thread/scope.h"

/* Begin to record. Before this, the wrappers only pass on. */
void heap_start(void);

/* Record that `func` has made a block for `caller`, or is about to free one. Normal context. */
void heap_record_alloc(enum fmt_heap_func func, const void *block, size_t size,
                       struct caller caller);
void heap_record_free(enum fmt_heap_func func, const void *block);

#endif
