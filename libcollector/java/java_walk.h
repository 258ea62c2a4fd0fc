/* java_walk.h: steps of a walk over frames of Java code. */
#ifndef XER_COLLECTOR_JAVA_WALK_H
#define XER_COLLECTOR_JAVA_WALK_H

#include "libcollector/java/java_vm.h"
#include "libcollector/unwind/walk_step.h"

/* Go from the frame at walk->pc, in the code cache, to its caller. For an interpreted method, its
 * mark is added as the caller of the frame with the address. Returns 0, or -1 if that is
 * impossible. Signal-safe. */
int java_walk_step(struct walk *walk);

#endif
