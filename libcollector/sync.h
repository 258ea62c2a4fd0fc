/* sync.h: synchronization tracing: waits for mutexes, condition variables, semaphores, ..., wrapped. */
#ifndef XER_COLLECTOR_SYNC_H
#define XER_COLLECTOR_SYNC_H

/* Begin to record waits that are not shorter than the descriptor's threshold. Before this, the wrappers only
 * pass on. */
void sync_start(void);

#endif
