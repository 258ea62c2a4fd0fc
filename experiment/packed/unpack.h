/* unpack.h: the plain bytes of a compressed file as a file in memory, for libraries that want a
 * descriptor. */
#ifndef XER_EXPERIMENT_PACKED_UNPACK_H
#define XER_EXPERIMENT_PACKED_UNPACK_H

/* Most plain bytes of such a file: they take memory. Nothing larger is compressed in archives. */
enum { EXP_UNPACK_MOST = 512 << 20 };

/* Decompress the file of a descriptor, which stays open, into a file without a name. Zeros take no
 * memory. Returns its descriptor; -EBADMSG (it is damaged, or larger than EXP_UNPACK_MOST), -ENOMEM
 * or -errno. Without libzstd: -ENOMEM or -EBADMSG. */
int exp_unpack_file(int fd);

#endif
