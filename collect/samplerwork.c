/* samplerwork.c: what the helper of --sampler does: an event and a ring for each CPU, which new threads and processes inherit, and a file
 * for each ring. Every file is whole records at every instant. See sampler.h. */
#include "sampler.h"

#include "format/fxt.h"
#include "format/layout.h"
#include "format/xml.h"
#include "sampler/region.h"
#include "sampler/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICKS_PER_SECOND = 1000000000, FILE_HEAD_WORDS = 1 + FXT_PROVIDER_WORDS_MAX + 2 };

struct lane {
	unsigned cpu;
	struct ring ring;
	struct region region;
	struct ring_counts counts;
	uint64_t no_room;
	struct sampler_work *work;
};

struct sampler_work {
	struct ring_settings settings;
	uint64_t file_bytes;
	int directory, files; /* the experiment, and its directory of files */
	struct lane *lanes;
	struct pollfd *alive; /* [lane_count]; fd < 0: everybody on that ring has ended */
	unsigned lane_count;
	uint64_t samples, one_frame, cut_stacks;
};

/* What ends up in log.xml. */
#define COUNTS(COUNT) \
	COUNT(sampler_samples, work->samples) \
	COUNT(sampler_cpu_ns, cpu_ns) \
	COUNT(sampler_one_frame, work->one_frame) \
	COUNT(sampler_cut_stacks, work->cut_stacks) \
	COUNT(sampler_bad_stacks, total.bad_stacks) \
	COUNT(sampler_throttled, total.throttled) \
	COUNT(sampler_in_kernel, (uint64_t)work->settings.in_kernel) \
	COUNT(lost_sampler, total.lost) \
	COUNT(lost_sampler_room, no_room)

/* ---- files */

