/* java_walk.h: steps of a walk over frames of Java code. */
#ifndef XER_COLLECTOR_JAVA_WALK_H
#define XER_COLLECTOR_JAVA_WALK_H

#include "libcollector/java/java_vm.h"
#include "libcollector/unwind/walk_step.h"

/* From the frame at walk->pc, in the code cache, to its caller. The frame of an interpreted method
 * gets its mark as a further frame outside of the address. Returns 0, or -1 when that cannot be.
 * Signal-safe. */
int java_walk_step(struct walk *walk);

#endif
