/* child.h: child processes that tests look at and change. */
#ifndef XER_TESTS_ATTACH_CHILD_H
#define XER_TESTS_ATTACH_CHILD_H

#include <sys/types.h>

/* A child that does this, for 20 seconds at most, and has begun to; its memory is open. */
pid_t child_start(void (*work)(void));

/* Wait for its end. Returns its exit status, -1 if it was ended by a signal. */
int child_status(pid_t child);

#endif
