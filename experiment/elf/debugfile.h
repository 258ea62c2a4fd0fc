/* debugfile.h: find the separate debug file of an object where the system keeps them. */
#ifndef XER_EXPERIMENT_ELF_DEBUGFILE_H
#define XER_EXPERIMENT_ELF_DEBUGFILE_H

#include "experiment/elf/object.h"

/* Open the debug file of the object at `path` whose own file is open at `object`: by build-id,
 * then by .gnu_debuglink, whose checksum tells where there is no build-id. Returns a descriptor or
 * -ENOENT. */
int exp_debug_file_open(int object, const char *path, const char *build_id);

enum { EXP_SHARED_NAME_MAX = 1024 };

/* The file with which a debug file shares parts of its information (dwz(1), .gnu_debugaltlink). */
struct exp_shared_file {
	char name[EXP_SHARED_NAME_MAX]; /* as the link has it */
	char build_id[2 * EXP_BUILD_ID_MAX + 1];
};

/* Read the link of the open file. Returns 0 or -ENOENT. */
int exp_shared_file_link(int file, struct exp_shared_file *out);

/* Open what the link of the file at `path` leads to: by build-id, then by name. Returns a
 * descriptor or -ENOENT. */
int exp_shared_file_open(const char *path, const struct exp_shared_file *shared);

#endif
