/* visible.h: programs do not find what this library alone defines.
 *
 * It exports the functions of C++'s allocation, OpenMP, MPI and Java, since a program that has them
 * must find ours first. One that has not may ask whether it has: by a weak reference, which is 0
 * then, or by dlsym(RTLD_DEFAULT). It gets the answer that it gets without us.
 * See doc/decisions/45-visible-symbols.md. */
#ifndef XER_COLLECTOR_VISIBLE_H
#define XER_COLLECTOR_VISIBLE_H

/* Ask `find` first when the program looks for a name by dlsym: what it gives that is not NULL is
 * the answer. Normal context. */
typedef void *visible_finder(void *handle, const char *name);
void visible_ask(visible_finder *find);

/* Clear the weak references of the loaded objects, and answer for dlsym from now on. Once, when the
 * library is initialized. In a process that it came into later nothing is bound to it, so there is
 * nothing to clear, and nobody calls its dlsym. */
void visible_open(void);

#endif
