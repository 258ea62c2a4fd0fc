/* retry.h: interrupted calls are repeated, but not forever: some file systems (of users, of
 * networks) interrupt a call each time, and the recorder must not make the program wait for them.
 * See doc/decisions/58-fault-injection.md. */
#ifndef XER_FORMAT_RETRY_H
#define XER_FORMAT_RETRY_H

#include <errno.h>

enum { RETRIES = 1000 };

/* Whether to repeat a call that `is_interrupted` (it ended with EINTR). `tries` counts, and is 0
 * before the first call. Signal-safe, sets no errno. */
static inline int retry(int is_interrupted, unsigned *tries)
{
	return is_interrupted && ++*tries < RETRIES;
}

/* The same for a function of the C library that has just returned `result`. */
static inline int retry_call(long result, unsigned *tries)
{
	return retry(result < 0 && errno == EINTR, tries);
}

/* May the same call succeed a moment later? It has failed with `error`, -errno, because all
 * descriptors of the process or of the machine are taken. */
static inline int retry_later(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

#endif
