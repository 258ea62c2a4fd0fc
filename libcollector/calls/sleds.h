/* sleds.h: function tracing of code that clang compiled with -fxray-instrument, in the program and
 * in shared objects. */
#ifndef XER_COLLECTOR_SLEDS_H
#define XER_COLLECTOR_SLEDS_H

#include "libcollector/object/elffile.h"

/* Patch the sleds of an object that has them, unless that was done. Between code_begin and
 * code_end. */
void sleds_see(const struct elffile *file, uint64_t bias);

/* Write all names again, into the file of another process. Signal-safe. */
void sleds_name_all(void);

/* Restore all patched code that can still be executed: the rest of each sled is never reached. */
void sleds_restore(void);

/* Has something else patched an object later, as LLVM's runtime does in a constructor? Noted in
 * log.xml, once. Signal-safe. */
void sleds_look(void);

/* Objects were unloaded. */
void sleds_forget(void);

#endif
