/* keep.h: xcollect --keep: recording goes on when the files of all processes have the size that
 * was asked for, and the oldest goes.
 *
 * Extents of all files of all processes stand in one ring in the file FMT_FILE_ACCOUNT, by age
 * (format/keep.h). Who needs room for an extent takes that of the oldest one: in place, if it is of
 * the same file and size; otherwise it is given back to the file system. An extent that somebody
 * writes to is passed over. All of it is signal-safe, and not for callers that have a lock of a
 * stream or of an XML file. Without --keep, nothing is done.
 * See doc/decisions/103-keep.md. */
#ifndef XER_COLLECTOR_KEEP_H
#define XER_COLLECTOR_KEEP_H

#include "libcollector/base/collector.h"

/* Room for an extent. */
struct keep_room {
	int is_counted; /* it was found in the ring, or counted there */
	uint32_t size;
	uint32_t kept; /* its number in the ring; 0: it is not there, and never dropped */
	int is_again;  /* it is a part of the file that was used before, at `at` */
	uint64_t at;
};

/* Is anything to be dropped? 0 also if the ring cannot be had: then events end at the size. */
int keep_is_on(void);

/* Have room for an extent of `size` bytes of a file. Returns 0, or -EDQUOT: all that is there is in
 * use, for the moment. keep_settle says what has become of it; signals are blocked from here to
 * there. */
int keep_make_room(enum fmt_stream stream, uint32_t size, struct keep_room *out);

/* The extent is at offset `at`, or if error < 0, there is none. Also with a lock of a stream. */
void keep_settle(const struct keep_room *room, int error, uint64_t at);

/* A part of a file that is never dropped. */
void keep_count(uint32_t size);

/* Nobody writes to extent number `kept` any more (0: nothing to do). Returns its offset. */
uint64_t keep_give(uint32_t kept);

/* The process has a new part of frameinfo, from offset `at` on: nodes before it will be referred to
 * only by what there is already. */
void keep_begin_stacks(uint64_t at);

/* The longest extent, and the longest part of frameinfo, that suit the size; `most` if there is
 * none. */
uint64_t keep_longest(uint64_t most);
uint64_t keep_most_stacks(uint64_t most);

/* The directory of the process is about to have another name: nobody finds it meanwhile. Then it
 * has that name, or as before if NULL. */
void keep_begin_rename(void);
void keep_rename(const char *name);

/* In a forked child: it is another process; and when the recording is over. */
void keep_begin_child(void);

#endif
