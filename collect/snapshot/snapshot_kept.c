/* snapshot_kept.c: see snapshot_kept.h.
 *
 * An extent that was used again while it was copied is in the copy as a mixture of old and new
 * events. The old ones are from before what is kept by now, the new ones from after the snapshot:
 * nobody needs it. Which extents that may be, the ring tells; that one was, its first event. When
 * that has been looked at, it is asked from which time on all is there.
 * See doc/decisions/105-snapshots.md. */
#include "collect/snapshot/snapshot_kept.h"

#include "format/fdr.h"
#include "format/keep.h"
#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONTEXT, EVENTS };

static const struct {
	const char *name;
	uint8_t role;
} streams[] = {
#define STREAM(id, name, role) {name, role},
#include "format/datakind.def"
};

struct kept {
	int from, to;
	struct fmt_keep *keep;
	uint64_t bytes, ticks;
};

/* Of which file it is, as path[] below the founder's directory. Returns 0: of none that counts. */
static int path_of(const struct kept *kept, uint64_t what, char *path, size_t size)
{
	unsigned stream = fmt_keep_stream_of(what), process = fmt_keep_process_of(what);
	char name[FMT_KEEP_NAME];

	if (fmt_keep_state_of(what) == FMT_KEEP_FREE || stream >= FMT_STREAMS ||
	    streams[stream].role != EVENTS || process >= fmt_keep_processes(kept->bytes))
		return 0;
	memcpy(name, fmt_keep_process_at(kept->keep, process)->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (name[0] == '\0' || strchr(name, '/') || strcmp(name, "..") == 0)
		return 0;
	return snprintf(path, size, "%s/%s", name, streams[stream].name) < (int)size;
}

/* Does the extent that is at `at` begin with an event from after the snapshot, or is it about to?
 */
static int is_used_again(int fd, uint64_t at, uint64_t ticks)
{
	uint8_t head[FDR_PROLOGUE_SIZE];
	struct fdr_prologue prologue;

	if (pread(fd, head, sizeof(head), (off_t)at) != (ssize_t)sizeof(head))
		return 0;
	return fdr_prologue_get(head, &prologue) != 0 || prologue.tsc >= ticks;
}

/* Zeros are no events. */
static int clear(int fd, uint64_t at, uint64_t size)
{
	static const char zeros[FMT_KEEP_PAGE];
	struct stat file;
	uint64_t end = at + size;

	if (fstat(fd, &file) < 0)
		return -errno;
	if (end > (uint64_t)file.st_size)
		end = (uint64_t)file.st_size;
	if (at >= end || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
	                           (off_t)(end - at)) == 0)
		return 0;
	for (; at < end; at += sizeof(zeros))
		if (pwrite(fd, zeros, end - at < sizeof(zeros) ? end - at : sizeof(zeros),
		           (off_t)at) < 0)
			return -errno;
	return 0;
}

static int look_at(const struct kept *kept, const struct fmt_keep_extent *extent)
{
	uint64_t what = atomic_load(&extent->what), at = atomic_load(&extent->at);
	char path[FMT_KEEP_NAME + 32];
	int from, to, status = 0;

	if (at == 0 || atomic_load(&extent->begin) < kept->ticks ||
	    !path_of(kept, what, path, sizeof(path)))
		return 0;
	from = openat(kept->from, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	to = openat(kept->to, path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from >= 0 && to >= 0 && is_used_again(from, at, kept->ticks))
		status = clear(to, at, fmt_keep_size_of(what));
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return status;
}

/* Readers look at its head only. */
static int write_head(const struct kept *kept, uint64_t *since)
{
	struct fmt_keep head = {.bytes = atomic_load(&kept->keep->bytes),
	                        .from = atomic_load(&kept->keep->from),
	                        .dropped = atomic_load(&kept->keep->dropped)};
	int fd = openat(kept->to, FMT_FILE_ACCOUNT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                FMT_FILE_MODE);
	int status;

	if (fd < 0)
		return -errno;
	*since = atomic_load(&head.from);
	status = pwrite(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) ? 0 : -ENOSPC;
	close(fd);
	return status;
}

static int open_account(int founder)
{
	int fd = openat(founder, FMT_FILE_ACCOUNT, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

uint64_t snapshot_kept_from(int founder)
{
	struct fmt_keep head;
	int fd = open_account(founder);
	ssize_t got = fd < 0 ? -1 : pread(fd, &head, sizeof(head), 0);

	if (fd >= 0)
		close(fd);
	return got == (ssize_t)sizeof(head) ? atomic_load(&head.from) : 0;
}

int snapshot_kept_finish(int from, int to, uint64_t bytes, uint64_t ticks, uint64_t *since)
{
	const size_t size = (size_t)fmt_keep_file_size(bytes);
	struct kept kept = {.from = from, .to = to, .bytes = bytes, .ticks = ticks};
	int fd = open_account(from), status = 0;
	struct stat file;

	*since = 0;
	/* Without it, nothing was dropped. */
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (fstat(fd, &file) < 0 || (uint64_t)file.st_size < size) {
		close(fd);
		return 0;
	}
	kept.keep = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (kept.keep == MAP_FAILED)
		return -errno;
	for (uint64_t i = 0; status == 0 && i < fmt_keep_extents(bytes); i++)
		status = look_at(&kept, fmt_keep_extent_at(kept.keep, bytes, i));
	if (status == 0)
		status = write_head(&kept, since);
	munmap(kept.keep, size);
	return status;
}
