/* no_memory: a preloaded library in which the Nth call of the allocator fails; with `since`, all
 * later ones too.
 *
 * Environment: NO_MEMORY=N or NO_MEMORY=N,since; NO_MEMORY_FD is a descriptor to which a byte is
 * written when the first call fails. Calls before this library's constructor succeed and do not
 * count. Calls by strdup, fopen, getline, libxml2, libdw and all others count, too. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long limit; /* 0: none fails */
static int is_since, told_fd = -1;
static atomic_long count;

static __attribute__((constructor)) void begin(void)
{
	const char *text = getenv("NO_MEMORY"), *fd = getenv("NO_MEMORY_FD");

	told_fd = fd ? atoi(fd) : -1;
	is_since = text && strstr(text, ",since") != NULL;
	limit = text ? atol(text) : 0;
}

static int fails(void)
{
	long nth;

	if (limit == 0)
		return 0;
	nth = atomic_fetch_add(&count, 1) + 1;
	if (nth < limit || (nth > limit && !is_since))
		return 0;
	if (nth == limit && write(told_fd, "", 1) != 1)
		abort();
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t members, size_t size)
{
	return fails() ? NULL : __libc_calloc(members, size);
}

void *realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	void *made = fails() ? NULL : __libc_memalign(alignment, size);

	if (!made)
		return ENOMEM;
	*block = made;
	return 0;
}
