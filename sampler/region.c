/* region.c: see region.h. Written by pwrite(2) and not through a mapping, so that a full disk or
 * lack of memory is an error here and not a signal for the program. */
#include "sampler/region.h"

#include "format/retry.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void region_init(struct region *region, int fd, uint64_t base, uint64_t size)
{
	region->fd = fd;
	region->base = base;
	region->size = size;
	region->end = 0;
	region->is_full = 0;
	region->waiting = 0;
	region->lost = 0;
	for (int i = 0; i < REGION_COUNTS; i++)
		region->waiting_of[i] = region->written_of[i] = 0;
}

/* What waited is written, or never will be. */
static void count_waiting(struct region *region, int is_written)
{
	if (!is_written)
		region->lost += region->waiting_of[0];
	for (int i = 0; i < REGION_COUNTS; i++) {
		region->written_of[i] += is_written ? region->waiting_of[i] : 0;
		region->waiting_of[i] = 0;
	}
}

int region_flush(struct region *region)
{
	const char *bytes = (const char *)region->words;
	size_t size = region->waiting * sizeof(region->words[0]), done = 0;
	uint64_t at = region->end - size;
	unsigned tries = 0;
	const uint64_t end_mark = 0;

	region->waiting = 0;
	while (done < size) {
		ssize_t written = pwrite(region->fd, bytes + done, size - done,
		                         (off_t)(region->base + at + done));

		if (retry_call(written, &tries))
			continue;
		if (written <= 0) {
			int status = written < 0 ? -errno : -ENOSPC;

			/* A record cut short is worse than none: readers end at a zero. */
			region->end = at;
			region->is_full = 1;
			count_waiting(region, 0);
			if (done > 0)
				(void)!pwrite(region->fd, &end_mark, sizeof(end_mark),
				              (off_t)(region->base + at));
			return status;
		}
		done += (size_t)written;
	}
	count_waiting(region, 1);
	return 0;
}

/* Make room for a record. */
static int reserve(struct region *region, size_t count)
{
	if (region->is_full || count * sizeof(region->words[0]) > region->size - region->end) {
		region->is_full = 1;
		return -ENOSPC;
	}
	return count > REGION_BATCH - region->waiting ? region_flush(region) : 0;
}

int region_put(struct region *region, const uint64_t *words, size_t count, unsigned kinds)
{
	uint64_t size = count * sizeof(*words);
	int status = reserve(region, count);

	if (status < 0) {
		region->lost += kinds & 1;
		return status;
	}
	for (int i = 0; i < REGION_COUNTS; i++)
		region->waiting_of[i] += kinds >> i & 1;
	memcpy(region->words + region->waiting, words, size);
	region->waiting += count;
	region->end += size;
	return 0;
}
