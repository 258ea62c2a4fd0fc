/* packed.h: reads a compressed data file as if it were the plain one.
 *
 * It is a sequence of independent zstd frames, with a table at its end (format/seekable.h). The
 * frames that were used last are kept, so that cursors which take turns in it do not decompress the
 * same frame again and again. Nothing in the file is trusted: memory is bounded by EXP_PACKED_KEPT,
 * a frame and the size of the file; work by EXP_PACKED_RATIO and EXP_PACKED_AGAIN.
 * See doc/decisions/107-compressed-files.md. */
#ifndef XER_EXPERIMENT_PACKED_PACKED_H
#define XER_EXPERIMENT_PACKED_PACKED_H

#include <stdint.h>
#include <sys/types.h>

enum {
	EXP_FRAME = 256 << 10,      /* plain bytes of a frame, as they are written */
	EXP_FRAME_MAX = 4 << 20,    /* of those that are read */
	EXP_PACKED_KEPT = 16 << 20, /* plain bytes that are kept, unless a frame is larger */
	EXP_PACKED_RATIO = 1024,    /* plain bytes for a byte of the file, at most */
	EXP_PACKED_AGAIN = 24       /* so often is the whole file decompressed, at most */
};

struct exp_packed;

/* Open the compressed file in fd, of `size` bytes, which the caller closes after exp_packed_close.
 * Returns 0 and *out; -EBADMSG, and *why says what is wrong (static); -ENOMEM; or -errno of
 * reading. */
int exp_packed_open(int fd, uint64_t size, struct exp_packed **out, const char **why);
void exp_packed_close(struct exp_packed *packed);

/* Size of the plain file. */
uint64_t exp_packed_size(const struct exp_packed *packed);

/* Read plain bytes: as pread, but what is there is read whole. Where a frame cannot be
 * decompressed, errno is EBADMSG. */
ssize_t exp_packed_read(struct exp_packed *packed, void *to, size_t size, uint64_t at);

/* The first place at or behind `at` that is not zero, as far as it can be read, or the size of the
 * file. Frames that cannot be read are passed over. */
uint64_t exp_packed_data(struct exp_packed *packed, uint64_t at);

#endif
