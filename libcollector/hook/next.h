/* next.h: the function behind a wrapper, for libraries that most programs do not have, or have in
 * no global scope. */
#ifndef XER_COLLECTOR_NEXT_H
#define XER_COLLECTOR_NEXT_H

/* The function `name` that code at `caller` would have been bound to without this library: that of
 * the only object that has one; of several, the one in the global scope, else in an object that the
 * caller's needs. NULL if there is none. Normal context. */
void *next_definition(const char *name, const void *caller);

#endif
