/* close.h: the end of the recording of a process. */
#ifndef XER_LIBCOLLECTOR_CLOSE_H
#define XER_LIBCOLLECTOR_CLOSE_H

/* End the recording: last samples, totals, exit element, archive. exit_code -1: unknown.
 * Does nothing in a process that is not recorded, or the second time. */
void process_close(int exit_code);

/* Bring samples and counters up to date, as at the end. */
void process_account(void);

#endif
