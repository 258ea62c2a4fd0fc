/* ring.h: samples of threads from the kernel: events of perf_event_open(2), and the rings that they
 * fill. */
#ifndef XER_SAMPLER_RING_H
#define XER_SAMPLER_RING_H

#include "sampler/arch/arch.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RING_FRAMES_MAX = 64, RING_KERNEL_MAX = 64 };

/* How events sample. */
struct ring_settings {
	uint64_t period_ns; /* of CPU time, >= 10000; of another event that many of them, >= 1 */
	int is_counter;     /* not CPU time, but the event that perf_event_open(2) knows by these
	                       numbers: */
	uint32_t type;
	uint64_t config;
	int in_kernel; /* sample in the kernel too, at the user's pc of the call; needs the right
	                  to: ring_may_kernel */
	int kernel_frames;  /* with in_kernel: also the kernel's part of stacks */
	int kernel_only;    /* with in_kernel: nothing of user mode is sampled */
	int inherit;        /* follow new threads and processes */
	int enable_on_exec; /* begin by itself when the process executes a program */
	int tell_mappings; /* also put records into the ring that tell what code is mapped where, of
	                      forks, programs and ends */
	size_t ring_pages; /* of data that a ring has at most; 0: as many as are of use */
	uint32_t stack_bytes; /* 0: the kernel walks frame pointers; else it gives the registers and
	                       * so many bytes of the stack, a multiple of 8 below 60 KiB */
};

/* A sample. pcs[count], leaf first, 1 <= count <= RING_FRAMES_MAX; times are of CLOCK_MONOTONIC. */
struct ring_sample {
	uint32_t pid, tid, cpu;
	uint64_t time_ns;
	uint64_t pcs[RING_FRAMES_MAX];
	size_t count;
	int is_bad;    /* the next frame outwards would be an address where no code can be: the walk
	                  has gone astray */
	int is_deep;   /* there are more frames than pcs has room for */
	int in_kernel; /* the thread was in the kernel; pcs are those of its user mode */
	uint64_t kernel[RING_KERNEL_MAX]; /* kernel[kernel_count], leaf first: where it was there,
	                                     if the settings ask for that; the outermost of more are
	                                     left out */
	size_t kernel_count;
	uint64_t registers[RING_REGISTERS]; /* of RING_PC on when stacks are copied; */
	const uint8_t *stack; /* then also stack[stack_bytes], what lies at RING_SP; count is 1 */
	size_t stack_bytes;
};

/* What is in a ring: a record of perf_event_open(2) behind its header, words[count]. */
struct ring_record {
	uint16_t type, misc;
	const uint64_t *words;
	size_t count;
};

struct ring {
	int fd;          /* the event that owns it */
	void *pages;     /* struct perf_event_mmap_page, and behind it the data */
	size_t size;     /* bytes of data, a power of 2 */
	uint64_t *spill; /* a record that goes on at the ring's beginning */
	int has_stacks,
		has_chains; /* samples have copied stacks; and the kernel's frames before them
	                     */
	uint64_t next;      /* position behind the record that was looked at */
};

struct ring_counts {
	uint64_t bad_stacks, lost, throttled;
};

/* False if it is forbidden that this process samples time in the kernel. */
int ring_may_kernel(void);

/* Open a sampling event, off, of thread `tid` (0: the caller; -1: of all that runs there) on one
 * CPU. Returns a descriptor or -errno: -EACCES, -EPERM (the system or the owner of the thread
 * forbids it), -ESRCH, -ENODEV (the CPU is off), -ENOSYS, -EMFILE... */
int ring_event_open(pid_t tid, int cpu, const struct ring_settings *settings);

/* Make a ring. ring_open: of its own on that CPU, for ring_redirect; -ENODEV if the CPU is off.
 * ring_of_event: of an event with these settings, whose descriptor is taken when it succeeds. Less
 * memory is taken if the system allows no more: if it has none at all left
 * (-ENOMEM), the rings that there are may be made again with ring_smaller pages. Returns 0 or
 * -errno. */
int ring_open(struct ring *ring, int cpu, const struct ring_settings *settings);
int ring_of_event(struct ring *ring, int fd, const struct ring_settings *settings);

/* Half as many pages as a ring has, or half of `most`, if that is not 0; 0 if there would be too
 * few. */
size_t ring_smaller(const struct ring *ring, size_t most);

/* How long samples of so many bytes may pile up in a ring until it is a quarter full; 1 to 50 ms.
 */
int ring_pause_ms(size_t ring_bytes, size_t sample_bytes, uint64_t period_ns);
enum {
	RING_SAMPLE_BYTES = 640 /* the largest without a copied stack, about */,
	RING_STACK_EXTRA = 256 /* of one with such a stack, without it */
};

void ring_close(struct ring *ring);
void ring_forget(struct ring *ring);  /* the event stays open */
void ring_abandon(struct ring *ring); /* in a forked child, where it is not mapped */

/* Let an event write to the ring of the same CPU. Returns 0 or -errno. */
int ring_redirect(const struct ring *ring, int event);

/* Switch an event on or off; off is off everywhere when this returns. */
void ring_event_enable(int event, int on);

/* Hand all samples that are in the ring to take(context, sample), oldest first, and count the rest.
 */
typedef void ring_taker(void *context, const struct ring_sample *sample);
void ring_drain(struct ring *ring, ring_taker *take, void *context, struct ring_counts *counts);

/* The same piece by piece. The oldest record in the ring, which is there until ring_take: 1, or 0
 * if the ring is empty. */
int ring_peek(struct ring *ring, struct ring_record *out);
void ring_take(struct ring *ring, const struct ring_record *record, ring_taker *take, void *context,
               struct ring_counts *counts);

/* The same without looking at it. */
void ring_pass(struct ring *ring);

/* When a record of a ring with mappings was written; 0: it does not say. */
uint64_t ring_time(const struct ring_record *record);

/* Read a sample from the payload of a perf record (behind its header), words[count]: 1, or 0 if it
 * has no frame at all, or an innermost one where no code can be. */
int ring_decode(const uint64_t *words, size_t count, struct ring_sample *out);

/* The same of a ring with stacks, has_chain: behind the kernel's frames; 0 also without registers,
 * as of a thread that is about to end. Borrows `words`. */
int ring_decode_stack(const uint64_t *words, size_t count, int has_chain, struct ring_sample *out);

#endif
