/* ring.c: see ring.h. The layout of a sample follows from SAMPLE_TYPE: ids, time, CPU, the number of addresses and these. The
 * kernel walks frame pointers; it ends a walk where it cannot read, and does not say so. */
#include "ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN)

enum { PAGES_MAX = 64, PAGES_MIN = 2, RECORD_WORDS = 512, HEAD_WORDS = 4 };

/* No code is in the first page, nor above what the widest page tables give to user space. */
#define PC_MIN UINT64_C(0x1000)
#define PC_MAX ((UINT64_C(1) << 56) - 1)

static int event_open(const struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* All events of a ring must have the same clock. */
static struct perf_event_attr attributes_of(uint64_t what)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = what,
		.sample_type = SAMPLE_TYPE, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1, .exclude_callchain_kernel = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC};
}

int ring_event_open(pid_t tid, int cpu, const struct ring_settings *settings)
{
	struct perf_event_attr attributes = attributes_of(PERF_COUNT_SW_CPU_CLOCK);

	attributes.sample_period = settings->period_ns;
	attributes.sample_max_stack = RING_FRAMES_MAX;
	attributes.exclude_kernel = !settings->in_kernel;
	attributes.inherit = settings->inherit != 0;
	attributes.enable_on_exec = settings->enable_on_exec != 0;
	return event_open(&attributes, tid, cpu);
}

int ring_may_kernel(void)
{
	int fd = ring_event_open(0, -1, &(struct ring_settings){.period_ns = 1000 * 1000 * 1000, .in_kernel = 1});

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int ring_of_event(struct ring *ring, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *pages = MAP_FAILED;
	size_t count;

	/* How much may be locked in memory is limited for each user. */
	for (count = PAGES_MAX; count >= PAGES_MIN && pages == MAP_FAILED; count /= 2) {
		ring->size = count * page;
		pages = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (pages == MAP_FAILED && errno != EPERM && errno != ENOMEM)
			break;
	}
	if (pages == MAP_FAILED)
		return errno == EPERM ? -ENOMEM : -errno;
	/* The kernel never gives such memory to forked children. */
	ring->pages = pages;
	ring->fd = fd;
	return 0;
}

int ring_open(struct ring *ring, int cpu)
{
	struct perf_event_attr attributes = attributes_of(PERF_COUNT_SW_DUMMY);
	int fd = event_open(&attributes, 0, cpu);
	int status;

	if (fd < 0)
		return fd;
	status = ring_of_event(ring, fd);
	if (status < 0)
		close(fd);
	return status;
}

void ring_close(struct ring *ring)
{
	munmap(ring->pages, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	close(ring->fd);
}

int ring_redirect(const struct ring *ring, int event)
{
	return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ? -errno : 0;
}

void ring_event_enable(int event, int on)
{
	ioctl(event, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

int ring_decode(const uint64_t *words, size_t count, struct ring_sample *out)
{
	int is_user = 0;

	out->count = 0;
	out->is_bad = 0;
	if (count < HEAD_WORDS || words[3] > count - HEAD_WORDS)
		return 0;
	out->pid = (uint32_t)words[0];
	out->tid = (uint32_t)(words[0] >> 32);
	out->time_ns = words[1];
	out->cpu = (uint32_t)words[2];
	for (size_t i = HEAD_WORDS; i < HEAD_WORDS + words[3] && out->count < RING_FRAMES_MAX; i++) {
		uint64_t pc = words[i];

		if (pc >= PERF_CONTEXT_MAX) { /* a mark: where the next ones are */
			is_user = pc == PERF_CONTEXT_USER;
			continue;
		}
		if (!is_user)
			continue;
		if (pc == 0)
			break;
		if (pc < PC_MIN || pc > PC_MAX) {
			out->is_bad = 1;
			break;
		}
		out->pcs[out->count++] = pc;
	}
	return out->count > 0;
}

/* Copy size bytes at position `at` of the ring, which may go on at its beginning. */
static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->pages + sysconf(_SC_PAGESIZE);
	size_t offset = at & (ring->size - 1);
	size_t first = size < ring->size - offset ? size : ring->size - offset;

	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, size - first);
}

static void take_record(const struct perf_event_header *head, const uint64_t *words, size_t count, ring_taker *take, void *context,
                        struct ring_counts *counts)
{
	struct ring_sample sample;

	switch (head->type) {
	case PERF_RECORD_SAMPLE:
		if (ring_decode(words, count, &sample))
			take(context, &sample);
		else
			counts->bad_stacks++;
		break;
	case PERF_RECORD_LOST: /* an id, and how many */
		counts->lost += count > 1 ? words[1] : 0;
		break;
	case PERF_RECORD_THROTTLE:
		counts->throttled++;
		break;
	default:
		break;
	}
}

void ring_drain(struct ring *ring, ring_taker *take, void *context, struct ring_counts *counts)
{
	struct perf_event_mmap_page *page = ring->pages;
	/* What the kernel wrote before it moved its head; it may overwrite what lies before our tail. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = page->data_tail;

	while (head - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header record;
		uint64_t words[RECORD_WORDS];
		size_t size;

		copy_out(ring, at, &record, sizeof(record));
		if (record.size < sizeof(record) || record.size > head - at)
			break;
		size = record.size - sizeof(record);
		if (size <= sizeof(words)) {
			copy_out(ring, at + sizeof(record), words, size);
			take_record(&record, words, size / sizeof(words[0]), take, context, counts);
		}
		at += record.size;
		__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
	}
}
