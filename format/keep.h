/* keep.h: the file FMT_FILE_ACCOUNT under xcollect --keep: which parts of which data files hold
 * what is kept, of all processes of a recording.
 *
 * The file is a head on a page of its own, then processes, then extents in a ring: the oldest are
 * at the hand. xcollect makes it, recorded processes map it and change it without locks, readers
 * take from the head from which time on nothing is missing.
 * See doc/decisions/103-keep.md. */
#ifndef XER_FORMAT_KEEP_H
#define XER_FORMAT_KEEP_H

#include <stdatomic.h>
#include <stdint.h>

struct fmt_keep {
	_Atomic uint64_t bytes;   /* of all files together, as they take room on the disk */
	_Atomic uint64_t from;    /* event time since when all is kept; 0: all is */
	_Atomic uint64_t dropped; /* bytes that gave their place to newer ones */
	_Atomic uint64_t writers; /* extents of events where somebody writes */
	_Atomic uint64_t context; /* bytes of usage samples and names of threads */
	_Atomic uint64_t
		next; /* position of the next extent; its place is that modulo the number */
	_Atomic uint64_t hand; /* position of the oldest extent */
};

/* Names of directories are at most LINEAGE_MAX and a suffix long. */
enum { FMT_KEEP_NAME = 256 };

struct fmt_keep_process {
	_Atomic uint32_t pid;     /* 0: it has ended */
	_Atomic uint32_t count;   /* of its extents, and 1 while it is registered; 0: it is free */
	_Atomic uint64_t space;   /* inode of the name space of its pid */
	_Atomic uint64_t stacks;  /* where its present part of frameinfo begins */
	char name[FMT_KEEP_NAME]; /* of its directory in that of the founder; "." for that */
};

enum fmt_keep_state {
	FMT_KEEP_FREE,
	FMT_KEEP_HELD,  /* its process writes there, or refers to it */
	FMT_KEEP_FULL,  /* nobody writes there any more */
	FMT_KEEP_GOING, /* somebody is about to drop or to move it */
};

struct fmt_keep_extent {
	_Atomic uint64_t what;  /* see fmt_keep_what; 0: free */
	_Atomic uint64_t at;    /* offset in its file; 0: not known yet */
	_Atomic uint64_t begin; /* event time at which it got its place in the ring */
	_Atomic uint64_t end;   /* that of its last event, once it is full */
	_Atomic uint64_t position;
};

/* state | stream << 8 | number of the process << 16 | size / 4096 << 32 */
static inline uint64_t fmt_keep_what(enum fmt_keep_state state, unsigned stream, unsigned process,
                                     uint32_t size)
{
	return (uint64_t)state | (uint64_t)stream << 8 | (uint64_t)process << 16 |
	       (uint64_t)(size >> 12) << 32;
}

static inline enum fmt_keep_state fmt_keep_state_of(uint64_t what)
{
	return (enum fmt_keep_state)(what & 0xff);
}

static inline unsigned fmt_keep_stream_of(uint64_t what)
{
	return (unsigned)(what >> 8 & 0xff);
}

static inline unsigned fmt_keep_process_of(uint64_t what)
{
	return (unsigned)(what >> 16 & 0xffff);
}

static inline uint32_t fmt_keep_size_of(uint64_t what)
{
	return (uint32_t)(what >> 32) << 12;
}

/* How many there are of each, if so many bytes are kept (0: any number); and the size of the file.
 */
enum { FMT_KEEP_PAGE = 4096 };

static inline uint32_t fmt_keep_between(uint64_t wanted, uint32_t least, uint32_t most)
{
	return wanted < least ? least : wanted > most ? most : (uint32_t)wanted;
}

static inline uint32_t fmt_keep_extents(uint64_t bytes)
{
	return bytes ? fmt_keep_between(bytes / FMT_KEEP_PAGE, 512, 1 << 18) : 1 << 16;
}

static inline uint32_t fmt_keep_processes(uint64_t bytes)
{
	return bytes ? fmt_keep_between(bytes >> 16, 64, 4096) : 4096;
}

static inline uint64_t fmt_keep_file_size(uint64_t bytes)
{
	uint64_t size = FMT_KEEP_PAGE +
	                fmt_keep_processes(bytes) * sizeof(struct fmt_keep_process) +
	                fmt_keep_extents(bytes) * sizeof(struct fmt_keep_extent);

	return (size + FMT_KEEP_PAGE - 1) / FMT_KEEP_PAGE * FMT_KEEP_PAGE;
}

static inline struct fmt_keep_process *fmt_keep_process_at(struct fmt_keep *keep, unsigned number)
{
	uint8_t *table = (uint8_t *)keep + FMT_KEEP_PAGE;

	return (struct fmt_keep_process *)(void *)table + number;
}

static inline struct fmt_keep_extent *fmt_keep_extent_at(struct fmt_keep *keep, uint64_t bytes,
                                                         uint64_t position)
{
	uint8_t *table = (uint8_t *)fmt_keep_process_at(keep, fmt_keep_processes(bytes));

	return (struct fmt_keep_extent *)(void *)table + position % fmt_keep_extents(bytes);
}

#endif
