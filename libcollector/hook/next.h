/* next.h: the function behind a wrapper, for libraries that most programs do not have, or do not
 * have in the global scope. */
#ifndef XER_COLLECTOR_NEXT_H
#define XER_COLLECTOR_NEXT_H

/* The function `name` to which code at `caller` would be bound without this library: that of the
 * only object that has one; if there are several, the one in the global scope, otherwise that in an
 * object on which the caller's object depends. NULL if there is none. Normal context. */
void *next_definition(const char *name, const void *caller);

/* The first definition in the objects behind this library, chosen by nobody's code; NULL if there
 * is none. Allocates nothing and takes no lock: for use inside of a look-up. */
void *next_in_order(const char *name);

#endif
