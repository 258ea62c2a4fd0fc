/* lane.c: see lane.h. Every file consists of whole records at every instant.
 * See doc/decisions/52-copied-stacks.md. */
#include "perf/lane.h"

#include "perf/kernelnames.h"
#include "perf/mapfile.h"
#include "perf/space.h"
#include "perf/unwind.h"

#include "format/fxt.h"
#include "format/layout.h"
#include "format/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TICKS_PER_SECOND = 1000000000, NAME_SIZE = 24 };

/* ---- files */

/* Returns its length. */
static int name_file(unsigned cpu, char name[NAME_SIZE])
{
	return snprintf(name, NAME_SIZE, "cpu%u.fxt", cpu);
}

/* The last word of a file is kept for the record that tells of losses. */
int lane_begin_file(struct lane *lane, unsigned cpu, int files, uint64_t file_bytes)
{
	uint64_t words[FXT_FILE_HEAD_WORDS];
	char name[NAME_SIZE];
	size_t count;
	int len = name_file(cpu, name), status;
	int fd = openat(files, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FMT_FILE_MODE);

	if (fd < 0)
		return -errno;
	lane->cpu = cpu;
	count = fxt_put_file_header(words, cpu + 1, name, (size_t)len - strlen(".fxt"),
	                            TICKS_PER_SECOND);
	region_init(&lane->region, fd, 0, file_bytes - FXT_WORD_SIZE);
	region_put(&lane->region, words, count, 0);
	status = region_flush(&lane->region);
	if (status == 0)
		return 0;
	close(fd);
	unlinkat(files, name, 0);
	return status;
}

void lane_end_file(struct lane *lane)
{
	struct region *region = &lane->region;
	uint64_t word;

	if (region->lost > 0 || lane->counts.lost > 0) {
		fxt_put_provider_event(&word, lane->cpu + 1, FXT_PROVIDER_BUFFER_FULL);
		region->size += FXT_WORD_SIZE;
		region->is_full = 0;
		region_put(region, &word, 1, 0);
		(void)region_flush(region); /* the counts in log.xml say it too */
	}
	(void)!ftruncate(region->fd, (off_t)region->end);
	close(region->fd);
}

void lane_remove_file(const struct lane *lane, int files)
{
	char name[NAME_SIZE];

	name_file(lane->cpu, name);
	unlinkat(files, name, 0);
}

/* ---- samples */

/* A stack that goes astray is kept as far as it can be right: otherwise code without frame pointers
 * would be missing. A stack that is not complete ends with a mark, so that its last frame is not
 * taken for the start of a thread. */
static void put_sample(struct lane *lane, const struct ring_sample *sample, unsigned kinds)
{
	uint64_t
		words[FXT_SAMPLE_HEAD_WORDS + FXT_SYSTEM_WORDS + RING_KERNEL_MAX + RING_FRAMES_MAX];
	uint64_t pcs[RING_KERNEL_MAX + RING_FRAMES_MAX];
	size_t kernel = sample->kernel_count, count = kernel + sample->count, size;

	memcpy(pcs, sample->kernel, kernel * sizeof(*pcs));
	memcpy(pcs + kernel, sample->pcs, sample->count * sizeof(*pcs));
	if (sample->is_bad || sample->is_deep) {
		count -= sample->count == RING_FRAMES_MAX;
		pcs[count++] = FMT_PC_TRUNCATED;
	}
	kernelnames_tell(sample->kernel, kernel);
	size = (sample->in_kernel ? fxt_put_system_sample : fxt_put_sample)(
		words, sample->time_ns, sample->pid, sample->tid, pcs, count);
	(void)region_put(&lane->region, words, size,
	                 kinds | 1 << LANE_SAMPLE | (sample->count == 1) << LANE_ONE_FRAME |
	                         (sample->is_bad != 0) << LANE_CUT_STACK |
	                         (sample->is_deep != 0) << LANE_DEEP_STACK);
}

void lane_take(void *context, const struct ring_sample *sample)
{
	struct lane *lane = context;
	struct space *space = space_of((pid_t)sample->pid);
	struct ring_sample unwound;

	if (space)
		mapfile_tell(space, sample->pid, sample->time_ns);
	if (lane->ring.has_stacks && space) {
		unwound = *sample;
		unwind(space, &unwound);
		sample = &unwound;
	}
	/* The archiver does not belong to the program: readers leave its samples out. */
	put_sample(lane, sample,
	           space && space_image(space)->is_archiver ? 1 << LANE_OF_ARCHIVER : 0);
}