/* The last word of a file is kept for the record that tells of losses. */
static int begin_file(struct lane *lane)
{
	uint64_t words[FILE_HEAD_WORDS];
	char name[24];
	size_t count;
	int len, fd;

	len = snprintf(name, sizeof(name), "cpu%u.fxt", lane->cpu);
	fd = openat(lane->work->files, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	count = fxt_put_magic(words);
	count += fxt_put_provider(words + count, lane->cpu + 1, name, (size_t)len - strlen(".fxt"));
	count += fxt_put_initialization(words + count, TICKS_PER_SECOND);
	region_init(&lane->region, fd, 0, lane->work->file_bytes - FXT_WORD_SIZE);
	region_put(&lane->region, words, count);
	return region_flush(&lane->region);
}

static void end_file(struct lane *lane)
{
	struct region *region = &lane->region;
	uint64_t word;

	if (lane->no_room > 0 || lane->counts.lost > 0) {
		fxt_put_provider_event(&word, lane->cpu + 1, FXT_PROVIDER_BUFFER_FULL);
		region->size += FXT_WORD_SIZE;
		region->is_full = 0;
		region_put(region, &word, 1);
		(void)region_flush(region); /* the counts in log.xml say it too */
	}
	(void)!ftruncate(region->fd, (off_t)region->end);
	close(region->fd);
}

/* ---- samples */

/* A stack that goes astray is kept as far as it can be true: code without frame pointers would be missing else. */
static void take(void *context, const struct ring_sample *sample)
{
	struct lane *lane = context;
	struct sampler_work *work = lane->work;
	uint64_t words[FXT_SAMPLE_HEAD_WORDS + RING_FRAMES_MAX];
	size_t size = fxt_put_sample(words, sample->time_ns, sample->pid, sample->tid, sample->pcs, sample->count);

	if (region_put(&lane->region, words, size) < 0) {
		lane->no_room++;
		return;
	}
	work->samples++;
	work->one_frame += sample->count == 1;
	work->cut_stacks += sample->is_bad != 0;
}

static void drain(struct sampler_work *work)
{
	for (unsigned i = 0; i < work->lane_count; i++) {
		struct lane *lane = &work->lanes[i];

		ring_drain(&lane->ring, take, lane, &lane->counts);
		(void)region_flush(&lane->region); /* a failure has ended the file */
	}
}

/* ---- beginning */

static int open_lane(struct sampler_work *work, int pid, int cpu)
{
	struct lane *lane = &work->lanes[work->lane_count];
	int fd = ring_event_open(pid, cpu, &work->settings);
	int status;

	if (fd < 0)
		return fd == -ENODEV ? 0 : fd;
	status = ring_of_event(&lane->ring, fd);
	if (status < 0)
		return status;
	lane->cpu = (unsigned)cpu;
	lane->work = work;
	work->alive[work->lane_count] = (struct pollfd){.fd = fd};
	status = begin_file(lane);
	work->lane_count += status == 0;
	return status;
}

/* Files of a helper that cannot go on. */
static void remove_files(const struct sampler_work *work)
{
	for (unsigned i = 0; i < work->lane_count; i++) {
		char name[24];

		snprintf(name, sizeof(name), "cpu%u.fxt", work->lanes[i].cpu);
		unlinkat(work->files, name, 0);
	}
}

int samplerwork_open(struct sampler_work **out, const struct request *request, int directory, int pid, int *in_kernel)
{
	struct sampler_work *work = calloc(1, sizeof(*work));
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	int status = 0;

	if (!work)
		return -ENOMEM;
	*in_kernel = ring_may_kernel();
	work->settings = (struct ring_settings){.period_ns = request->sampler_ns, .in_kernel = *in_kernel, .inherit = 1, .enable_on_exec = 1};
	work->file_bytes = request->sampler_bytes;
	work->directory = directory;
	work->files = openat(directory, FMT_DIR_SAMPLER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	work->lanes = calloc((size_t)cpus, sizeof(*work->lanes));
	work->alive = calloc((size_t)cpus, sizeof(*work->alive));
	if (work->files < 0 || !work->lanes || !work->alive)
		return work->files < 0 ? -errno : -ENOMEM;
	flock(work->files, LOCK_EX | LOCK_NB); /* readers see that somebody is writing */
	for (int cpu = 0; cpu < cpus && status == 0; cpu++)
		status = open_lane(work, pid, cpu);
	if (status == 0 && work->lane_count == 0)
		status = -ENOENT;
	if (status < 0)
		remove_files(work);
	*out = work;
	return status;
}

/* ---- end */

static int append(int log, const char *text, size_t len)
{
	static struct xml_append plan;
	char tail[2 * XML_PAGE];
	struct stat status;
	uint64_t start;
	ssize_t size;
	long end;

	if (fstat(log, &status) < 0)
		return -errno;
	start = status.st_size > (off_t)sizeof(tail) ? (uint64_t)status.st_size - sizeof(tail) : 0;
	size = pread(log, tail, sizeof(tail), (off_t)start);
	end = size < 0 ? -EIO : xml_end_find(tail, (size_t)size, FMT_LOG_CLOSE);
	if (end < 0 || xml_append_plan(&plan, start + (uint64_t)end, text, len, FMT_LOG_CLOSE) < 0)
		return -EIO;
	for (size_t i = 0; i < plan.count; i++)
		if (pwrite(log, plan.write[i].bytes, plan.write[i].len, (off_t)plan.write[i].at) != (ssize_t)plan.write[i].len)
			return -EIO;
	return 0;
}

static void put_count(struct xml_text *text, const char *name, uint64_t value)
{
	xml_put(text, "<count");
	xml_put_string(text, "name", name);
	xml_put_number(text, "value", value);
	xml_put(text, "/>\n");
}

/* The founder's process has ended, and nobody else writes to its log. */
static void write_counts(const struct sampler_work *work, uint64_t cpu_ns)
{
	struct ring_counts total = {0};
	uint64_t no_room = 0;
	char element[1024];
	struct xml_text text = XML_TEXT(element);
	int log;

	for (unsigned i = 0; i < work->lane_count; i++) {
		total.bad_stacks += work->lanes[i].counts.bad_stacks;
		total.throttled += work->lanes[i].counts.throttled;
		total.lost += work->lanes[i].counts.lost;
		no_room += work->lanes[i].no_room;
	}
#define COUNT(name, value) put_count(&text, #name, value);
	COUNTS(COUNT)
#undef COUNT
	log = openat(work->directory, FMT_FILE_LOG, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (log < 0)
		return;
	append(log, text.at, text.len);
	close(log);
}

/* A ring holds 400 of the largest samples; it is looked at each 100 periods, within limits. */
static int pause_ms(uint64_t period_ns)
{
	uint64_t ms = period_ns * 100 / 1000000;

	if (ms < 1)
		return 1;
	return ms < 50 ? (int)ms : 50;
}

/* An event hangs up when its process and all that inherited it have ended. Returns how many have not. */
static unsigned count_alive(struct sampler_work *work)
{
	unsigned count = 0;

	for (unsigned i = 0; i < work->lane_count; i++) {
		if (work->alive[i].fd >= 0 && (work->alive[i].revents & POLLHUP))
			work->alive[i].fd = -1;
		count += work->alive[i].fd >= 0;
	}
	return count;
}

void samplerwork_run(struct sampler_work *work)
{
	int ms = pause_ms(work->settings.period_ns);
	uint64_t cpu_ns = 0;

	do {
		poll(work->alive, work->lane_count, ms);
		drain(work);
	} while (count_alive(work) > 0);
	drain(work);
	for (unsigned i = 0; i < work->lane_count; i++) {
		uint64_t ns = 0;

		/* What a CPU clock counts is the time that it has sampled. */
		if (read(work->lanes[i].ring.fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
			cpu_ns += ns;
		end_file(&work->lanes[i]);
	}
	write_counts(work, cpu_ns);
	_exit(0);
}
