/* child.h: child processes that tests inspect and change. */
#ifndef XER_TESTS_ATTACH_CHILD_H
#define XER_TESTS_ATTACH_CHILD_H

#include <sys/types.h>

/* A child that runs this function for at most 20 seconds, and has begun to; its memory is open. */
pid_t child_start(void (*work)(void));

/* Wait for its end. Returns its exit status, -1 if a signal ended it. */
int child_status(pid_t child);

#endif
