/* sys.h: the system calls that the collector makes, raw. All return >= 0 or -errno and are
 * signal-safe.
 * See doc/decisions/64-thread-sanitizer.md. */
#ifndef XER_COLLECTOR_SYS_H
#define XER_COLLECTOR_SYS_H

#include "libcollector/arch/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#define SYS0(nr) arch_syscall(nr, 0, 0, 0, 0, 0, 0)
#define SYS1(nr, a) arch_syscall(nr, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(nr, a, b) arch_syscall(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(nr, a, b, c) arch_syscall(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(nr, a, b, c, d) arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(nr, a, b, c, d, e) \
	arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS6(nr, a, b, c, d, e, f) \
	arch_syscall(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* With arguments of 64 bits among the last ones. */
#define SYS_WIDE(...) SYS_WIDE_(__VA_ARGS__, 0, 0, 0)
#define SYS_WIDE_(nr, a, b, ...) SYS_WIDE__(nr, (long)(a), (long)(b), __VA_ARGS__)
#define SYS_WIDE__(nr, a, b, c, d, e, f, ...) arch_syscall(nr, a, b, (long)(c), d, e, f)

/* The kernel's signal set: 64 bits, signal n is bit n - 1. */
typedef uint64_t sys_sigset;
#define SYS_SIGBIT(signal) ((sys_sigset)1 << ((signal)-1))

static inline long sys_openat(int dir, const char *name, int flags, int mode)
{
	return SYS4(SYS_openat, dir, name, flags | O_CLOEXEC, mode);
}

static inline long sys_close(int fd)
{
	return SYS1(SYS_close, fd);
}

static inline long sys_fstat(int fd, struct stat *out)
{
	return SYS2(ARCH_SYS_FSTAT, fd, out);
}

/* Offsets below 2 GiB, on all processors. */
static inline long sys_seek(int fd, int32_t at, int whence)
{
	return SYS3(SYS_lseek, fd, at, whence);
}

static inline long sys_pread(int fd, void *to, size_t len, uint64_t at)
{
	return SYS_WIDE(SYS_pread64, fd, to, len, ARCH_WIDE(at));
}

static inline long sys_pwrite(int fd, const void *from, size_t len, uint64_t at)
{
	return SYS_WIDE(SYS_pwrite64, fd, from, len, ARCH_WIDE(at));
}

/* `mode`: FALLOC_FL_... */
static inline long sys_fallocate(int fd, int mode, uint64_t at, uint64_t len)
{
	return SYS_WIDE(SYS_fallocate, fd, mode, ARCH_WIDE(at), ARCH_WIDE(len));
}

static inline long sys_truncate(const char *path, uint64_t size)
{
	return SYS3(ARCH_SYS_TRUNCATE, path, size, size >> 32);
}

/* Memory of the recorder's own (memory.h): a mapping, NULL on failure; one without a file; one
 * without a file that forked children do not have. */
void *sys_mmap(size_t len, int protection, int flags, int fd, uint64_t at)
	__attribute__((visibility("hidden")));
void *sys_mmap_anonymous(size_t len) __attribute__((visibility("hidden")));
void *sys_mmap_apart(size_t len) __attribute__((visibility("hidden")));

/* In the place of one that is there, with the same length. NULL on failure. */
void *sys_mmap_over(void *there, size_t len, int protection, int flags, int fd, uint64_t at)
	__attribute__((visibility("hidden")));

long sys_munmap(void *at, size_t len) __attribute__((visibility("hidden")));

static inline long sys_madvise(void *at, size_t len, int advice)
{
	return SYS3(SYS_madvise, at, len, advice);
}

enum { SYS_PAGE = 4096 };

/* Is the page at this address readable? The kernel copies a set of signals before it finds the
 * first argument wrong. */
static inline int sys_page_is_readable(uintptr_t page)
{
	return SYS4(SYS_rt_sigprocmask, -1, page, NULL, sizeof(uint64_t)) == -EINVAL;
}

/* Are all `len` bytes? */
static inline int sys_is_readable(const void *from, size_t len)
{
	uintptr_t start = (uintptr_t)from;

	if (start + len < start) /* round the end of the address space */
		return 0;
	for (uintptr_t page = start & ~(uintptr_t)(SYS_PAGE - 1); page < start + len;
	     page += SYS_PAGE)
		if (!sys_page_is_readable(page))
			return 0;
	return 1;
}

static inline int sys_gettid(void)
{
	return (int)SYS0(SYS_gettid);
}

/* Close all descriptors from that number on. */
static inline void sys_close_from(unsigned first)
{
	enum { NUMBERS_MAX = 1 << 16 };
	struct rlimit limit;
	unsigned count = NUMBERS_MAX;

	if (SYS3(SYS_close_range, first, ~0u, 0) == 0)
		return;
	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
	    limit.rlim_cur < NUMBERS_MAX)
		count = (unsigned)limit.rlim_cur;
	for (unsigned fd = first; fd < count; fd++)
		sys_close((int)fd);
}

/* The thread id: 0 if a filter of system calls refuses it. */
static inline uint32_t sys_tid(void)
{
	int tid = sys_gettid();

	return tid > 0 ? (uint32_t)tid : 0;
}

static inline int sys_getpid(void)
{
	return (int)SYS0(SYS_getpid);
}

/* A clock in ns, also that of a thread or process. 0 if it cannot be read. */
static inline uint64_t sys_clock_ns(clockid_t clock)
{
	struct {
		int64_t seconds, ns;
	} now;

	if (SYS2(ARCH_SYS_CLOCK_GETTIME, clock, &now) < 0)
		return 0;
	return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.ns;
}

/* The clock of the CPU time of thread `tid` of the process. */
static inline clockid_t sys_thread_clock(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

/* CPU time of the process. While the program has a timer on that clock, the kernel counts only what
 * it has noticed, up to a tick late; reading the clock of the thread makes it notice. */
static inline uint64_t sys_process_cpu_ns(void)
{
	sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void sys_sigmask(int how, const sys_sigset *set, sys_sigset *old)
{
	SYS4(SYS_rt_sigprocmask, how, set, old, sizeof(sys_sigset));
}

/* The kernel's struct sigaction. */
struct sys_sigaction {
	void (*handler)(int signal, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	sys_sigset mask;
};

enum { SYS_RESTORER = 0x04000000 };

/* NULL for what is not to be changed, or not wanted. */
static inline long sys_sigaction(int signal, const struct sys_sigaction *action,
                                 struct sys_sigaction *old)
{
	return SYS4(SYS_rt_sigaction, signal, action, old, sizeof(sys_sigset));
}

/* What is blocked while no code of the program may run: all signals, without SIGBUS if buserror.c
 * handles it. */
extern sys_sigset sys_kept_out __attribute__((visibility("hidden")));

/* Block all signals: no code of the program, and no tick, runs in this thread until the old mask is
 * set again. */
static inline void sys_block_signals(sys_sigset *old)
{
	sys_sigmask(SIG_BLOCK, &sys_kept_out, old);
}

#endif
