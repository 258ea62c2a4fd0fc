/* code.c: change the program's code. See code.h. */
#include "libcollector/object/code.h"

#include "libcollector/base/sys.h"

#include <errno.h>
#include <linux/membarrier.h>

enum {
	PAGE = 4096,
	SEARCH_STEP = 1 << 20, /* for room near an object */
	SEARCH_STEPS = 1024
};

static int memory_fd = -1;

int code_begin(void)
{
	/* A second registration is as good as one. */
	SYS3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	memory_fd = (int)sys_openat(AT_FDCWD, "/proc/self/mem", O_RDWR, 0);
	return memory_fd < 0 ? memory_fd : 0;
}

void code_end(void)
{
	if (memory_fd >= 0)
		sys_close(memory_fd);
	memory_fd = -1;
}

int code_write(uint64_t address, const uint8_t *code, size_t size)
{
	return sys_pwrite(memory_fd, code, size, address) == (long)size ? 0 : -EACCES;
}

void code_tell_processors(void)
{
	SYS3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

int code_open_pages(uint64_t from, uint64_t to, int is_open)
{
	uint64_t start = from & ~(uint64_t)(PAGE - 1);

	return (int)SYS3(SYS_mprotect, start, to - start,
	                 PROT_READ | PROT_EXEC | (is_open ? PROT_WRITE : 0));
}

static uint8_t *map_near(uint64_t address)
{
	for (uint64_t i = 1; i <= SEARCH_STEPS; i++)
		for (int side = 0; side < 2; side++) {
			uint64_t at = (address & ~(uint64_t)(SEARCH_STEP - 1)) +
			              (side ? -i : i) * SEARCH_STEP;
			long got = SYS6(SYS_mmap, at, PAGE, PROT_READ | PROT_WRITE,
			                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

			if (got == (long)at)
				return (uint8_t *)at;
			if (got > 0)
				sys_munmap((void *)got,
				           PAGE); /* a kernel that does not know the flag */
		}
	return NULL;
}

const uint8_t *code_make_stubs(uint64_t near, void (*const *targets)(void), unsigned count)
{
	uint8_t *page = map_near(near);

	if (!page)
		return NULL;
	for (unsigned i = 0; i < count && i < CODE_STUBS_MAX; i++)
		arch_put_stub(page + (size_t)i * CODE_STUB_SIZE, (uint64_t)targets[i]);
	if (SYS3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC) < 0) {
		sys_munmap(page, PAGE);
		return NULL;
	}
	return page;
}
