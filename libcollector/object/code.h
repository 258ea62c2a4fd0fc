/* code.h: change the program's code, while it may run. */
#ifndef XER_COLLECTOR_CODE_H
#define XER_COLLECTOR_CODE_H

#include "libcollector/arch/arch.h"

#include <stddef.h>
#include <stdint.h>

enum { CODE_STUB_SIZE = ARCH_STUB_SIZE, CODE_STUBS_MAX = 256 };

/* Between these two calls, code_write works. One user at a time. Normal context. code_begin returns
 * 0 or -errno. */
int code_begin(void);
void code_end(void);

/* Put code[size] at `address`, through /proc/self/mem, which needs no writable pages. Returns 0 or
 * -EACCES. */
int code_write(uint64_t address, const uint8_t *code, size_t size);

/* Afterwards, no processor has old code of this process in its pipeline. */
void code_tell_processors(void);

/* Make the pages of [from, to) writable, or read-only again; they stay executable. Returns 0 or
 * -errno. */
int code_open_pages(uint64_t from, uint64_t to, int is_open);

/* A page near `near` (within 1 GiB, if there is room), whose stub i, CODE_STUB_SIZE bytes each,
 * jumps to targets[i]. NULL: no memory. */
const uint8_t *code_make_stubs(uint64_t near, void (*const *targets)(void), unsigned count);

#endif
