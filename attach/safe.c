/* safe.c: find out whether a thread is inside something that must not be entered again. See safe.h.
 *
 * A thread cannot be used if it has a frame
 *   - in ld.so, in a library that defines malloc, in the malloc code of the C library, or in a
 * function that it has entered by a name of the malloc family (an allocator in the program itself,
 * whose own code must not be executing either);
 *   - in a function of the C library that holds a lock which loading a library takes (table
 * `locking`);
 *   - in any other part of the C library, unless it is in a system call that waits (table
 * `waiting`), or has called out: code that calls out holds no lock that matters;
 *   - in libcollector.so, unless that has called out to the function that it wraps.
 * Code without unwinding tables (JIT code) ends the check: its callers may call out.
 * See doc/decisions/35-attach.md. */
#include "attach/safe.h"

#include <sys/syscall.h>

/* Newer than the kernel headers of some systems. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum { FRAMES_MAX = 64 * 1024 };

static const char *const locking[] = {
	"fork",
	"_Fork",
	"vfork",
	"exit",
	"quick_exit",
	"on_exit",
	"at_quick_exit",
	"__cxa_atexit",
	"__cxa_finalize",
	"__cxa_at_quick_exit",
	"__cxa_thread_atexit_impl",
	"__register_atfork",
	"pthread_create",
	"thrd_create",
	"pthread_key_create",
	"dl_iterate_phdr",
	"__libc_freeres",
	"malloc_info",
	"malloc_stats",
	"daemon",
};

static const char *const allocating[] = {
	"malloc",
	"free",
	"calloc",
	"realloc",
	"reallocarray",
	"memalign",
	"aligned_alloc",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"malloc_usable_size",
	"_Znwm",
	"_Znam",
	"_ZdlPv",
	"_ZdaPv",
	"_ZdlPvm",
	"_ZdaPvm",
};

/* The malloc code of the C library: its functions without names are between those with names. */
static const char *const malloc_code[] = {"malloc",  "free",        "calloc",
                                          "realloc", "memalign",    "malloc_trim",
                                          "mallopt", "malloc_info", "posix_memalign"};
enum { BEFORE_MALLOC = 0x4000, BEHIND_MALLOC = 0x2000 };

/* System calls in which a thread waits for something outside, and holds no lock but those of stdio
 * and names. */
static const short waiting[] = {
	SYS_read,
	SYS_readv,
	SYS_pread64,
	SYS_write,
	SYS_writev,
	SYS_poll,
	SYS_ppoll,
	SYS_select,
	SYS_pselect6,
	SYS_epoll_wait,
	SYS_epoll_pwait,
	SYS_epoll_pwait2,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_futex,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_recvmmsg,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_accept,
	SYS_accept4,
	SYS_connect,
	SYS_wait4,
	SYS_waitid,
	SYS_pause,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
	SYS_flock,
	SYS_fcntl,
	SYS_msgrcv,
	SYS_msgsnd,
	SYS_semop,
	SYS_semtimedop,
	SYS_io_getevents,
	SYS_io_uring_enter,
	SYS_restart_syscall,
	SYS_sched_yield,
	SYS_mq_timedreceive,
	SYS_mq_timedsend,
	SYS_fsync,
	SYS_fdatasync,
	SYS_openat,
	SYS_sendfile,
	SYS_splice,
	SYS_copy_file_range,
	SYS_futex_waitv,
};

static int is_waiting_call(int64_t number)
{
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		if (waiting[i] == number)
			return 1;
	return 0;
}

static int is_malloc_code(struct objects *objects, uint64_t pc)
{
	static uint64_t low = UINT64_MAX, high;

	for (size_t i = 0; high == 0 && i < sizeof(malloc_code) / sizeof(malloc_code[0]); i++) {
		uint64_t at = objects_symbol(objects, OBJECT_LIBC, malloc_code[i]);

		low = at && at < low ? at : low;
	}
	for (size_t i = 0; low < UINT64_MAX && i < sizeof(malloc_code) / sizeof(malloc_code[0]);
	     i++) {
		uint64_t at = objects_symbol(objects, OBJECT_LIBC, malloc_code[i]);

		high = at > high ? at : high;
	}
	return pc + BEFORE_MALLOC >= low && pc < high + BEHIND_MALLOC;
}

