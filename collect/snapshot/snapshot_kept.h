/* snapshot_kept.h: what is special in a snapshot of a recording with --keep, of which the oldest
 * parts go while it is copied. */
#ifndef XER_COLLECT_SNAPSHOT_SNAPSHOT_KEPT_H
#define XER_COLLECT_SNAPSHOT_SNAPSHOT_KEPT_H

#include <stdint.h>

/* Since which event time there is all in the open directory of a founder; 0: all is, or nothing is
 * known. */
uint64_t snapshot_kept_from(int founder);

/* All files were copied from one open directory of a founder to another one, beginning at event
 * time `ticks`. Take out of the copy what was used again since, and write from which time on the
 * copy has all, which is in *since, too. bytes: of --keep, 0: any. Returns 0 or -errno. */
int snapshot_kept_finish(int from, int to, uint64_t bytes, uint64_t ticks, uint64_t *since);

#endif
