/* pack.h: writes a file compressed, in independent frames with a table (packed.h reads it).
 * See doc/decisions/107-compressed-files.md. */
#ifndef XER_EXPERIMENT_PACKED_PACK_H
#define XER_EXPERIMENT_PACKED_PACK_H

#include <stdint.h>

enum { EXP_PACK_NOT_WORTH = 1 };

/* Levels of zstd. Data files of a long run are large, and higher ones save 2 % of them; of programs
 * and libraries 3 saves 9 % for a fifth more time. */
enum { EXP_PACK_DATA = 1, EXP_PACK_OBJECTS = 3 };

/* A file that is not compressed: a descriptor, of which the position does not matter, how many
 * bytes of it are meant, and the level for it. */
struct exp_plain_file {
	int fd;
	uint64_t size;
	int level;
};

/* Compress the file (a struct exp_plain_file *) into the empty file `to`; as a writer for
 * exp_copy_made. Returns 0; EXP_PACK_NOT_WORTH: it is hardly smaller, or so much smaller that
 * readers would refuse it, and what was written is of no use; -ENOMEM (also without libzstd);
 * -ESTALE: the file is shorter than that; or -errno. */
int exp_pack_file(void *plain_file, int to);

#endif
