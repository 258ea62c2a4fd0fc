/* program.h: xcollect as a program of its own, in an installation that stands in the current
 * directory: the main function runs in a copy of the unit program, as it becomes the program that
 * it records. */
#ifndef XER_TESTS_UNIT_COLLECT_PROGRAM_H
#define XER_TESTS_UNIT_COLLECT_PROGRAM_H

struct program_run {
	char *out, *err;
	int status; /* exit status, or 1000 and the number of a signal */
};

/* Put bin/xcollect here, and lib/xer/libcollector.so, which is empty. */
void program_install(void);

/* Run it with words, the last NULL. */
struct program_run program_run(const char *const *words);
void program_run_fini(struct program_run *run);

#endif
