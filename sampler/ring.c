/* ring.c: see ring.h. The layout of a sample follows from SAMPLE_TYPE: ids, time, CPU, the number
 * of addresses and these. The kernel walks frame pointers; it ends a walk where it cannot read, and
 * does not say so.
 * See doc/decisions/50-sampler.md. */
#include "sampler/ring.h"

#include "format/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN)

enum {
	PAGES_MAX = 64,
	STACK_PAGES_MAX = 128,
	COUNTER_PAGES_MAX = 4096,
	PAGES_MIN = 2,
	RECORD_BYTES = 1 << 16,
	CHAIN_MAX = 127, /* frames that the kernel walks for anybody who has not changed that */
	HEAD_WORDS = 4,
	ID_WORDS = 3
};

static const uint8_t register_bits[RING_REGISTERS] = ARCH_BITS;

static int event_open(const struct perf_event_attr *attributes, pid_t tid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attributes, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* All events of a ring must have the same clock. */
static struct perf_event_attr attributes_of(uint64_t what)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
	                                .size = sizeof(struct perf_event_attr),
	                                .config = what,
	                                .sample_type = SAMPLE_TYPE,
	                                .disabled = 1,
	                                .exclude_kernel = 1,
	                                .exclude_hv = 1,
	                                .exclude_callchain_kernel = 1,
	                                .use_clockid = 1,
	                                .clockid = CLOCK_MONOTONIC};
}

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (int i = 0; i < RING_REGISTERS; i++)
		mask |= UINT64_C(1) << register_bits[i];
	return mask;
}

static int has_kernel_frames(const struct ring_settings *settings)
{
	return settings->in_kernel && settings->kernel_frames;
}

/* The kernel's frames come by its own walk all the same. */
static void ask_for_stacks(struct perf_event_attr *attributes, const struct ring_settings *settings)
{
	attributes->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	if (has_kernel_frames(settings))
		attributes->exclude_callchain_user = 1;
	else
		attributes->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	attributes->sample_regs_user = register_mask();
	attributes->sample_stack_user = settings->stack_bytes;
}

/* Each with the time. */
static void ask_for_mappings(struct perf_event_attr *attributes)
{
	attributes->sample_id_all = 1;
	attributes->mmap = attributes->mmap2 = 1;
	attributes->comm = attributes->comm_exec = 1;
	attributes->task = 1;
}

int ring_event_open(pid_t tid, int cpu, const struct ring_settings *settings)
{
	struct perf_event_attr attributes = attributes_of(PERF_COUNT_SW_CPU_CLOCK);
	int fd;

	if (settings->is_counter) {
		attributes.type = settings->type;
		attributes.config = settings->config;
	}

	attributes.sample_period = settings->period_ns;
	/* One more tells that there are more. */
	attributes.sample_max_stack = RING_FRAMES_MAX + 1;
	attributes.exclude_kernel = !settings->in_kernel;
	attributes.exclude_user = settings->in_kernel && settings->kernel_only;
	if (has_kernel_frames(settings)) {
		attributes.exclude_callchain_kernel = 0;
		attributes.sample_max_stack = CHAIN_MAX;
	}
	/* Of a CPU, everything runs below the event. */
	attributes.inherit = tid >= 0 && settings->inherit;
	attributes.enable_on_exec = tid >= 0 && settings->enable_on_exec;
	if (settings->stack_bytes > 0)
		ask_for_stacks(&attributes, settings);
	if (settings->tell_mappings)
		ask_for_mappings(&attributes);
	fd = event_open(&attributes, tid, cpu);
	if (fd == -EOVERFLOW) { /* kernel.perf_event_max_stack is lower: as many as there may be */
		attributes.sample_max_stack = 0;
		fd = event_open(&attributes, tid, cpu);
	}
	return fd;
}

int ring_may_kernel(void)
{
	int fd = ring_event_open(
		0, -1, &(struct ring_settings){.period_ns = 1000 * 1000 * 1000, .in_kernel = 1});

	if (fd >= 0)
		close(fd);
	return fd != -EACCES && fd != -EPERM;
}

