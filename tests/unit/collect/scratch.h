/* scratch.h: a separate directory for each test, which is the current one. */
#ifndef XER_TESTS_SCRATCH_H
#define XER_TESTS_SCRATCH_H

/* Create the directory and enter it. */
void scratch_enter(void);

/* Delete it with everything in it. */
void scratch_leave(void);

/* Create the file `name` with bytes[len] and `mode`. */
void scratch_put(const char *name, const void *bytes, unsigned long len, unsigned mode);

#endif
