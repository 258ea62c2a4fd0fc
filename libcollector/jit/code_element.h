/* code_element.h: code in memory that belongs to no file: an element <code> of map.xml. */
#ifndef XER_LIBCOLLECTOR_JIT_CODE_ELEMENT_H
#define XER_LIBCOLLECTOR_JIT_CODE_ELEMENT_H

#include <stdint.h>

/* Write an element <code> for [address, address + size) in a region that begins at `start`; offset:
 * that of its contents in dyntext, UINT64_MAX: there are none. Returns 0 or -errno. Signal-safe. */
int code_element_write(uint64_t address, uint64_t size, uint64_t start, uint64_t offset);

#endif
