/* executable.h: can the program in a file be recorded? Checked before it is executed. */
#ifndef XER_COLLECTOR_EXEC_EXECUTABLE_H
#define XER_COLLECTOR_EXEC_EXECUTABLE_H

#include "format/xml.h"

struct executable_obstacle {
	const char *reason; /* in words, for log.xml */
	int passes;         /* it may get our variables, for its children */
	int has_samples;    /* the kernel may sample it */
};

/* Why `path` cannot be recorded (relative to `directory` as for openat, empty: the descriptor
 * itself). NULL: it can, or that is not known. #! lines are followed. *bits: 32 or 64, the size of
 * addresses in the program; that of this program if unknown. Signal-safe; borrows nothing. */
const struct executable_obstacle *executable_obstacle(int directory, const char *path, int *bits);

/* The attributes of the event in the log for an obstacle; NULL: none. */
void executable_put_obstacle(struct xml_text *event, const struct executable_obstacle *obstacle);

/* The file that a search of PATH finds for `name`, into out[size]; `name` itself if it has a slash.
 * Returns 0, -ENOENT or -ENAMETOOLONG. Signal-safe. */
int image_search(const char *name, char *out, unsigned size);

#endif
