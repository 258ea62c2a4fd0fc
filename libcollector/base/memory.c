/* memory.c: the memory that the recorder maps. See memory.h. */
#include "libcollector/base/memory.h"

#include <stdatomic.h>

enum { RANGES = 512 /* more would only be locked with the program's */ };

/* A mapping of ours. */
static struct range {
	atomic_uintptr_t start; /* 0: none */
	atomic_uintptr_t end;
	atomic_uint is_apart; /* forked children do not have it */
} ranges[RANGES];
static atomic_uint used; /* ranges that ever were */

static atomic_uint locks_future;

static void note(uintptr_t start, size_t len)
{
	for (unsigned i = 0; i < RANGES; i++) {
		uintptr_t none = 0;
		unsigned seen = atomic_load(&used);

		if (atomic_load_explicit(&ranges[i].start, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&ranges[i].start, &none, start))
			continue;
		atomic_store(&ranges[i].is_apart, 0);
		atomic_store(&ranges[i].end, start + len);
		while (seen <= i && !atomic_compare_exchange_weak(&used, &seen, i + 1))
			continue;
		return;
	}
}

static struct range *find(uintptr_t start)
{
	unsigned count = atomic_load(&used);

	for (unsigned i = 0; i < count; i++)
		if (atomic_load_explicit(&ranges[i].start, memory_order_relaxed) == start)
			return &ranges[i];
	return NULL;
}

static void forget(struct range *range)
{
	atomic_store(&range->end, 0);
	atomic_store(&range->start, 0);
}

/* While the program has all its future mappings locked, the kernel does so with ours, and reads all
 * of their pages. Those that nobody may access are not read; they are released before they can
 * be. */
static void *map_unlocked(void *there, size_t len, int protection, int flags, int fd, uint64_t at)
{
	long start = SYS6(ARCH_SYS_MMAP, there, len, PROT_NONE, flags, fd, ARCH_MMAP_OFFSET(at));

	if (start < 0 && start > -SYS_PAGE)
		return NULL;
	SYS2(SYS_munlock, start, len);
	if (SYS3(SYS_mprotect, start, len, protection) == 0)
		return (void *)start;
	SYS2(SYS_munmap, start, len);
	return NULL;
}

static void *map(void *there, size_t len, int protection, int flags, int fd, uint64_t at)
{
	long result;

	if (atomic_load_explicit(&locks_future, memory_order_relaxed))
		return map_unlocked(there, len, protection, flags, fd, at);
	result = SYS6(ARCH_SYS_MMAP, there, len, protection, flags, fd, ARCH_MMAP_OFFSET(at));
	return result < 0 && result > -SYS_PAGE ? NULL : (void *)result;
}

void *sys_mmap(size_t len, int protection, int flags, int fd, uint64_t at)
{
	void *start = map(NULL, len, protection, flags, fd, at);

	if (start)
		note((uintptr_t)start, len);
	return start;
}

/* Before Linux 6.12 a call that fails may have unmapped what was there. Nobody else may get the
 * addresses, and threads that still read there find zeros. */
static void hold(void *there, size_t len)
{
	void *start = map(there, len, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (start && start != there) /* a kernel that does not know the flag */
		SYS2(SYS_munmap, start, len);
}

void *sys_mmap_over(void *there, size_t len, int protection, int flags, int fd, uint64_t at)
{
	void *start = map(there, len, protection, flags | MAP_FIXED, fd, at);

	if (!start)
		hold(there, len);
	return start;
}

void *sys_mmap_anonymous(size_t len)
{
	return sys_mmap(len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	                -1, 0);
}

void *sys_mmap_apart(size_t len)
{
	void *start = sys_mmap_anonymous(len);

	if (start)
		memory_keep_apart(start, len);
	return start;
}

long sys_munmap(void *at, size_t len)
{
	struct range *range = find((uintptr_t)at);

	if (range)
		forget(range);
#ifdef __SANITIZE_THREAD__
	/* The sanitizer does not see this call, and would report the next user of these addresses
	 * as a second user of the same memory. */
	return SYS6(SYS_mmap, at, len, PROT_NONE,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) < 0
	               ? -1
	               : 0;
#else
	return SYS2(SYS_munmap, at, len);
#endif
}

void memory_keep_apart(void *at, size_t len)
{
	struct range *range = find((uintptr_t)at);

	sys_madvise(at, len, MADV_DONTFORK);
	if (range)
		atomic_store(&range->is_apart, 1);
}

void memory_begin_child(void)
{
	unsigned count = atomic_load(&used);

	for (unsigned i = 0; i < count; i++)
		if (atomic_load(&ranges[i].is_apart))
			forget(&ranges[i]);
	atomic_store(&locks_future, 0);
}

int memory_find(uintptr_t from, uintptr_t *start, uintptr_t *end)
{
	unsigned count = atomic_load(&used);

	*start = UINTPTR_MAX;
	for (unsigned i = 0; i < count; i++) {
		uintptr_t first = atomic_load(&ranges[i].start), last = atomic_load(&ranges[i].end);

		if (first == 0 || last <= from || first >= *start)
			continue;
		*start = first;
		*end = last;
	}
	return *start != UINTPTR_MAX;
}

void memory_lock_future(int is_on)
{
	atomic_store(&locks_future, is_on != 0);
}

int memory_future_is_locked(void)
{
	return (int)atomic_load_explicit(&locks_future, memory_order_relaxed);
}
