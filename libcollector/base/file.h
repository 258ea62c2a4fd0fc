/* file.h: files of the experiment that stay open in a program that does not know about them.
 *
 * Their descriptors have high numbers. The program may close or replace any of them, so each is
 * checked by device and inode before it is used, and opened again by name if it is no longer ours.
 * The file position is not used otherwise, so it holds a tag made of device and inode: where the
 * tag is found, fstat need not be called. (Since Linux 6.13, a file whose times were read gets new
 * ones with the next write, which costs as much as the write.) Signal-safe. */
#ifndef XER_COLLECTOR_FILE_H
#define XER_COLLECTOR_FILE_H

#include <stdint.h>
#include <sys/types.h>

struct col_file {
	int fd;            /* -1: not open */
	unsigned reopened; /* how many times, after the target had closed it */
	dev_t device;
	ino_t inode;
	int32_t tag;  /* its position, 0: it has none */
	int is_brief; /* it is open only while it is used: the program may have few descriptors, or
	                 has taken all */
};

/* Of so many descriptors that the process may have, the recorder holds none. */
enum { COL_FILE_FEW = 64 };
int col_file_are_few(void);

/* openat(2), in a program that may have taken all descriptors that it is allowed: then, if it has
 * one thread and may raise its limit, it gets a number above that. Returns a descriptor or -errno.
 */
long col_file_open(int directory, const char *name, int access, mode_t mode);

/* Take over `fd`, which was just opened as `name` in the directory of this process: move it high,
 * remember what it is. Returns 0 or -errno, fd closed (-EMFILE: not now, the program has taken its
 * number). */
int col_file_take(struct col_file *file, const char *name, int fd);

/* Give the descriptor `fd` (just opened) a high number, and close it. Returns that number or
 * -errno.
 */
int col_file_move_up(int fd);

/* For a file that was just created: give its owner the right to read and write, even if the umask
 * of the program removes it. */
void col_file_make_usable(int fd);

/* The descriptor of file `name`, checked to be ours. Returns it, or -errno. */
int col_file_get(struct col_file *file, const char *name);

/* Run make(argument), which opens files and leaves none open but by col_file_take, and of those no
 * brief ones. If descriptors are few, or it returns -EMFILE, it runs aside. Returns what it
 * returned. Signal-safe. */
int col_file_with_free(int (*make)(void *argument), void *argument);

/* Run use(argument), which has the descriptor from col_file_get. A brief file is closed after that;
 * if the program has taken all descriptors, `use` runs aside (aside.h), and so must leave none.
 * Signals are blocked, and one thread at a time uses a file. Returns what `use` returned. */
int col_file_use(struct col_file *file, const char *name, int (*use)(void *argument),
                 void *argument);

/* Is its descriptor ours at this moment? If it is after a call, it was during the call, too: the
 * program has no way to put our file back at a number. Only one thread at a time may use the file.
 */
int col_file_is_ours(struct col_file *file);

/* In a process of one thread, before it has more: give it a number at random from 512 to 959, which
 * no program expects and which another thread does not replace. Nothing changes if it has no high
 * number. */
void col_file_move_away(struct col_file *file);

/* The path of file `name`, as out[COL_FILE_PATH]; NULL if it is longer. */
enum { COL_FILE_PATH = 512 };
const char *col_file_path(const char *name, char *out);

/* Does the path lead to the file? Returns 1, 0 (to another one), or -errno; the size of what is
 * there in *size. */
int col_file_is_at(const struct col_file *file, const char *path, uint64_t *size);

/* Close it if it is still ours. */
void col_file_close(struct col_file *file);

/* The directory of the founder; its path is in the descriptor. open: 0 or -errno. get: open it for
 * a moment, checked to be ours; returns a descriptor, which col_place_done closes, or -errno. No
 * directory stays open in the program: sandboxes refuse to begin while one is, since it leads out
 * of them. */
int col_founder_open(void);
int col_founder_get(void);
void col_founder_close(void);

/* The directory of this process, `name` in that of the founder ("." in the founder). As above. */
int col_directory_open(const char *name);
int col_directory_get(void);
void col_directory_close(void);

/* Close what get has returned; nothing if that was -errno. */
void col_place_done(int fd);

/* Rename it, if that name is free; the directory of the founder keeps its name. Returns 0 or
 * -errno. Signal-safe, in one thread at a time. */
int col_directory_rename(const char *name);

/* May a file of the process be `size` bytes long? Returns 0 or -EFBIG (RLIMIT_FSIZE). */
int col_file_may_grow(uint64_t size);

#endif
