/* md5.h: MD5 sums (RFC 1321), which DWARF 5 has of source files. They tell a changed file from the
 * one that was compiled; they are no protection against anybody. */
#ifndef XER_EXPERIMENT_BASE_MD5_H
#define XER_EXPERIMENT_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { EXP_MD5_SIZE = 16 };

void exp_md5(const void *bytes, size_t len, uint8_t sum[EXP_MD5_SIZE]);

#endif
