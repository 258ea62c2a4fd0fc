/* mapfile.h: sampler/map.fxt: the code that was mapped in processes that were sampled. */
#ifndef XER_PERF_MAPFILE_H
#define XER_PERF_MAPFILE_H

#include "perf/space.h"

/* Make the file in the directory. Returns 0 or -errno. One a process.
 *   experiment  its path, and
 *   archiver    that of xer_archive, which may run at the end of a recorded process, and is told
 * from the program's; borrowed */
int mapfile_begin(int directory, const char *experiment, const char *archiver);

/* A sample of the process was taken: write what was not yet written about it and its ancestors. */
void mapfile_tell(struct space *space, uint32_t pid, uint64_t time_ns);

/* The same for its program only. */
void mapfile_tell_program(struct space *space);

/* The process has ended. */
void mapfile_tell_end(const struct space *space, uint64_t time_ns);

/* Was there a sample of a program without a recorder? */
int mapfile_has_outsiders(void);

/* Write what waits; end the file. mapfile_end returns how much could not be written: programs, and
 * pieces of code. */
void mapfile_flush(void);
uint64_t mapfile_end(void);

#endif
