/* uring.c: a case of input and output through rings that the program shares with the kernel. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
	int fd;
	unsigned *head, *tail, *mask, *array;
	struct io_uring_sqe *entries;
	unsigned *done_head, *done_tail, *done_mask;
	struct io_uring_cqe *done;
};

static int ring_open(struct ring *ring)
{
	struct io_uring_params p = {0};
	char *queue, *done;

	ring->fd = (int)syscall(SYS_io_uring_setup, 8, &p);
	if (ring->fd < 0)
		return -1;
	queue = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE,
	             MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	done = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
	            PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->entries = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe),
	                     PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQES);
	ring->head = (unsigned *)(queue + p.sq_off.head);
	ring->tail = (unsigned *)(queue + p.sq_off.tail);
	ring->mask = (unsigned *)(queue + p.sq_off.ring_mask);
	ring->array = (unsigned *)(queue + p.sq_off.array);
	ring->done_head = (unsigned *)(done + p.cq_off.head);
	ring->done_tail = (unsigned *)(done + p.cq_off.tail);
	ring->done_mask = (unsigned *)(done + p.cq_off.ring_mask);
	ring->done = (struct io_uring_cqe *)(done + p.cq_off.cqes);
	return 0;
}

/* Run one operation to its end. Returns its result. */
static int ring_do(struct ring *ring, struct io_uring_sqe entry)
{
	unsigned at = *ring->tail & *ring->mask;
	int result;

	ring->entries[at] = entry;
	ring->array[at] = at;
	__atomic_store_n(ring->tail, *ring->tail + 1, __ATOMIC_RELEASE);
	while (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		say("interrupted: %d\n", errno);
	result = ring->done[*ring->done_head & *ring->done_mask].res;
	__atomic_store_n(ring->done_head, *ring->done_head + 1, __ATOMIC_RELEASE);
	return result;
}

int case_io_uring(void)
{
	struct ring ring;
	struct __kernel_timespec moment = {.tv_nsec = 20000000};
	char text[16] = "";
	int fd = open("file", O_RDWR | O_CREAT, 0600);

	if (ring_open(&ring) < 0) {
		say("io_uring_setup: %d\n", errno);
		return CASE_SKIP;
	}
	mark();
	say("write %d\n", ring_do(&ring, (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
	                                                       .fd = fd,
	                                                       .addr = (uintptr_t) "ring",
	                                                       .len = 4}));
	burn(10);
	say("timeout %d\n", ring_do(&ring, (struct io_uring_sqe){.opcode = IORING_OP_TIMEOUT,
	                                                         .addr = (uintptr_t)&moment,
	                                                         .len = 1}));
	say("read %d", ring_do(&ring, (struct io_uring_sqe){.opcode = IORING_OP_READ,
	                                                    .fd = fd,
	                                                    .addr = (uintptr_t)text,
	                                                    .len = 15}));
	say(" %s\n", text);
	say("close %d\n",
	    ring_do(&ring, (struct io_uring_sqe){.opcode = IORING_OP_CLOSE, .fd = fd}));
	return 0;
}
