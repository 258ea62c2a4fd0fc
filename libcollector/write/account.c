/* account.c: see account.h. See doc/decisions/94-size-limit.md. */
#include "libcollector/write/account.h"

#include "libcollector/base/collector.h"
#include "libcollector/base/extend.h"
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

/* Of what is kept, there is a table behind the sum. */
static int keeps(void)
{
	return col.descriptor.keep_bytes || col.descriptor.keep_ms;
}

static size_t size_of_map(void)
{
	return keeps() ? (size_t)fmt_keep_file_size(col.descriptor.keep_bytes) : SYS_PAGE;
}

/* Whatever number the program has given to another file meanwhile: they must be the same file. */
static void *map_open(int directory, int fd)
{
	const size_t size = size_of_map();
	void *map = NULL;

	if (col_file_is_named(fd, directory, FMT_FILE_ACCOUNT) &&
	    sys_fallocate(fd, 0, 0, size) == 0)
		map = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map && !col_file_is_named(fd, directory, FMT_FILE_ACCOUNT)) {
		sys_munmap(map, size);
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

static uint64_t limit(void)
{
	const struct descriptor *descriptor = &col.descriptor;

	return descriptor->limit_bytes  ? descriptor->limit_bytes
	       : descriptor->keep_bytes ? descriptor->keep_bytes
	                                : UINT64_MAX;
}

static atomic_uint_fast64_t *sum_of_all(void)
{
	atomic_uint_fast64_t *shared = atomic_load(&account.shared);

	return shared ? shared : &account.own;
}

int account_add(uint64_t size)
{
	if (likely(!col.descriptor.limit_bytes && !keeps()))
		return 1;
	if (!atomic_load(&account.is_settled))
		settle();
	return atomic_fetch_add(sum_of_all(), size) + size <= limit();
}

void account_give_back(uint64_t size)
{
	if (unlikely(col.descriptor.limit_bytes))
		atomic_fetch_sub(sum_of_all(), size);
}

struct fmt_keep *account_keep(void)
{
	if (likely(!keeps()))
		return NULL;
	if (!atomic_load(&account.is_settled))
		settle();
	return (struct fmt_keep *)atomic_load(&account.shared);
}

uint8_t *account_find_map(uintptr_t address, size_t *size)
{
	uint8_t *map = (uint8_t *)atomic_load(&account.shared);

	*size = size_of_map();
	return map && address - (uintptr_t)map < *size ? map : NULL;
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
		sys_munmap(map, size_of_map());
	atomic_store(&account.is_settled, 0);
	account_begin_child();
}
