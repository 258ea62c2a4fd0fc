/* follow.h: which descendants the user wants to be recorded (xcollect -F). */
#ifndef XER_COLLECTOR_FOLLOW_H
#define XER_COLLECTOR_FOLLOW_H

/* Is the process with this lineage, and its present program, to be recorded? Normal context, no
 * lock held. */
int follow_wants(const char *lineage);

#endif
