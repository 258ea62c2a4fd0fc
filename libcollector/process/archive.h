/* archive.h: the archive at the end of a process. */
#ifndef XER_LIBCOLLECTOR_PROCESS_ARCHIVE_H
#define XER_LIBCOLLECTOR_PROCESS_ARCHIVE_H

/* Run xer_archive on the experiment and wait for it, without the program's noticing. is_last:
 * nothing of the program runs afterwards. */
void archive_run(int is_last);

#endif
