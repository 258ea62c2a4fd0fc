/* kernel.h: what the running kernel is and says of this process. Signal-safe. */
#ifndef XER_COLLECTOR_BASE_KERNEL_H
#define XER_COLLECTOR_BASE_KERNEL_H

/* Is it at least this version? No if it does not tell. */
int kernel_is_at_least(int major, int minor);

/* Has the process one thread only, also none that nobody announced? No if that cannot be seen. */
int kernel_sees_one_thread(void);

#endif
