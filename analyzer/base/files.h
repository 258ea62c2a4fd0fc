/* files.h: what files there are. */
#ifndef XER_ANALYZER_BASE_FILES_H
#define XER_ANALYZER_BASE_FILES_H

/* The path of the file beside a missing one whose name is nearest, of those that end in `ending`.
 * NULL: none is near. The caller frees. */
char *files_nearest(const char *path, const char *ending);

#endif
