/* frame.h: one frame of a compressed data file, by libzstd, if the program was built with it. */
#ifndef XER_EXPERIMENT_PACKED_FRAME_H
#define XER_EXPERIMENT_PACKED_FRAME_H

#include <stddef.h>
#include <sys/types.h>

/* Was this program built with libzstd? */
int exp_frames_are_known(void);

/* What decompressing needs; NULL: no memory, or no libzstd. */
struct exp_unpacker *exp_unpacker_create(void);
void exp_unpacker_destroy(struct exp_unpacker *unpacker);

/* Decompress the frame packed[packed_size] to plain[plain_size], which it must fill exactly.
 * Returns 0, -EBADMSG (it is damaged) or -ENOMEM. */
int exp_unpack(struct exp_unpacker *unpacker, void *plain, size_t plain_size, const void *packed,
               size_t packed_size);

/* What compressing needs, of this level of zstd; NULL: no memory, or no libzstd. */
struct exp_packer *exp_packer_create(int level);
void exp_packer_destroy(struct exp_packer *packer);

/* Most bytes that a frame of so many plain ones can have. */
size_t exp_packed_most(size_t plain_size);

/* Make a frame, with a checksum, of plain[plain_size] at packed[room], room at least
 * exp_packed_most. Returns its size or -ENOMEM. */
ssize_t exp_pack(struct exp_packer *packer, void *packed, size_t room, const void *plain,
                 size_t plain_size);

#endif
