/* unmapped.h: code in call stacks that lies in no object of the loader: JIT code, of whatever
 * compiler.
 *
 * Often nobody says what it is. So each page of it is an element <code> of map.xml, and its
 * contents are kept in dyntext, so that it can be disassembled. A page that changes is written
 * again, a limited number of times. */
#ifndef XER_LIBCOLLECTOR_JIT_UNMAPPED_H
#define XER_LIBCOLLECTOR_JIT_UNMAPPED_H

#include <stdint.h>

/* There is a frame without unwinding rules at pc. Signal-safe; mostly a look-up in a table. */
void unmapped_see(uint64_t pc);

/* The library is initialized: from now on, walks report such frames. */
void unmapped_load(void);

/* In a forked child, and before another recording of a process: there are no files yet. */
void unmapped_forget(void);

#endif
