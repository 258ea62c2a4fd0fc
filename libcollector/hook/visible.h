/* visible.h: programs do not find what only this library defines.
 *
 * The library exports the functions of C++ allocation, OpenMP, MPI and Java, since a program that
 * uses them must find ours first. A program that does not have them may test whether they exist: by
 * a weak reference, which is 0 then, or by dlsym(RTLD_DEFAULT). It gets the same answer as without
 * us.
 * See doc/decisions/45-visible-symbols.md. */
#ifndef XER_COLLECTOR_VISIBLE_H
#define XER_COLLECTOR_VISIBLE_H

/* When the program looks up a name by dlsym, call `find` first: if it returns something other than
 * NULL, that is the answer. Normal context. */
typedef void *visible_finder(void *handle, const char *name);
void visible_ask(visible_finder *find);

/* Clear the weak references of the loaded objects, and answer for dlsym from now on. Once, when the
 * library is initialized. If we attached to the process, nothing is bound to the library, so there
 * is nothing to clear, and its dlsym is never called. */
void visible_open(void);

#endif
