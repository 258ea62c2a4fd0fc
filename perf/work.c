/* work.c: see work.h. The records of all rings are read together in order of time, since what one
 * CPU reports about a process applies to its samples on the others.
 * See doc/decisions/52-copied-stacks.md. */
#include "perf/work.h"

#include "perf/kernelnames.h"
#include "perf/lane.h"
#include "perf/mapfile.h"
#include "perf/members.h"
#include "perf/space.h"

#include "format/layout.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* For perf_event_open(2). */
enum { ALL_THREADS = -1 };

enum { NS_PER_SECOND = 1000000000, SETTLED_NS = 2000000, BUSY_MS = 3, BUSY_NS = 100000000 };

struct work {
	struct work_settings settings;
	int files; /* the directory of them */
	struct lane *lanes;
	unsigned lane_count;
	struct pollfd *alive; /* [alive_count]: the end, then all events; fd < 0: everybody on it
	                         has ended */
	size_t alive_count, alive_capacity;
	uint64_t executed_ns; /* when the last program was executed */
	struct work_counts counts;
};

/* ---- records */

/* That a program has ended which has samples is told at once: the next one may have none. */
static void take_other(struct work *work, const struct ring_record *record)
{
	struct space *space;

	if (record->type == PERF_RECORD_COMM && (record->misc & PERF_RECORD_MISC_COMM_EXEC))
		work->executed_ns = ring_time(record);
	space_take(record);
	space = space_of_next(record);
	if (space)
		mapfile_tell_program(space);
	space = space_of_end(record);
	if (space)
		mapfile_tell_end(space, ring_time(record));
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* The lane with the oldest record before that time, or NULL. */
static struct lane *oldest_lane(struct work *work, uint64_t before_ns)
{
	struct lane *oldest = NULL;

	for (unsigned i = 0; i < work->lane_count; i++) {
		struct lane *lane = &work->lanes[i];

		if (!lane->has_record)
			lane->has_record = ring_peek(&lane->ring, &lane->record);
		if (lane->has_record && ring_time(&lane->record) < before_ns &&
		    (!oldest || ring_time(&lane->record) < ring_time(&oldest->record)))
			oldest = lane;
	}
	return oldest;
}

/* Of a CPU that others use, too. */
static int is_of_member(const struct ring_record *record)
{
	return record->type != PERF_RECORD_SAMPLE
	               ? members_take(record)
	               : record->count > 0 && members_have((pid_t)(uint32_t)record->words[0]);
}

/* Records that are as old as that are there on all CPUs. */
static void drain(struct work *work, uint64_t before_ns)
{
	struct lane *lane;

	while ((lane = oldest_lane(work, before_ns))) {
		int is_wanted = !work->settings.per_cpu || is_of_member(&lane->record);

		if (is_wanted && lane->record.type != PERF_RECORD_SAMPLE)
			take_other(work, &lane->record);
		if (is_wanted || lane->record.type != PERF_RECORD_SAMPLE)
			ring_take(&lane->ring, &lane->record, lane_take, lane, &lane->counts);
		else
			ring_pass(&lane->ring);
		lane->has_record = 0;
	}
	for (unsigned i = 0; i < work->lane_count; i++)
		(void)region_flush(
			&work->lanes[i].region); /* a failure has ended the file, and is counted */
	mapfile_flush();
	kernelnames_flush();
}

/* ---- beginning */

static int watch(struct work *work, int fd)
{
	if (work->alive_count == work->alive_capacity) {
		size_t capacity = work->alive_capacity > 0 ? 2 * work->alive_capacity : 64;
		struct pollfd *grown = realloc(work->alive, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		work->alive = grown;
		work->alive_capacity = capacity;
	}
	work->alive[work->alive_count++] = (struct pollfd){.fd = fd};
	return 0;
}

/* The first event on a CPU owns the ring. */
static int open_lane(struct work *work, int cpu, int fd)
{
	struct lane *lane = &work->lanes[work->lane_count];
	int status = ring_of_event(&lane->ring, fd, &work->settings.ring);

	if (status < 0)
		return status;
	status = lane_begin_file(lane, (unsigned)cpu, work->files, work->settings.file_bytes);
	if (status == 0)
		work->lane_count++;
	else
		ring_forget(&lane->ring);
	return status;
}

static struct lane *lane_of(const struct work *work, int cpu)
{
	for (unsigned i = 0; i < work->lane_count; i++)
		if (work->lanes[i].cpu == (unsigned)cpu)
			return &work->lanes[i];
	return NULL;
}

/* Sample a thread on a CPU. A thread that has ended meanwhile is none. Where whole CPUs are
 * sampled, the event counts the CPU time of the thread and of all that come from it, and tells
 * their end. */
static int open_event(struct work *work, pid_t tid, int cpu)
{
	struct ring_settings settings = work->settings.ring;
	const struct lane *lane = lane_of(work, cpu);
	int fd, status;

	if (work->settings.per_cpu)
		settings.period_ns = settings.stack_bytes = settings.tell_mappings = 0;
	fd = ring_event_open(tid, cpu, &settings);
	if (fd < 0)
		return fd == -ENODEV || fd == -ESRCH ? 0 : fd;
	status = lane ? ring_redirect(&lane->ring, fd) : open_lane(work, cpu, fd);
	if (status == 0)
		return watch(work, fd);
	close(fd);
	return status;
}

static int open_cpus(struct work *work)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF), status = 0;

	for (int cpu = 0; cpu < cpus && status == 0; cpu++) {
		int fd = ring_event_open(ALL_THREADS, cpu, &work->settings.ring);

		status = fd < 0 ? fd : open_lane(work, cpu, fd);
		if (fd >= 0 && status < 0)
			close(fd);
		if (status == -ENODEV)
			status = 0;
	}
	return status;
}