/* ---- what was called ---- */

static int is_allocation(struct objects *objects, uint64_t function)
{
	for (size_t i = 0; function && i < sizeof(allocating) / sizeof(allocating[0]); i++)
		if (objects_symbol(objects, OBJECT_PROGRAM_ALLOCATOR, allocating[i]) == function)
			return 1;
	return 0;
}

/* ---- frames ---- */

/* Is frame i executing, rather than calling another one? The innermost frame is, and one that a
 * signal interrupted. */
static int is_executing(const struct object_frame *frames, int i)
{
	return i == 0 || (frames[i].is_exact && frames[i - 1].is_exact);
}

/* The system call that the executing frame i is in, -1 if none. */
static int64_t system_call(const struct object_frame *frames, int i,
                           const struct arch_registers *registers)
{
	return i == 0 ? arch_call(registers) : arch_call_before(frames[i].pc);
}

/* By address: a function has many names. */
static int is_locking(struct objects *objects, const struct object_frame *frame)
{
	enum { COUNT = sizeof(locking) / sizeof(locking[0]) };
	static uint64_t start[COUNT], size[COUNT];
	static int is_known;
	uint64_t pc = frame->pc - !frame->is_exact;

	for (size_t i = 0; !is_known && i < COUNT; i++)
		start[i] = objects_extent(objects, OBJECT_LIBC, locking[i], &size[i]);
	is_known = 1;
	for (size_t i = 0; i < COUNT; i++)
		if (pc - start[i] < size[i])
			return 1;
	return is_malloc_code(objects, pc);
}

static int is_critical(struct objects *objects, const struct object_frame *frames, int i,
                       const struct arch_registers *registers)
{
	switch (frames[i].role) {
	case OBJECT_LOADER:
	case OBJECT_ALLOCATOR:
		return 1;
	case OBJECT_LIBC:
		return is_locking(objects, &frames[i]) ||
		       (is_executing(frames, i) &&
		        !is_waiting_call(system_call(frames, i, registers)));
	case OBJECT_COLLECTOR:
		return is_executing(frames, i) || frames[i - 1].role != OBJECT_LIBC;
	case OBJECT_PROGRAM_ALLOCATOR: /* its malloc may be inlined anywhere */
		return is_executing(frames, i);
	case OBJECT_OTHER:
	case OBJECT_NONE:
		break;
	}
	return 0;
}

int safe_outermost_critical(struct objects *objects, const struct object_frame *frames, int count,
                            const struct arch_registers *registers)
{
	int has_allocator = objects_symbol(objects, OBJECT_PROGRAM_ALLOCATOR, "malloc") != 0;
	int outermost = -1;

	for (int i = 0; i < count; i++) {
		if (is_critical(objects, frames, i, registers) ||
		    (has_allocator && i + 1 < count &&
		     is_allocation(objects, arch_called_before(frames[i + 1].pc))))
			outermost = i;
	}
	/* If the C library has called itself, it is left only by the outermost of these calls. */
	while (outermost >= 0 && outermost + 1 < count && frames[outermost].role == OBJECT_LIBC &&
	       frames[outermost + 1].role == OBJECT_LIBC && !is_executing(frames, outermost + 1))
		outermost++;
	return outermost;
}

enum safe_verdict safe_judge(struct objects *objects, const struct thread *thread,
                             uint64_t *wait_for)
{
	static struct object_frame frames[FRAMES_MAX];
	struct arch_registers registers;
	int is_whole, critical;
	int count = objects_unwind(objects, thread->tid, frames, FRAMES_MAX, &is_whole);

	*wait_for = 0;
	if (count < 0 || arch_registers_get(thread->tid, &registers) < 0)
		return SAFE_UNKNOWN;
	critical = safe_outermost_critical(objects, frames, count, &registers);
	if (critical < 0 && !is_whole && frames[count - 1].role != OBJECT_OTHER &&
	    frames[count - 1].role != OBJECT_NONE &&
	    frames[count - 1].role != OBJECT_PROGRAM_ALLOCATOR)
		return SAFE_UNKNOWN;
	if (critical >= 0 && critical + 1 < count)
		*wait_for = frames[critical + 1].pc;
	return critical >= 0 || thread_is_in_rseq(thread, arch_pc(&registers)) ? SAFE_NO : SAFE_YES;
}
