/* calls.h: what the wrappers of input and output have recorded, call by call. Tests call them by
 * names of their own, wrapped_NAME (build.mk), since the test runner has input and output too. */
#ifndef XER_TESTS_COLLECTOR_IO_CALLS_H
#define XER_TESTS_COLLECTOR_IO_CALLS_H

#include "format/record.h"

/* For a test suite: a directory for the recorder in which calls are recorded, and its end. */
void calls_setup(void);

/* The next record that was written since the one before, which must be there. */
const struct fmt_io *calls_next(void);

/* The next record is one of `func` of this descriptor, -1 for none, with so many bytes and this
 * error. */
void calls_expect(int line, enum fmt_io_func func, int fd, uint64_t bytes, int error);
#define EXPECT_CALL(func, fd, bytes, error) \
	calls_expect(__LINE__, FMT_io_func_##func, fd, (uint64_t)(bytes), error)

/* How many were recorded. */
int calls_count(void);

/* Nothing more was recorded. */
void calls_expect_none(int line);
#define EXPECT_NO_CALL() calls_expect_none(__LINE__)

#endif
