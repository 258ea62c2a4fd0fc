/* memlock.c: the wrappers of mlockall and munlockall, which mean all memory of the process.
 *
 * The recorder's own memory must not be locked: it would count for the limit of the program, and
 * take real memory, of which only little is needed. So the program's mappings are locked one by
 * one, as the kernel lists them. */
#include "libcollector/base/collector.h"
#include "libcollector/base/memory.h"
#include "libcollector/base/object.h"
#include "libcollector/hook/hook.h"
#include "libcollector/write/log.h"

#include <errno.h>

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

/* The kernel's list of mappings: lines that begin with "START-END ", in hexadecimal. */
struct list {
	int fd;
	char *text; /* text[COL_TEXT_SIZE] */
	size_t at, len;
};

/* Returns the next byte, or -1 at the end. */
static int next_byte(struct list *list)
{
	if (list->at == list->len) {
		long got = SYS3(SYS_read, list->fd, list->text, COL_TEXT_SIZE);

		list->at = 0;
		list->len = got > 0 ? (size_t)got : 0;
	}
	return list->at < list->len ? (unsigned char)list->text[list->at++] : -1;
}

static int digit_of(int byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static uintptr_t read_address(struct list *list)
{
	uintptr_t address = 0;
	int digit;

	while ((digit = digit_of(next_byte(list))) >= 0)
		address = address << 4 | (uintptr_t)digit;
	return address;
}

/* Returns 1, or 0 at the end. */
static int next_mapping(struct list *list, uintptr_t *start, uintptr_t *end)
{
	int byte;

	*start = read_address(list);
	*end = read_address(list);
	do
		byte = next_byte(list);
	while (byte >= 0 && byte != '\n');
	return *end != 0;
}

/* What to do with each part of the program's memory. */
struct task {
	void (*act)(struct task *task, uintptr_t start, size_t size);
	uint64_t sum; /* bytes */
	unsigned flags;
};

static void add_up(struct task *task, uintptr_t start, size_t size)
{
	(void)start;
	task->sum += size;
}

/* As the kernel does in mlockall, go on where pages cannot be had. */
static void lock(struct task *task, uintptr_t start, size_t size)
{
	SYS3(SYS_mlock2, start, size, task->flags);
}

/* Where the recorder itself is. */
static struct object_found self;

/* The parts of [start, end) that are not ours. */
static void act_on(struct task *task, uintptr_t start, uintptr_t end)
{
	while (start < end) {
		uintptr_t ours, ours_end;

		if (start >= self.start && start < self.end)
			ours = start, ours_end = self.end;
		else if (!memory_find(start, &ours, &ours_end))
			ours = ours_end = end;
		if (ours > start)
			task->act(task, start, (ours < end ? ours : end) - start);
		start = ours_end > start ? ours_end : end;
	}
}

/* Returns 0 or -errno. */
static int act_on_all(struct task *task)
{
	long fd = sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY, 0);
	struct list list = {.fd = (int)fd, .text = fd < 0 ? NULL : col_text_borrow()};
	uintptr_t start, end;

	if (fd < 0)
		return (int)fd;
	while (list.text && next_mapping(&list, &start, &end))
		if (start >> (ARCH_ADDRESS_BITS - 1) >> 1 == 0) /* not the kernel's */
			act_on(task, start, end);
	if (list.text)
		col_text_return(list.text);
	sys_close((int)fd);
	return list.text ? 0 : -EBUSY;
}

/* May the process lock so many bytes? The privilege is the kernel's to judge: it is asked with
 * memory that nobody can access, and that so takes none. */
static int may_lock(uint64_t size)
{
	struct rlimit limit;
	void *probe;
	long error = -ENOMEM;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_MEMLOCK, NULL, &limit) < 0 || size <= limit.rlim_cur)
		return 1;
	probe = sys_mmap(limit.rlim_cur + SYS_PAGE, PROT_NONE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (probe) {
		error = SYS3(SYS_mlock2, probe, limit.rlim_cur + SYS_PAGE, MLOCK_ONFAULT);
		sys_munmap(probe, limit.rlim_cur + SYS_PAGE);
	}
	return error == 0;
}

/* Returns 1 if the program's mappings are locked, 0 if the C library's function is to answer. */
static int lock_present(int flags)
{
	struct task task = {.act = add_up};

	if (object_find((uintptr_t)&self, &self) != 0 || act_on_all(&task) < 0 ||
	    !may_lock(task.sum))
		return 0;
	task = (struct task){.act = lock, .flags = flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0};
	return act_on_all(&task) == 0;
}

/* The kernel ends that only together with what is locked, which is then locked again. */
static int stop_future(void)
{
	int result = REAL(munlockall)();

	return result == 0 && !lock_present(MCL_CURRENT) ? REAL(mlockall)(MCL_CURRENT) : result;
}

EXPORT int mlockall(int flags)
{
	int present = flags & MCL_CURRENT, result = 0;

	if (!process_is_recorded() || flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) ||
	    (present && !lock_present(flags)))
		return REAL(mlockall)(flags);
	if (!present && !(flags & MCL_FUTURE)) /* it will say that this makes no sense */
		return REAL(mlockall)(flags);
	if (flags & MCL_FUTURE)
		result = REAL(mlockall)(flags & ~MCL_CURRENT);
	else if (memory_future_is_locked())
		result = stop_future();
	if (result == 0)
		memory_lock_future(flags & MCL_FUTURE);
	return result;
}

EXPORT int munlockall(void)
{
	int result = REAL(munlockall)();

	if (result == 0 && process_is_recorded())
		memory_lock_future(0);
	return result;
}
