/* descendant.h: the place of this process among the descendants of the founder, and the places of
 * its children. experiment(5) describes the lineage: a forked child is _fN, an image that a process
 * executes is _xN, a child created in any other way is _cN; each is appended to the lineage of its
 * parent. */
#ifndef XER_LIBCOLLECTOR_PROCESS_DESCENDANT_H
#define XER_LIBCOLLECTOR_PROCESS_DESCENDANT_H

#include "libcollector/base/collector.h"

/* A new image has read its descriptor, col.descriptor.step: adopt the step. A process that its
 * parent did not name is a _cN of the expected image. Returns 1 if it is to be recorded, 0 if not:
 * then it only leads to its own descendants. At the start only. */
int descendant_begin(void);

/* The calling process is a forked child: `letter` and `number` name it. Returns as
 * descendant_begin.
 */
int descendant_fork(char letter, uint32_t number);

/* Are children and images of this process to be recorded? Signal-safe. */
static inline int descendant_is_followed(void)
{
	return col.is_followed;
}

/* The number of a child that is about to be created, 'f' or 'c'. Signal-safe. */
uint32_t descendant_number(char letter);

/* The name of a child of the calling process into lineage[LINEAGE_MAX]. Returns 0 or -ENAMETOOLONG.
 * Signal-safe. */
int descendant_child(char *lineage, char letter, uint32_t number);

/* The step of a child that libc creates, whose pid is not known in advance. Returns its number, 0
 * if its name is too long. Signal-safe. */
uint32_t descendant_step_child(struct descriptor_step *step);

/* The step of the image that the calling process executes. sharer: 0, or the number of a child that
 * shares this process's memory (vfork), whose image it is. Returns 0 or -ENAMETOOLONG. Signal-safe.
 */
int descendant_step_image(struct descriptor_step *step, uint32_t sharer);

#endif
