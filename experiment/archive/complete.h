/* complete.h: the files of a process that recorded nothing but its usage at its end. */
#ifndef XER_EXPERIMENT_ARCHIVE_COMPLETE_H
#define XER_EXPERIMENT_ARCHIVE_COMPLETE_H

struct experiment;

/* Write map.xml and overview, if the process of an experiment that has ended left it to others.
 * Returns 0, also if there is nothing to do, or -errno. */
int exp_complete(struct experiment *experiment);

#endif
