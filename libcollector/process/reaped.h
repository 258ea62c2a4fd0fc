/* reaped.h: how the children of the program ended, by what it was told when it waited for them. */
#ifndef XER_LIBCOLLECTOR_PROCESS_REAPED_H
#define XER_LIBCOLLECTOR_PROCESS_REAPED_H

#include <sys/types.h>

/* The program was told that its child `pid` was killed by `signal`, and whether it left a dump. A
 * process that is killed cannot say so itself, so log.xml of its parent does; and if the signal is
 * one by which programs crash, and a snapshot was asked for, one is made. Signal-safe; errno is
 * left alone. */
void reaped_tell(pid_t pid, int signal, int has_core);

#endif
