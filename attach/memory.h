/* memory.h: the memory of the target, through /proc/PID/mem. */
#ifndef XER_ATTACH_MEMORY_H
#define XER_ATTACH_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open the memory of process `pid`, instead of what was open. It is that of the program which the
 * process executes now: after an exec there is nothing to read in it. Returns 0 or -errno. One
 * target at a time. */
int memory_open(pid_t pid);

/* Read or write `len` bytes at `address`, all or nothing counts. Pages that the target itself may
 * not write can be written. Returns 0 or -errno. */
int memory_read(uint64_t address, void *to, size_t len);
int memory_write(uint64_t address, const void *from, size_t len);

#endif
