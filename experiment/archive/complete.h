/* complete.h: files of an experiment that its process leaves to the archiver. */
#ifndef XER_EXPERIMENT_ARCHIVE_COMPLETE_H
#define XER_EXPERIMENT_ARCHIVE_COMPLETE_H

struct experiment;

/* Write map.xml and overview, if the process of an experiment that has ended left them to others,
 * and JAVA_CLASSES, if it ran Java. Those that are there stay. Returns 0, also if there is nothing
 * to do, or -errno. */
int exp_complete(struct experiment *experiment);

#endif
