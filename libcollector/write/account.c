/* account.c: see account.h. See doc/decisions/94-size-limit.md. */
#include "libcollector/write/account.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/file.h"
#include "libcollector/base/lock.h"

#include "format/layout.h"

#include <errno.h>

static struct {
	struct col_lock lock;
	atomic_uint is_settled;                 /* it was tried to map the file */
	_Atomic(atomic_uint_fast64_t *) shared; /* NULL: the process counts for itself */
	atomic_uint_fast64_t own;
} account;

/* Whatever number the program has given to another file meanwhile: are they the same file? */
static int is_same(int fd, int directory)
{
	struct stat mapped, named;
	int other = (int)sys_openat(directory, FMT_FILE_ACCOUNT, O_PATH | O_NOFOLLOW, 0);
	int same = other >= 0 && sys_fstat(fd, &mapped) == 0 && sys_fstat(other, &named) == 0 &&
	           S_ISREG(named.st_mode) && mapped.st_dev == named.st_dev &&
	           mapped.st_ino == named.st_ino;

	if (other >= 0)
		sys_close(other);
	return same;
}

static void *map_open(int directory, int fd)
{
	void *map = NULL;

	if (is_same(fd, directory) && sys_fallocate(fd, 0, 0, SYS_PAGE) == 0)
		map = sys_mmap(SYS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map && !is_same(fd, directory)) {
		sys_munmap(map, SYS_PAGE);
		map = NULL;
	}
	return map;
}

static int map_now(void *unused)
{
	int directory = col_founder_get();
	int fd = directory < 0 ? directory
	                       : (int)col_file_open(directory, FMT_FILE_ACCOUNT,
	                                            O_RDWR | O_CREAT | O_NOFOLLOW, FMT_FILE_MODE);

	(void)unused;
	if (fd >= 0) {
		atomic_store(&account.shared, map_open(directory, fd));
		sys_close(fd);
	}
	col_place_done(directory);
	return 0;
}

/* Forked children have the mapping too. */
static void settle(void)
{
	sys_sigset old;

	sys_block_signals(&old);
	if (col_lock_take(&account.lock) == 0) {
		if (!atomic_load(&account.is_settled))
			col_file_with_free(map_now, NULL);
		atomic_store(&account.is_settled, 1);
		col_lock_give(&account.lock);
	}
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

static atomic_uint_fast64_t *sum_of_all(void)
{
	atomic_uint_fast64_t *shared = atomic_load(&account.shared);

	return shared ? shared : &account.own;
}

int account_add(uint64_t size)
{
	if (likely(!col.descriptor.limit_bytes))
		return 1;
	if (!atomic_load(&account.is_settled))
		settle();
	return atomic_fetch_add(sum_of_all(), size) + size <= col.descriptor.limit_bytes;
}

void account_give_back(uint64_t size)
{
	if (unlikely(col.descriptor.limit_bytes))
		atomic_fetch_sub(sum_of_all(), size);
}

uint8_t *account_find_map(uintptr_t address, size_t *size)
{
	uint8_t *map = (uint8_t *)atomic_load(&account.shared);

	*size = SYS_PAGE;
	return map && address - (uintptr_t)map < SYS_PAGE ? map : NULL;
}

void account_begin_child(void)
{
	atomic_store(&account.own, 0);
	col_lock_give(&account.lock);
}

void account_close(void)
{
	void *map = atomic_exchange(&account.shared, NULL);

	if (map)
		sys_munmap(map, SYS_PAGE);
	atomic_store(&account.is_settled, 0);
	account_begin_child();
}
