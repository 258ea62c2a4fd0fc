/* visible.h: programs do not find what this library alone defines.
 *
 * It exports the functions of C++'s allocation, OpenMP, MPI and Java, since a program that has them
 * must find ours first. One that has not may ask whether it has: by a weak reference, which is 0
 * then, or by dlsym(RTLD_DEFAULT). It gets the answer that it gets without us.
 * See doc/decisions/45-visible-symbols.md. */
#ifndef XER_COLLECTOR_VISIBLE_H
#define XER_COLLECTOR_VISIBLE_H

#include <dlfcn.h>

/* The C library's dlsym, which ours stands in front of. RTLD_NEXT means: behind this library. */
#define dlsym(handle, name) (visible_dlsym()(handle, name))
typedef void *visible_dlsym_function(void *handle, const char *name);
visible_dlsym_function *visible_dlsym(void);

/* Clear the weak references of the loaded objects, and answer for dlsym from now on. Once, when the
 * library is initialized. In a process that it came into later nothing is bound to it, so there is
 * nothing to clear, and nobody calls its dlsym. */
void visible_open(void);

#endif
