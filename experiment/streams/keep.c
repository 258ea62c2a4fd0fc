/* keep.c: see keep.h. The events of one kind go back further than those of another one, and those
 * of one thread further than those of another one. So all readers begin where all is there. See
 * doc/decisions/103-keep.md. */
#include "experiment/streams/keep.h"

#include "format/keep.h"
#include "format/layout.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int asked(const struct experiment *experiment)
{
	return strcmp(experiment_setting(experiment, "keep_bytes", "0"), "0") != 0 ||
	       strcmp(experiment_setting(experiment, "keep_ms", "0"), "0") != 0;
}

/* Returns 1 with the head of the file, or 0. */
static int read_head(const struct experiment *experiment, struct fmt_keep *out)
{
	int directory = open(experiment->founder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	ssize_t got = -1;

	fd = directory < 0 ? -1 : exp_file_open(directory, FMT_FILE_ACCOUNT);
	if (fd >= 0) {
		got = pread(fd, out, sizeof(*out), 0);
		close(fd);
	}
	if (directory >= 0)
		close(directory);
	return got == (ssize_t)sizeof(*out);
}

/* Whatever is dropped or used again, this gets higher before that. */
static uint64_t stamp_of(const struct fmt_keep *head)
{
	return atomic_load(&head->from) + atomic_load(&head->dropped) + atomic_load(&head->next) +
	       atomic_load(&head->hand);
}

static void begin_at(struct experiment *experiment, const struct fmt_keep *head, uint64_t ticks)
{
	double from_s = exp_clock_seconds(&experiment->clock, ticks);

	experiment->kept_from = ticks;
	experiment->kept_stamp = stamp_of(head);
	experiment->info.kept_from_s = from_s > 0 ? from_s : 0;
	experiment->info.kept_dropped = atomic_load(&head->dropped);
}

void exp_keep_read(struct experiment *experiment)
{
	struct fmt_keep head;

	experiment->info.is_kept = asked(experiment);
	if (!experiment->info.is_kept || !read_head(experiment, &head))
		return;
	begin_at(experiment, &head, atomic_load(&head.from));
}

/* How much later than what was dropped the next try begins: as much as that has moved, and at most
 * the middle of what is left. */
static uint64_t step(uint64_t before, uint64_t now, uint64_t last)
{
	uint64_t moved = before ? now - before : 0, most = last > now ? (last - now) / 2 : 0;

	return moved < most ? moved : most;
}

int exp_keep_has_moved(struct experiment *experiment, uint64_t last)
{
	const uint64_t before = experiment->kept_from;
	struct fmt_keep head;
	uint64_t now;

	if (!experiment->info.is_kept || !read_head(experiment, &head))
		return 0;
	now = atomic_load(&head.from);
	if (now <= before)
		return 0;
	begin_at(experiment, &head, now + step(before, now, last));
	return 1;
}

int exp_keep_is_moving(const struct experiment *experiment)
{
	struct fmt_keep head;

	if (!experiment->info.is_kept || !read_head(experiment, &head) ||
	    atomic_load(&head.from) == 0)
		return 0;
	return exp_is_live(experiment) || stamp_of(&head) != experiment->kept_stamp;
}
