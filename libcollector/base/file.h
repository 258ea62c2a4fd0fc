/* file.h: files of the experiment that stay open in a target that does not know about them.
 *
 * Descriptors live high. The target may close or replace any of them, so each is checked by device
 * and inode before it is used, and opened again by name when it is not ours any more. The position
 * of a file, which nobody uses, holds a tag made of those two: where it is found, fstat needs not
 * be asked. Since Linux 6.13 a file whose times have been asked for gets new ones with the next
 * write, which costs as much as the write. Signal-safe. */
#ifndef XER_COLLECTOR_FILE_H
#define XER_COLLECTOR_FILE_H

#include <stdint.h>
#include <sys/types.h>

struct col_file {
	int fd;            /* -1: not open */
	unsigned reopened; /* how many times, after the target had closed it */
	dev_t device;
	ino_t inode;
	int32_t tag; /* its position, 0: it has none */
};

/* Take over `fd` (just opened): move it high, remember what it is. Returns 0 or -errno, fd closed.
 */
int col_file_take(struct col_file *file, int fd);

/* A file that has just been made: let its owner read and write it, even if the program's umask
 * takes that away. */
void col_file_make_usable(int fd);

/* The descriptor of file `name`, surely ours. Returns it, or -errno. */
int col_file_get(struct col_file *file, const char *name);

/* Close it if it is still ours. */
void col_file_close(struct col_file *file);

/* The founder's directory; its path is the descriptor's. open: 0 or -errno; get: its descriptor,
 * surely ours, or -EBADF. */
int col_founder_open(void);
int col_founder_get(void);
void col_founder_close(void);

/* This process's own directory, `name` in the founder's ("." in the founder). As above. */
int col_directory_open(const char *name);
int col_directory_get(void);
void col_directory_close(void);

/* Give it another name, if no other has it; the founder's stays. Returns 0 or -errno. Signal-safe,
 * in one thread at a time. */
int col_directory_rename(const char *name);

/* Make [at, at + len) of fd exist on disk, so that touching a mapping of it cannot fail.
 * Returns 0, or -errno (ENOSPC, EDQUOT, EFBIG, ...); never raises SIGXFSZ. */
int col_file_allocate(int fd, uint64_t at, uint64_t len);

/* May a file of the process be `size` bytes long? Returns 0 or -EFBIG (RLIMIT_FSIZE). */
int col_file_may_grow(uint64_t size);

#endif