int ring_of_event(struct ring *ring, int fd, const struct ring_settings *settings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *pages = MAP_FAILED;
	size_t count = settings->is_counter        ? COUNTER_PAGES_MAX
	               : settings->stack_bytes > 0 ? STACK_PAGES_MAX
	                                           : PAGES_MAX;

	if (settings->ring_pages > 0 && settings->ring_pages < count)
		count = settings->ring_pages;
	/* How much may be locked in memory is limited for each user. */
	for (; count >= PAGES_MIN && pages == MAP_FAILED; count /= 2) {
		ring->size = count * page;
		pages = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (pages == MAP_FAILED && errno != EPERM && errno != ENOMEM)
			break;
	}
	if (pages == MAP_FAILED)
		return errno == EPERM ? -ENOMEM : -errno;
	ring->spill = malloc(RECORD_BYTES);
	if (!ring->spill) {
		munmap(pages, page + ring->size);
		return -ENOMEM;
	}
	ring->has_stacks = settings->stack_bytes > 0;
	ring->has_chains = ring->has_stacks && has_kernel_frames(settings);
	/* The kernel never gives such memory to forked children. */
	ring->pages = pages;
	ring->fd = fd;
	return 0;
}

int ring_open(struct ring *ring, int cpu, const struct ring_settings *settings)
{
	struct perf_event_attr attributes = attributes_of(PERF_COUNT_SW_DUMMY);
	int fd = event_open(&attributes, 0, cpu);
	int status;

	if (fd < 0)
		return fd;
	status = ring_of_event(ring, fd, settings);
	if (status < 0)
		close(fd);
	return status;
}

size_t ring_smaller(const struct ring *ring, size_t most)
{
	size_t pages = (most > 0 ? most : ring->size / (size_t)sysconf(_SC_PAGESIZE)) / 2;

	return pages >= PAGES_MIN ? pages : 0;
}

int ring_pause_ms(size_t ring_bytes, size_t sample_bytes, uint64_t period_ns)
{
	enum { PAUSE_MAX_MS = 50, NS_PER_MS = 1000000 };
	uint64_t samples = ring_bytes / sample_bytes / 4;

	if (samples > 0 && period_ns >= (uint64_t)PAUSE_MAX_MS * NS_PER_MS / samples)
		return PAUSE_MAX_MS;
	return samples * period_ns < NS_PER_MS ? 1 : (int)(samples * period_ns / NS_PER_MS);
}