static int open_thread(struct work *work, pid_t tid)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	int status = 0;

	for (int cpu = 0; cpu < cpus && status == 0; cpu++)
		status = open_event(work, tid, cpu);
	return status;
}

/* Threads are listed once: one that is made by a thread that has its events already has inherited
 * them. */
static int open_threads(struct work *work)
{
	const struct dirent *entry;
	char path[48];
	int status = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)work->settings.pid);
	tasks = opendir(path);
	if (!tasks)
		return -ESRCH;
	while (status == 0 && (entry = readdir(tasks)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]))
			status = open_thread(work, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(tasks);
	return status;
}

static void remove_lanes_files(const struct work *work)
{
	for (unsigned i = 0; i < work->lane_count; i++)
		lane_remove_file(&work->lanes[i], work->files);
}

/* Files of a helper that cannot go on. */
static void remove_files(const struct work *work)
{
	remove_lanes_files(work);
	unlinkat(work->files, FMT_FILE_SAMPLER_MAP, 0);
	if (work->settings.ring.kernel_frames)
		unlinkat(work->files, FMT_FILE_SAMPLER_KERNEL, 0);
}

static void close_files(const struct work *work)
{
	for (unsigned i = 0; i < work->lane_count; i++)
		close(work->lanes[i].region.fd);
}

/* Let go of all rings and events. Events on which everybody has ended are told as -fd. */
static void close_events(struct work *work)
{
	for (unsigned i = 0; i < work->lane_count; i++)
		(work->settings.per_cpu ? ring_close : ring_forget)(&work->lanes[i].ring);
	for (size_t i = 1; i < work->alive_count; i++)
		close(abs(work->alive[i].fd));
	work->alive_count = 1;
	work->lane_count = 0;
}

static void switch_cpus(const struct work *work, int on)
{
	for (unsigned i = 0; i < work->lane_count; i++)
		ring_event_enable(work->lanes[i].ring.fd, on);
}

/* What a CPU runs before the process executes its program is dropped. */
static void begin_per_cpu(struct work *work)
{
	if (!work->settings.ring.enable_on_exec)
		return;
	members_expect(work->settings.pid);
	switch_cpus(work, 1);
}

/* The first rings may leave nothing for the others: then all are made smaller. */
static int open_events(struct work *work)
{
	struct ring_settings *settings = &work->settings.ring;
	size_t pages = 0;
	int status;

	do {
		settings->ring_pages = pages;
		status = work->settings.per_cpu ? open_cpus(work) : 0;
		if (status == 0)
			status = settings->enable_on_exec ? open_thread(work, work->settings.pid)
			                                  : open_threads(work);
		pages = status == -ENOMEM && work->lane_count > 0
		                ? ring_smaller(&work->lanes[0].ring, pages)
		                : 0;
		if (pages > 0) {
			remove_lanes_files(work);
			close_files(work);
			close_events(work);
		}
	} while (pages > 0);
	return status;
}

static int begin(struct work *work)
{
	int status;

	if (work->files < 0 || !work->lanes)
		return work->files < 0 ? -errno : -ENOMEM;
	status = mapfile_begin(work->files, work->settings.path, work->settings.archiver);
	if (status == 0 && work->settings.ring.kernel_frames)
		status = kernelnames_begin(work->files);
	if (status == 0)
		status = watch(work, work->settings.end);
	if (status == 0)
		work->alive[0].events = POLLIN;
	if (status == 0)
		status = open_events(work);
	if (status == 0 && work->settings.per_cpu)
		begin_per_cpu(work);
	return status == 0 && work->lane_count == 0 ? -ENOENT : status;
}

