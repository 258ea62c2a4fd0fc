/* md5.h: MD5 sums (RFC 1321), which DWARF 5 has for source files. They distinguish a changed file
 * from the one that was compiled; they do not protect against forgery. */
#ifndef XER_EXPERIMENT_BASE_MD5_H
#define XER_EXPERIMENT_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { EXP_MD5_SIZE = 16 };

void exp_md5(const void *bytes, size_t len, uint8_t sum[EXP_MD5_SIZE]);

#endif