void ring_forget(struct ring *ring)
{
	munmap(ring->pages, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	free(ring->spill);
}

void ring_close(struct ring *ring)
{
	ring_forget(ring);
	close(ring->fd);
}

void ring_abandon(struct ring *ring)
{
	free(ring->spill);
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

static void take_kernel_frame(struct ring_sample *out, uint64_t pc)
{
	if (fmt_pc_is_kernel(pc) && out->kernel_count < RING_KERNEL_MAX)
		out->kernel[out->kernel_count++] = pc;
}

/* A frame of user mode. Returns 0 behind the last one. */
static int take_user_frame(struct ring_sample *out, uint64_t pc)
{
	if (pc == 0)
		return 0;
	out->is_deep = out->count == RING_FRAMES_MAX;
	out->is_bad = !out->is_deep && (pc < ARCH_PC_MIN || pc > ARCH_PC_MAX);
	if (out->is_deep || out->is_bad)
		return 0;
	out->pcs[out->count++] = pc;
	return 1;
}

/* The call chain words[count], with its marks: where the next ones are. */
static void take_chain(struct ring_sample *out, const uint64_t *words, uint64_t count)
{
	uint64_t where = 0, frames = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (words[i] >= PERF_CONTEXT_MAX) {
			where = words[i];
			continue;
		}
		frames++;
		if (where == PERF_CONTEXT_KERNEL)
			take_kernel_frame(out, words[i]);
		else if (where == PERF_CONTEXT_USER && !take_user_frame(out, words[i]))
			return;
	}
	/* The frames of the kernel may have left the others too little room. */
	out->is_deep |= frames >= CHAIN_MAX;
}

/* What is before the call chain or the registers. */
static void take_head(struct ring_sample *out, const uint64_t *words)
{
	out->pid = (uint32_t)words[0];
	out->tid = (uint32_t)(words[0] >> 32);
	out->time_ns = words[1];
	out->cpu = (uint32_t)words[2];
}

int ring_decode(const uint64_t *words, size_t count, struct ring_sample *out)
{
	out->count = out->kernel_count = 0;
	out->is_bad = out->is_deep = 0;
	if (count < HEAD_WORDS || words[3] > count - HEAD_WORDS)
		return 0;
	take_head(out, words);
	take_chain(out, words + HEAD_WORDS, words[3]);
	return out->count > 0;
}

/* Registers and stack, words[count] of them, behind `out`'s head. */
static int decode_registers(const uint64_t *words, size_t count, struct ring_sample *out)
{
	enum { STACK_AT = 1 + RING_REGISTERS };
	uint64_t bits = register_mask(), size;

	if (count <= STACK_AT || words[0] != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	size = words[STACK_AT];
	if (size > (count - STACK_AT - 1) * 8 || size % 8 != 0)
		return 0;
	out->stack = (const uint8_t *)&words[STACK_AT + 1];
	/* The kernel writes them in the order of their bits. */
	for (int i = 0; i < RING_REGISTERS; i++)
		out->registers[i] = words[1 +
		                          __builtin_popcountll(
						  bits & ((UINT64_C(1) << register_bits[i]) - 1))];
	out->pcs[0] = out->registers[RING_PC];
	out->count = 1;
	/* How much of it was really there stands behind it. */
	if (size > 0 && count > STACK_AT + 1 + size / 8)
		out->stack_bytes = words[STACK_AT + 1 + size / 8] < size
		                           ? words[STACK_AT + 1 + size / 8]
		                           : size;
	return out->pcs[0] >= ARCH_PC_MIN && out->pcs[0] <= ARCH_PC_MAX;
}

int ring_decode_stack(const uint64_t *words, size_t count, int has_chain, struct ring_sample *out)
{
	size_t at = HEAD_WORDS - 1;

	*out = (struct ring_sample){0};
	if (count < HEAD_WORDS || (has_chain && words[at] > count - HEAD_WORDS))
		return 0;
	take_head(out, words);
	if (has_chain) {
		take_chain(out, words + HEAD_WORDS, words[at]);
		out->is_deep = 0; /* of what was walked here */
		at += 1 + words[at];
	}
	return decode_registers(words + at, count - at, out);
}

/* size bytes at position `at` of the ring, which may go on at its beginning: then they are put
 * together. */
static const void *bytes_at(struct ring *ring, uint64_t at, size_t size)
{
	const char *data = (const char *)ring->pages + sysconf(_SC_PAGESIZE);
	size_t offset = at & (ring->size - 1), first = ring->size - offset;

	if (first >= size)
		return data + offset;
	memcpy(ring->spill, data + offset, first);
	memcpy((char *)ring->spill + first, data, size - first);
	return ring->spill;
}

int ring_peek(struct ring *ring, struct ring_record *out)
{
	struct perf_event_mmap_page *page = ring->pages;
	/* What the kernel wrote before it moved its head; it may overwrite what lies before our
	 * tail. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
	struct perf_event_header record;

	if (head - at < sizeof(record))
		return 0;
	memcpy(&record, bytes_at(ring, at, sizeof(record)), sizeof(record));
	if (record.size < sizeof(record) || record.size > head - at)
		return 0;
	*out = (struct ring_record){.type = (uint16_t)record.type,
	                            .misc = record.misc,
	                            .count = (record.size - sizeof(record)) / 8};
	out->words = bytes_at(ring, at + sizeof(record), record.size - sizeof(record));
	ring->next = at + record.size;
	return 1;
}

void ring_pass(struct ring *ring)
{
	struct perf_event_mmap_page *page = ring->pages;

	__atomic_store_n(&page->data_tail, ring->next, __ATOMIC_RELEASE);
}

uint64_t ring_time(const struct ring_record *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		return record->count > 1 ? record->words[1] : 0;
	return record->count >= ID_WORDS ? record->words[record->count - ID_WORDS + 1] : 0;
}

void ring_take(struct ring *ring, const struct ring_record *record, ring_taker *take, void *context,
               struct ring_counts *counts)
{
	struct ring_sample sample;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (ring->has_stacks ? ring_decode_stack(record->words, record->count,
		                                         ring->has_chains, &sample)
		                     : ring_decode(record->words, record->count, &sample)) {
			sample.in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			                   PERF_RECORD_MISC_KERNEL;
			take(context, &sample);
		} else {
			counts->bad_stacks++;
		}
		break;
	case PERF_RECORD_LOST: /* an id, and how many */
		counts->lost += record->count > 1 ? record->words[1] : 0;
		break;
	case PERF_RECORD_THROTTLE:
		counts->throttled++;
		break;
	default:
		break;
	}
	ring_pass(ring);
}

void ring_drain(struct ring *ring, ring_taker *take, void *context, struct ring_counts *counts)
{
	struct ring_record record;

	while (ring_peek(ring, &record))
		ring_take(ring, &record, take, context, counts);
}
