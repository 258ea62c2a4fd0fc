/* session.c: see session.h. There is an event for each attached thread and CPU, since only events
 * of one CPU can share a ring: so there are as many rings as CPUs, and a region gets its samples in
 * order of time. All writing is done by the reader thread, which blocks all signals that can be: a
 * limit on file sizes is an error to it and not the program's death.
 * See doc/decisions/50-sampler.md. */
#include "sampler/session.h"

#include "sampler/region.h"
#include "sampler/ring.h"
#include "sampler/threads.h"

#include "format/fxt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* A CPU. */
struct lane {
	int cpu;
	struct ring ring;
	struct region *region;
	struct session *session;
};

struct session {
	struct ring_settings settings;
	size_t region_size;
	int memory; /* of all regions */
	int wake;   /* eventfd: the reader is to end */
	int is_running, is_abandoned;
	pthread_t reader;
	struct lane *lanes;
	unsigned lane_count;
	struct threads threads;
	pthread_mutex_t
		lock; /* of what the reader changes while it runs: regions and the counts below */
	struct ring_counts counts;
};

/* What records of a region are. */
enum { SAMPLE = 1 << 0, ONE_FRAME = 1 << 1 };

/* ---- the reader */

static void take(void *context, const struct ring_sample *sample)
{
	struct lane *lane = context;
	struct session *session = lane->session;
	uint64_t words[FXT_SAMPLE_HEAD_WORDS + RING_FRAMES_MAX];
	size_t size;

	if (sample->is_bad) {
		session->counts.bad_stacks++;
		return;
	}
	size = fxt_put_sample(words, sample->time_ns, sample->pid, sample->tid, sample->pcs,
	                      sample->count);
	(void)region_put(lane->region, words, size,
	                 SAMPLE | (sample->count == 1 ? ONE_FRAME
	                                              : 0)); /* it counts what it does not take */
}

static void drain(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	for (unsigned i = 0; i < session->lane_count; i++) {
		struct lane *lane = &session->lanes[i];

		ring_drain(&lane->ring, take, lane, &session->counts);
		(void)region_flush(lane->region); /* a failure has ended the region */
	}
	pthread_mutex_unlock(&session->lock);
}

/* As the smallest ring wants it. */
static int pause_ms(const struct session *session)
{
	size_t smallest = SIZE_MAX;

	for (unsigned i = 0; i < session->lane_count; i++)
		if (session->lanes[i].ring.size < smallest)
			smallest = session->lanes[i].ring.size;
	return ring_pause_ms(smallest, RING_SAMPLE_BYTES, session->settings.period_ns);
}

/* libc's own signals cannot be blocked: a thread that takes another user or group sends them to all
 * others. */
static int is_to_end(const struct session *session)
{
	struct pollfd wake = {.fd = session->wake, .events = POLLIN};
	int status = poll(&wake, 1, pause_ms(session));

	return status > 0 || (status < 0 && errno != EINTR);
}

static void *read_rings(void *context)
{
	struct session *session = context;

	while (!is_to_end(session))
		drain(session);
	drain(session);
	return NULL;
}

/* ---- life */

static int open_lane(struct session *session, int cpu)
{
	struct lane *lane = &session->lanes[session->lane_count];
	int status = ring_open(&lane->ring, cpu, &session->settings);

	if (status < 0)
		return status == -ENODEV ? 0 : status;
	lane->region = malloc(sizeof(*lane->region));
	if (!lane->region) {
		ring_close(&lane->ring);
		return -ENOMEM;
	}
	lane->cpu = cpu;
	lane->session = session;
	session->lane_count++;
	return 0;
}

static void close_lanes(struct session *session)
{
	for (unsigned i = 0; i < session->lane_count; i++) {
		ring_close(&session->lanes[i].ring);
		free(session->lanes[i].region);
	}
	session->lane_count = 0;
}

/* The first rings may leave nothing for the others: then all are made smaller. */
static int open_lanes(struct session *session)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	size_t pages = 0;
	int status;

	session->lanes = calloc((size_t)cpus, sizeof(*session->lanes));
	if (!session->lanes)
		return -ENOMEM;
	do {
		session->settings.ring_pages = pages;
		status = 0;
		for (int cpu = 0; cpu < cpus && status == 0; cpu++)
			status = open_lane(session, cpu);
		pages = status == -ENOMEM && session->lane_count > 0
		                ? ring_smaller(&session->lanes[0].ring, pages)
		                : 0;
		if (pages > 0)
			close_lanes(session);
	} while (pages > 0);
	if (status == 0 && session->lane_count == 0)
		status = -ENOENT;
	return status;
}

