/* sourcename.h: where source files stand in archives. */
#ifndef XER_EXPERIMENT_SYMBOLS_SOURCENAME_H
#define XER_EXPERIMENT_SYMBOLS_SOURCENAME_H

#include <stddef.h>

/* Where an absolute path goes below archives/: "src/usr/include/a.h". "." and ".." are resolved,
 * so that it leads nowhere else. Returns 0, or -EINVAL (not absolute, too long, or nothing). */
int exp_source_name(char *name, size_t size, const char *path);

#endif
