/* target.h: find the program that is to be recorded, and refuse what cannot be. */
#ifndef XER_COLLECT_TARGET_TARGET_H
#define XER_COLLECT_TARGET_TARGET_H

#include "collect/base/cause.h"

#include <limits.h>
#include <sys/types.h>

struct target {
	char file[PATH_MAX];   /* the file to execute, named as execvp would */
	char path[PATH_MAX];   /* the same, absolute */
	char object[PATH_MAX]; /* what will be mapped: the same without links, or the interpreter of
	                          a script */
	char **argv;           /* NULL-terminated */
	char **own_argv;       /* argv, if it was made here; freed by target_fini */
	pid_t pid, parent;
	int bits;          /* 64 or 32, of its addresses */
	char outside[192]; /* why no library can be loaded before it, which can only be sampled from
	                      outside; "": one can be */
	char directory[PATH_MAX]; /* its current one, empty if unknown */
};

/* Find argv[0] as execvp would and check that libcollector can be preloaded into it, or put into
 * `outside` why not. A script that is run by env(1) is resolved to its interpreter, since an
 * experiment ends at an exec. Returns 0, 126 (it cannot be recorded), 127 (not found) or 125, with
 * `cause`. argv is borrowed. */
int target_find(char **argv, struct target *out, struct cause *cause);
void target_fini(struct target *target);

#endif
