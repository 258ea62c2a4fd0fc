/* demangle.h: names of functions of C++, Rust and Fortran's modules as people write them. */
#ifndef XER_EXPERIMENT_SYMBOLS_DEMANGLE_H
#define XER_EXPERIMENT_SYMBOLS_DEMANGLE_H

#include "experiment/table/arena.h"

/* The name to show for a linker name: demangled, with "@VERSION" dropped, with compiler suffixes
 * such as .part.0 kept as " [clone .part.0]" and "@plt" kept as it is. `mangled` itself where
 * nothing is to change. Long or hostile names come back as they are. NULL if out of memory. */
const char *exp_demangle(struct exp_arena *arena, const char *mangled);

#endif
