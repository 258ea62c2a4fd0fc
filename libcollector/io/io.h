/* io.h: input/output tracing: the calls that open, read, write and look at files and sockets,
 * wrapped. */
#ifndef XER_COLLECTOR_IO_H
#define XER_COLLECTOR_IO_H

/* Begin to record; and begin to record calls that wait, for wall-clock time. Before this, the
 * wrappers only pass on. */
void io_start(void);
void io_start_waits(void);

/* A load object is in the map: is it one whose input and output is not recorded? Signal-safe. */
void io_listed(const char *path);

/* What io_uring_setup has returned; how many requests io_uring_enter has taken. errno stays. */
void io_uring_opened(long result);
void io_uring_entered(long requests);

/* Is a call by syscall(2) to be recorded as input or output? Signal-safe. */
int io_wants_syscall(long number);

/* The wrapper of such a call, with all its arguments; to be entered by a jump. */
long io_syscall(long number, long a, long b, long c, long d, long e, long f);

#endif
