/* thread_scan.c: finds threads that were not announced, in the kernel's list. See thread.h.
 * See doc/decisions/06-unannounced-threads.md. */
#include "libcollector/thread/thread_state.h"

enum { DIRECTORY_BUFFER = 2048 };

static atomic_uint scanning;

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

static int is_ending(uint32_t tid)
{
	struct col_thread *state = thread_first();

	while (state && atomic_load(&state->ending) != tid)
		state = state->next;
	return state != NULL;
}

/* A thread in the kernel's list. One that is starting has a state or gets one by itself. One that
 * is ending has had a state, and a second one would count its time twice. `starting` is read first:
 * if it is 0, the creator of a listed thread is done. Whether the thread is alive is read last:
 * only then is it certain that its state has not gone to another one in the meantime. */
void thread_listed(uint32_t tid)
{
	if (atomic_load(&thread_starting) || tid == 0 || thread_find(tid) || is_ending(tid) ||
	    !thread_is_alive(tid))
		return;
	thread_found(tid);
}

static void drop_dead(void)
{
	for (struct col_thread *state = thread_first(); state; state = state->next) {
		uint32_t tid = atomic_load(&state->tid);

		if (tid && !thread_is_alive(tid) &&
		    atomic_compare_exchange_strong(&state->tid, &tid, 0))
			thread_end(state);
	}
}

/* The number of links of the kernel's directory is the number of threads: if it is unchanged, the
 * threads need not be read one by one, which would be expensive every second with thousands of
 * them. */
static int all_are_known(int fd)
{
	struct stat status;
	uint64_t known = 2;

	for (struct col_thread *state = thread_first(); state; state = state->next)
		known += atomic_load_explicit(&state->tid, memory_order_relaxed) != 0;
	return sys_fstat(fd, &status) == 0 && status.st_nlink == known;
}

static void read_list(int fd)
{
	char buffer[DIRECTORY_BUFFER] __attribute__((aligned(8)));
	long len;

	while ((len = SYS3(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < len;) {
			const struct directory_entry
				*entry = (const struct directory_entry *)(buffer + at);

			thread_listed(parse_tid(entry->name));
			at += entry->size;
		}
}

void thread_scan(void)
{
	long fd;

	if (atomic_exchange(&scanning, 1))
		return;
	fd = sys_openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	if (fd >= 0 && !all_are_known((int)fd)) {
		drop_dead();
		read_list((int)fd);
	}
	if (fd >= 0)
		sys_close((int)fd);
	atomic_store(&scanning, 0);
}

void thread_scan_restart(void)
{
	atomic_store(&scanning, 0);
}
