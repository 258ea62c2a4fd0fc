/* aside.h: do something that needs descriptors when the program has taken all that it may have. */
#ifndef XER_COLLECTOR_ASIDE_H
#define XER_COLLECTOR_ASIDE_H

/* Run run(argument) in a thread that has a table of descriptors of its own, in which all numbers
 * are free; the calling thread waits until it has ended. The descriptors end with it, so none may
 * stay behind in memory; mappings stay. It costs some 100 us. All signals must be blocked.
 * Returns what `run` returned, -EMFILE if no thread could be made. Signal-safe. */
int col_aside(int (*run)(void *argument), void *argument);

/* Is the calling thread there? */
int col_is_aside(void);

/* A filter of system calls is about to be installed: does it let a thread with these flags of
 * clone(2) be made, and end? Below a filter that nobody has judged, nothing runs aside: it might
 * kill the program. */
enum { COL_ASIDE_FLAGS = 0x00014900 }; /* CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK */
void col_aside_judged(int is_allowed);

#endif
