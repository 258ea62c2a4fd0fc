/* executable.h: can the program that a file holds be recorded? Asked before it is executed. */
#ifndef XER_LIBCOLLECTOR_PROCESS_EXECUTABLE_H
#define XER_LIBCOLLECTOR_PROCESS_EXECUTABLE_H

#include "format/xml.h"

struct executable_obstacle {
	const char *reason; /* in words, for log.xml */
	int passes;         /* it may be given our variables, for the sake of its children */
	int has_samples;    /* the kernel may sample it */
};

/* What stands against recording `path` (relative to `directory` as for openat, empty: the
 * descriptor itself). NULL: nothing, or it cannot be found out. #! lines are followed. *bits: 32 or
 * 64, as the program's addresses have; those of this one if that is unknown. Signal-safe; borrows
 * nothing. */
const struct executable_obstacle *executable_obstacle(int directory, const char *path, int *bits);

/* What the log says of an obstacle: attributes of an event; NULL: none. */
void executable_put_obstacle(struct xml_text *event, const struct executable_obstacle *obstacle);

/* The file that a search of PATH finds for `name`, into out[size]; `name` itself if it has a slash.
 * Returns 0, -ENOENT or -ENAMETOOLONG. Signal-safe. */
int image_search(const char *name, char *out, unsigned size);

#endif
