/* region.h: a region of samples: whole FXT records from front to back, in a part of a file. */
#ifndef XER_SAMPLER_REGION_H
#define XER_SAMPLER_REGION_H

#include <stddef.h>
#include <stdint.h>

enum {
	REGION_BATCH = 4096 /* words that wait for one write; holds every record of a region */,
	REGION_COUNTS = 5
};

/* Invariant: bytes [0, end) of the region are whole records, of which the last `waiting` words are
 * not yet written; end <= size. */
struct region {
	int fd;
	uint64_t base; /* of the region in the file, bytes */
	uint64_t size; /* bytes */
	uint64_t end;
	int is_full; /* a record did not fit: no more are taken */
	size_t waiting;
	uint64_t waiting_of[REGION_COUNTS],
		written_of[REGION_COUNTS]; /* records of each kind that wait, and that are in the
	                                      file */
	uint64_t lost; /* records of the first kind that are not, and wait no more */
	uint64_t words[REGION_BATCH];
};

/* Begin an empty region. The descriptor is borrowed. */
void region_init(struct region *region, int fd, uint64_t base, uint64_t size);

/* Append a record, words[count], count <= REGION_BATCH. Returns 0; -ENOSPC if it does not fit or
 * the region is full already, which it is from then on; or what region_flush returns. kinds  bit i:
 * it counts in written_of[i], once it is written; what i stands for is the caller's */
int region_put(struct region *region, const uint64_t *words, size_t count, unsigned kinds);

/* Write what waits. Returns 0 or -errno; then the region is full, and ends with the last record
 * that was written as a whole or where the write began. */
int region_flush(struct region *region);

#endif
