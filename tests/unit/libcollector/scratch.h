/* scratch.h: an experiment directory in which the collector's modules can be tested in this
 * process. */
#ifndef XER_TESTS_COLLECTOR_SCRATCH_H
#define XER_TESTS_COLLECTOR_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* Create a directory with empty log.xml and map.xml and open it for the collector. Fails the test
 * if it cannot. */
void scratch_open(void);
void scratch_remove(void);

/* Let events end as in a recording (recording.c), with these sources of events. */
struct source;
void scratch_host(const struct source *first, unsigned count);

/* Contents of a file of the directory, NUL-terminated, malloc'ed; NULL if there is none. */
char *scratch_read(const char *name, size_t *len);

/* The first `most` records of a kind in an event file, of `size` bytes each. Returns how many there
 * are. */
int scratch_records(const char *name, unsigned kind, void *records, size_t size, int most);

/* How often `what` occurs in a file; 0 if there is no file. */
int scratch_count(const char *name, const char *what);

/* The path of a file of tests/programs/late, which is next to the unit programs, in
 * path[PATH_MAX]. */
void scratch_path(const char *name, char *path);

/* Open one of its libraries. Fails the test if it cannot. */
void *scratch_load(const char *name, int flags);

#endif
