/* io.h: input/output tracing: the calls that open, read, write and look at files and sockets,
 * wrapped. */
#ifndef XER_COLLECTOR_IO_H
#define XER_COLLECTOR_IO_H

/* Begin to record. Before this, the wrappers only pass on. */
void io_start(void);

#endif
