/* options.h: the command line of xer_archive. */
#ifndef XER_ARCHIVE_OPTIONS_H
#define XER_ARCHIVE_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

struct options {
#define OPTION(field, spelling, argument, meaning) const char *field;
#include "archive/options.def"
#undef OPTION
	char **experiments; /* experiments[experiment_count], borrowed from argv */
	int experiment_count;
};

/* Read argv[argc]. Returns 0, or -EINVAL with one line in error[size]. `out` is cleared first. */
int options_parse(int argc, char **argv, struct options *out, char *error, size_t size);

/* Print the help. */
void options_help(FILE *out);

#endif
