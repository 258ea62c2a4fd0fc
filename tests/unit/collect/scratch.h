/* scratch.h: a directory of its own for each test, which is the current one. */
#ifndef XER_TESTS_SCRATCH_H
#define XER_TESTS_SCRATCH_H

/* Make the directory and enter it. */
void scratch_enter(void);

/* Delete it with all in it. */
void scratch_leave(void);

/* Make the file `name` with bytes[len] and `mode`. */
void scratch_put(const char *name, const void *bytes, unsigned long len, unsigned mode);

#endif
