/* kernel.h: what the running kernel is and says of this process. Signal-safe. */
#ifndef XER_COLLECTOR_BASE_KERNEL_H
#define XER_COLLECTOR_BASE_KERNEL_H

/* Is it at least this version? No if it does not tell. */
int kernel_is_at_least(int major, int minor);

/* How many threads the process has, also those that nobody announced. 0 if that cannot be seen. */
unsigned kernel_thread_count(void);

/* Has the process one thread only? No if that cannot be seen. */
int kernel_sees_one_thread(void);

#endif
