/* thread_scan.c: finds threads that were not announced, in the kernel's list. See thread.h.
 *
 * There may be many threads, and the scan runs in the handler of a tick. So a round goes from step
 * to step: first some places of the table of threads, whether those are still there, then some of
 * the kernel's list. See doc/decisions/06-unannounced-threads.md. */
#include "libcollector/thread/thread_state.h"

#include "libcollector/base/kernel.h"

enum { DIRECTORY_BUFFER = 2048, SWEPT = 64, PATIENCE = 8 };
enum { REST_SHARE = 100 /* of the time, that rounds may take */ };

enum phase { SWEEP, LIST };

static struct {
	atomic_uint busy;     /* a thread takes a step */
	atomic_uint is_going; /* a round has begun, and is not over */
	/* under `busy` */
	enum phase phase;
	uint32_t place;   /* in the table */
	int64_t position; /* in the kernel's list */
	unsigned put_off; /* how often a round would have begun */
	uint64_t spent;   /* event time in this round */
	uint64_t rest;    /* no round begins before that */
} scan;

struct directory_entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

static uint32_t parse_tid(const char *name)
{
	uint32_t tid = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		tid = tid * 10 + (uint32_t)(*name - '0');
	return *name ? 0 : tid;
}

void thread_found(uint32_t tid)
{
	struct col_thread *state;

	if (tid == 0 || thread_find(tid))
		return;
	state = thread_take();
	if (state)
		thread_begin(state, tid);
	else
		col_count(&col.count.lost_threads, 1);
}

/* A thread in the kernel's list. One that is starting has a state or gets one by itself. One that
 * is ending has had a state, and a second one would count its time twice. `starting` is read first:
 * if it is 0, the creator of a listed thread is done. Whether the thread is alive is read last:
 * only then is it certain that its state has not gone to another one in the meantime. */
void thread_listed(uint32_t tid)
{
	if (atomic_load(&thread_starting) || tid == 0 || thread_find(tid) ||
	    thread_table_has_ended(tid) || !thread_is_alive(tid))
		return;
	thread_found(tid);
}

/* Read the next part of the kernel's list. Returns 0 when there is no more. */
static int read_some(void)
{
	char buffer[DIRECTORY_BUFFER] __attribute__((aligned(8)));
	long fd = sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	long len = 0;

	if (fd < 0)
		return 0;
	if (scan.position == 0 || SYS3(SYS_lseek, fd, scan.position, SEEK_SET) >= 0)
		len = SYS3(SYS_getdents64, fd, buffer, sizeof(buffer));
	sys_close((int)fd);
	for (long at = 0; at < len;) {
		const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);

		thread_listed(parse_tid(entry->name));
		scan.position = entry->next;
		at += entry->size;
	}
	return len > 0;
}

static void begin_round(void)
{
	scan.phase = SWEEP;
	scan.place = 0;
	scan.position = 0;
	scan.put_off = 0;
	scan.spent = 0;
	atomic_store(&scan.is_going, 1);
}

static void end_round(void)
{
	scan.rest = col_ticks() + REST_SHARE * scan.spent;
	atomic_store(&scan.is_going, 0);
}

/* To find its place in the list, the kernel goes through all before it. */
static void take_step(void)
{
	uint64_t start = col_ticks();
	int is_over = 0;

	if (scan.phase == LIST)
		is_over = !read_some();
	else if (!thread_table_sweep(&scan.place, SWEPT, thread_drop))
		scan.phase = LIST;
	scan.spent += col_ticks() - start;
	if (is_over)
		end_round();
}

void thread_scan_step(void)
{
	if (!atomic_load_explicit(&scan.is_going, memory_order_relaxed) ||
	    atomic_exchange(&scan.busy, 1))
		return;
	if (atomic_load(&scan.is_going))
		take_step();
	atomic_store(&scan.busy, 0);
}

/* Is the number of threads that we know not the kernel's? While threads begin and end, the numbers
 * differ for a moment: then the next look tells, or a later one, if this goes on. */
static int is_due(void)
{
	unsigned listed, known;

	if (col_ticks() < scan.rest)
		return 0;
	listed = kernel_thread_count();
	known = thread_table_count_listed();
	if (listed == 0 || listed == known)
		return 0;
	return !atomic_load(&thread_starting) || ++scan.put_off >= PATIENCE;
}

void thread_scan_begin(void)
{
	if (atomic_load(&scan.is_going) || atomic_exchange(&scan.busy, 1))
		return;
	if (is_due()) {
		begin_round();
		take_step();
	}
	atomic_store(&scan.busy, 0);
}

void thread_scan(void)
{
	if (atomic_exchange(&scan.busy, 1))
		return;
	if (kernel_thread_count() != thread_table_count_listed()) {
		begin_round();
		while (atomic_load(&scan.is_going))
			take_step();
	}
	atomic_store(&scan.busy, 0);
}

void thread_scan_restart(void)
{
	atomic_store(&scan.busy, 0);
	atomic_store(&scan.is_going, 0);
	scan.rest = 0;
}
