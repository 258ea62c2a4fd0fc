/* entries.h: function tracing of code whose entries have room to be patched:
 * -fpatchable-function-entry=N[,M] of gcc and clang, and -pg -mnop-mcount -mrecord-mcount of gcc.
 */
#ifndef XER_COLLECTOR_ENTRIES_H
#define XER_COLLECTOR_ENTRIES_H

#include "libcollector/object/elffile.h"

/* Patch the entries of an object, if function tracing uses entries (returns.h). is_idle: no other
 * thread can be in its code; otherwise it is left alone. Between code_begin and code_end. */
void entries_see(const struct elffile *file, uint64_t bias, int is_idle);

#endif
