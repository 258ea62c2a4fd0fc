/* heap.h: heap tracing: the malloc family, wrapped. */
#ifndef XER_COLLECTOR_HEAP_H
#define XER_COLLECTOR_HEAP_H

/* Begin to record. Before this, the wrappers only pass on. */
void heap_start(void);

#endif
