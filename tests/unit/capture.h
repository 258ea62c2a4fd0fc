/* capture.h: what code under test writes to stdout or stderr, and programs that are run inside of a
 * test. */
#ifndef XER_TESTS_UNIT_CAPTURE_H
#define XER_TESTS_UNIT_CAPTURE_H

#include <stdio.h>

struct capture {
	FILE *stream, *kept;
	int before;
};

/* From now on what is written to stdout or stderr is kept. */
void capture_begin(struct capture *capture, FILE *stream);

/* What was written since; the caller frees. */
char *capture_end(struct capture *capture);

struct capture_run {
	char *out, *err;
	int status;
};

/* Call the main function of a program with words, the first its name and the last NULL. `input`:
 * its standard input, NULL: nothing. */
struct capture_run capture_main(int (*main_function)(int argc, char **argv),
                                const char *const *words, const char *input);
void capture_run_fini(struct capture_run *run);

#endif
