/* program.h: xcollect as a separate program, in an installation in the current directory: the main
 * function runs in a copy of the unit program, as it becomes the program that it records. */
#ifndef XER_TESTS_UNIT_COLLECT_PROGRAM_H
#define XER_TESTS_UNIT_COLLECT_PROGRAM_H

struct program_run {
	char *out, *err;
	int status; /* exit status, or 1000 plus the number of a signal */
};

/* Create bin/xcollect here, and lib/xer/libcollector.so, which is empty. */
void program_install(void);

/* Run it with these arguments, the last one NULL. */
struct program_run program_run(const char *const *words);
void program_run_fini(struct program_run *run);

#endif