int work_open(struct work **out, const struct work_settings *settings)
{
	struct work *work = calloc(1, sizeof(*work));
	struct rlimit limit;
	int status;

	*out = work;
	if (!work)
		return -ENOMEM;
	/* A thread takes a descriptor for each CPU. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	work->settings = *settings;
	work->lanes = calloc((size_t)sysconf(_SC_NPROCESSORS_CONF), sizeof(*work->lanes));
	work->files = openat(settings->directory, settings->name,
	                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	status = begin(work);
	if (status < 0) {
		work_abandon(work);
		*out = NULL;
	}
	return status;
}

void work_abandon(struct work *work)
{
	remove_files(work);
	close_files(work);
	work_close(work);
}

void work_close(struct work *work)
{
	close_events(work);
	if (work->files >= 0)
		close(work->files);
	free(work->lanes);
	free(work->alive);
	free(work);
}

void work_enable(struct work *work)
{
	if (work->settings.per_cpu) {
		switch_cpus(work, 1);
		members_begin(work->settings.pid);
	}
	for (size_t i = 1; i < work->alive_count; i++)
		ring_event_enable(work->alive[i].fd, 1);
}

/* ---- end */

/* As the smallest ring wants it. How often other events than those of a clock come is not known. */
static int pause_ms(const struct work *work)
{
	const struct ring_settings *settings = &work->settings.ring;
	size_t smallest = SIZE_MAX;

	for (unsigned i = 0; i < work->lane_count; i++)
		if (work->lanes[i].ring.size < smallest)
			smallest = work->lanes[i].ring.size;
	if (settings->is_counter)
		return 1;
	return ring_pause_ms(smallest,
	                     settings->stack_bytes > 0 ? settings->stack_bytes + RING_STACK_EXTRA
	                                               : RING_SAMPLE_BYTES,
	                     settings->period_ns);
}

/* Command lines are gone with their processes: where programs are executed all the time, as builds
 * do, most of them live shortly. */
static int pause_now(const struct work *work, int ms)
{
	return ms > BUSY_MS && work->executed_ns != 0 && now_ns() - work->executed_ns < BUSY_NS
	               ? BUSY_MS
	               : ms;
}

/* Is sampling to end? If the other side is gone without a word, the process goes on being recorded,
 * and so it is sampled to its end. */
static int is_told_to_end(struct work *work)
{
	struct pollfd *end = &work->alive[0];
	char word;

	if (end->fd < 0 || !end->revents)
		return 0;
	if (read(end->fd, &word, 1) == 1)
		return 1;
	end->fd = -1;
	return 0;
}

/* An event hangs up when its thread and all that inherited it have ended. */
static int is_over(struct work *work)
{
	size_t count = 0;

	for (size_t i = 1; i < work->alive_count; i++) {
		if (work->alive[i].fd >= 0 && (work->alive[i].revents & POLLHUP))
			work->alive[i].fd = -work->alive[i].fd;
		count += work->alive[i].fd >= 0;
	}
	return count == 0 || is_told_to_end(work);
}

/* What a CPU clock counts is the time that it has sampled; others, all events, also those that were
 * left over. */
static void stop_events(struct work *work)
{
	if (work->settings.per_cpu)
		switch_cpus(work, 0);
	for (size_t i = 1; i < work->alive_count; i++) {
		int fd = abs(work->alive[i].fd);
		uint64_t ns = 0;

		ring_event_enable(fd, 0);
		if (read(fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
			work->counts.cpu_ns += ns;
	}
}

/* Wait for that, `ms` at most. Where poll fails, as by a filter of system calls, it does so again
 * and again: then nobody tells of the end of descendants, and that of the process has to do.
 * Returns 1 if there is nothing to wait for. */
static int wait_for_end(struct work *work, int ms)
{
	if (poll(work->alive, work->alive_count, ms) >= 0)
		return is_over(work);
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
	return kill(work->settings.pid, 0) < 0 && errno == ESRCH;
}

void work_run(struct work *work, struct work_counts *out)
{
	int ms = pause_ms(work), is_end;

	do {
		is_end = wait_for_end(work, pause_now(work, ms));
		drain(work, now_ns() - SETTLED_NS);
	} while (!is_end);
	stop_events(work);
	drain(work, UINT64_MAX);
	work->counts.no_map = mapfile_end();
	kernelnames_end();
	for (unsigned i = 0; i < work->lane_count; i++) {
		struct lane *lane = &work->lanes[i];
		const struct region *region = &lane->region;

		work->counts.samples += region->written_of[LANE_SAMPLE];
		work->counts.one_frame += region->written_of[LANE_ONE_FRAME];
		work->counts.cut_stacks += region->written_of[LANE_CUT_STACK];
		work->counts.deep_stacks += region->written_of[LANE_DEEP_STACK];
		work->counts.of_archiver += region->written_of[LANE_OF_ARCHIVER];
		work->counts.no_room += region->lost;
		lane_end_file(lane);
		work->counts.ring.bad_stacks += lane->counts.bad_stacks;
		work->counts.ring.throttled += lane->counts.throttled;
		work->counts.ring.lost += lane->counts.lost;
	}
	*out = work->counts;
}
