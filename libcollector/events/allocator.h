/* allocator.h: who allocates: the C library, a library in its place, or the program itself. */
#ifndef XER_COLLECTOR_ALLOCATOR_H
#define XER_COLLECTOR_ALLOCATOR_H

/* C++ operator new does not call malloc: the allocator has its own operator, which is recorded
 * itself. */
extern int operators_allocate __attribute__((visibility("hidden")));

/* Find out, and warn in log.xml of what will not be recorded. Normal context, at the start. */
void allocator_check(void);

#endif
