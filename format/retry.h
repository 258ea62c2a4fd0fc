/* retry.h: calls that were interrupted are made again, but not for ever: there are file systems (of
 * users, of networks) that answer so each time, and who records must not make the program wait for
 * them.
 * See doc/decisions/58-fault-injection.md. */
#ifndef XER_FORMAT_RETRY_H
#define XER_FORMAT_RETRY_H

enum { RETRIES = 1000 };

/* Whether a call that `is_interrupted` (it ended with EINTR) is to be made again. `tries`, which is
 * 0 before the first call, counts. Signal-safe, sets no errno. */
static inline int retry(int is_interrupted, unsigned *tries)
{
	return is_interrupted && ++*tries < RETRIES;
}

#endif
