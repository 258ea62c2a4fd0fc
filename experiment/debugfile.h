/* debugfile.h: find the separate debug file of an object where the system keeps them. */
#ifndef XER_EXPERIMENT_DEBUGFILE_H
#define XER_EXPERIMENT_DEBUGFILE_H

/* Open the debug file of the object at `path` whose own file is open at `object`: by build-id,
 * then by .gnu_debuglink. Returns a descriptor or -ENOENT. */
int exp_debug_file_open(int object, const char *path, const char *build_id);

#endif
