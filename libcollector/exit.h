/* exit.h: the ways out of a process. */
#ifndef XER_LIBCOLLECTOR_EXIT_H
#define XER_LIBCOLLECTOR_EXIT_H

/* Close the recording with the status that quick_exit was called with: to be given to
 * at_quick_exit. */
void exit_at_quick_end(void);

#endif