static int make_regions(struct session *session)
{
	uint64_t size = (uint64_t)session->region_size * session->lane_count;
	struct rlimit limit;

	session->memory = memfd_create("xer-sampler", MFD_CLOEXEC);
	if (session->memory < 0)
		return -errno;
	/* Beyond the limit ftruncate raises SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    size > limit.rlim_cur)
		return -ENOMEM;
	if (ftruncate(session->memory, (off_t)size) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < session->lane_count; i++)
		region_init(session->lanes[i].region, session->memory,
		            (uint64_t)i * session->region_size, session->region_size);
	return 0;
}

int session_permission(void)
{
	int fd = ring_event_open(0, -1,
	                         &(struct ring_settings){.period_ns = ZX_SAMPLER_MIN_PERIOD});

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int session_create(uint64_t period_ns, size_t region_size, struct session **out)
{
	struct session *session = calloc(1, sizeof(*session));
	int status;

	if (!session)
		return -ENOMEM;
	session->settings = (struct ring_settings){.period_ns = period_ns,
	                                           .in_kernel = ring_may_kernel()};
	session->region_size = region_size;
	session->memory = -1;
	session->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&session->lock, NULL);
	status = session->wake < 0 ? -errno : 0;
	if (status == 0)
		status = open_lanes(session);
	if (status == 0)
		status = make_regions(session);
	if (status < 0) {
		session_destroy(session);
		return status;
	}
	*out = session;
	return 0;
}

/* End sampling without switching the threads' events on or off. */
static void close_sampling(struct session *session)
{
	threads_close(&session->threads);
	for (unsigned i = 0; i < session->lane_count; i++)
		ring_close(&session->lanes[i].ring);
	if (session->wake >= 0)
		close(session->wake);
	session->wake = -1;
}

void session_abandon(struct session *session)
{
	threads_close(&session->threads);
	for (unsigned i = 0; i < session->lane_count; i++)
		ring_abandon(&session->lanes[i].ring);
	close(session->wake);
	session->wake = -1;
	session->is_abandoned = 1;
	session->is_running = 0;
}

void session_destroy(struct session *session)
{
	if (session->is_running)
		session_stop(session);
	if (!session->is_abandoned)
		close_sampling(session);
	for (unsigned i = 0; i < session->lane_count; i++)
		free(session->lanes[i].region);
	if (session->memory >= 0)
		close(session->memory);
	pthread_mutex_destroy(&session->lock);
	free(session->lanes);
	free(session);
}

/* ---- threads */

static int open_event(struct session *session, const struct lane *lane, pid_t tid)
{
	int fd = ring_event_open(tid, lane->cpu, &session->settings);
	int status;

	if (fd < 0)
		return fd;
	status = ring_redirect(&lane->ring, fd);
	if (status < 0) {
		close(fd);
		return status;
	}
	return fd;
}

int session_attach(struct session *session, pid_t tid, uint64_t born)
{
	struct thread *thread = threads_add(&session->threads, tid, born, session->lane_count);
	uint64_t now_born;
	int status = 0;

	if (!thread)
		return -ENOMEM;
	if (thread->event_count > 0)
		return 0;
	for (unsigned i = 0; i < session->lane_count && status >= 0; i++) {
		status = open_event(session, &session->lanes[i], tid);
		if (status >= 0)
			thread->events[thread->event_count++] = status;
		else if (status == -ENODEV) /* the CPU is off by now */
			status = 0;
	}
	/* The number may have become another thread's before the events were opened. */
	if (status >= 0 && (thread_started(tid, &now_born) < 0 || now_born != born))
		status = -ESRCH;
	if (status < 0) {
		threads_remove(&session->threads, thread);
		return status;
	}
	if (session->is_running)
		thread_enable(thread, 1);
	return 0;
}

/* ---- states */

int session_start(struct session *session)
{
	sigset_t all, before;
	uint64_t ignored;
	int status;

	(void)!read(session->wake, &ignored, sizeof(ignored));
	for (unsigned i = 0; i < session->lane_count; i++)
		session->lanes[i].region->is_full = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = -pthread_create(&session->reader, NULL, read_rings, session);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status < 0)
		return status;
	session->is_running = 1;
	threads_enable(&session->threads, 1);
	return 0;
}

void session_stop(struct session *session)
{
	threads_enable(&session->threads, 0);
	(void)!write(session->wake, &(uint64_t){1}, sizeof(uint64_t));
	pthread_join(session->reader, NULL);
	session->is_running = 0;
}

int session_is_running(const struct session *session)
{
	return session->is_running;
}

unsigned session_region_count(const struct session *session)
{
	return session->lane_count;
}

size_t session_region_size(const struct session *session)
{
	return session->region_size;
}

int session_memory(const struct session *session)
{
	return session->memory;
}

void session_info(struct session *session, xer_sampler_info_t *out)
{
	/* In a forked child, there may be no thread to release the lock. */
	if (!session->is_abandoned)
		pthread_mutex_lock(&session->lock);
	*out = (xer_sampler_info_t){.bad_stacks = session->counts.bad_stacks,
	                            .lost = session->counts.lost,
	                            .throttled = session->counts.throttled,
	                            .in_kernel = (uint64_t)session->settings.in_kernel};
	for (unsigned i = 0; i < session->lane_count; i++) {
		const struct region *region = session->lanes[i].region;

		out->samples += region->written_of[0] + region->waiting_of[0];
		out->one_frame += region->written_of[1] + region->waiting_of[1];
		out->no_room += region->lost;
	}
	if (!session->is_abandoned)
		pthread_mutex_unlock(&session->lock);
	out->threads = session->threads.count;
}
