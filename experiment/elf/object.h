/* object.h: find the file of a load object: the one that was recorded, by its build-id, wherever
 * it is now. */
#ifndef XER_EXPERIMENT_ELF_OBJECT_H
#define XER_EXPERIMENT_ELF_OBJECT_H

#include "experiment/experiment.h"

#include <libelf.h>
#include <stddef.h>

enum {
	EXP_BUILD_ID_MAX = 64, /* bytes */
	EXP_ARCHIVE_NAME_MAX = 256,
	EXP_PLACE_MAX = 4096 /* of the path of a file that was found */
};

#define EXP_ARCHIVE_COMMON \
	"common" /* in archives/: a text file with the path of a common archive */

/* Name of an object in an archive: its last component, "_" and 16 hex digits: of its build-id,
 * else of a hash of its path. suffix: "" or ".debug". */
void exp_archive_name(char name[EXP_ARCHIVE_NAME_MAX], const char *path, const char *build_id,
                      const char *suffix);

/* The build-id of an ELF file as hex in text[2 * EXP_BUILD_ID_MAX + 1], "" if it has none. */
void exp_build_id_text(Elf *elf, char *text);

/* Where the file of a descriptor is: place[EXP_PLACE_MAX]. Returns 0 or -errno. */
int exp_descriptor_path(int fd, char *place);

/* Open a regular file for reading, never blocking. Returns a descriptor or -errno. */
int exp_path_open(const char *path);

/* Begin to read a file by libelf, which maps it (see exp_cut_file_watch). NULL: libelf refuses it.
 */
Elf *exp_elf_begin(int fd);

/* A descriptor of an ELF file together with how it was found. */
struct exp_object_file {
	int fd;
	char path[EXP_PLACE_MAX];
	int archived;
	int mismatch; /* set also if nothing was found: a file exists, with another build-id */
};

/* Find the file of an object: a plain copy in the archives of the experiment's founder, the file of
 * its build-id at its recorded path, a compressed copy, or, if it has no build-id, what is at its
 * path. Returns 0 (the caller closes out->fd) or -ENOENT. */
int exp_object_find(const struct experiment *experiment, const char *path, const char *build_id,
                    struct exp_object_file *out);

/* The same, in the archives alone. What is compressed is decompressed into memory (unpack.h). */
int exp_object_find_archived(const struct experiment *experiment, const char *path,
                             const char *build_id, struct exp_object_file *out);

/* Is this the path of the object that the kernel maps into each process? It has no file, but each
 * process has the one of its kernel. */
int exp_object_is_vdso(const char *path);

/* Open the file at an object's recorded path; "[vdso]" stands for that of this process. Returns a
 * descriptor, -ENOENT, or -ESTALE: a file is there, with another build-id. */
int exp_object_open_recorded(const char *path, const char *build_id);

/* Forms of a file in an archive: as it is, or compressed, with FMT_PACKED_SUFFIX behind its name.
 */
enum { EXP_ARCHIVED_PLAIN = 1, EXP_ARCHIVED_PACKED = 2 };

/* Has the archive directory a regular file of this name, in either form? */
int exp_archived_exists(int directory, const char *name);

/* Find the separate debug file of an object in the archives, in one of these forms. Returns a
 * descriptor and path[EXP_PLACE_MAX], or -ENOENT. */
int exp_object_find_archived_debug(const struct experiment *experiment, const char *object,
                                   const char *build_id, unsigned forms, char *path);

/* True if the open ELF file has this build-id. Any file has the build-id "", except core files,
 * which are not load objects. */
int exp_object_matches(int fd, const char *build_id);

/* The same descriptor if so; else it is closed, and -ENOENT returned. It may be negative: -ENOENT.
 */
int exp_object_if_matches(int fd, const char *build_id);

#endif
