/* memory.c: read and write the target's memory. See memory.h. */
#include "attach/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int memory_fd = -1;

int memory_open(pid_t pid)
{
	char path[40];

	if (memory_fd >= 0)
		close(memory_fd);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory_fd = open(path, O_RDWR | O_CLOEXEC);
	return memory_fd < 0 ? -errno : 0;
}

/* The kernel goes page by page, and ends early where one is not to be had. */
int memory_read(uint64_t address, void *to, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = pread(memory_fd, (char *)to + done, len - done,
		                    (off_t)(address + done));

		if (got <= 0)
			return got < 0 ? -errno : -EFAULT;
		done += (size_t)got;
	}
	return 0;
}

int memory_write(uint64_t address, const void *from, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t put = pwrite(memory_fd, (const char *)from + done, len - done,
		                     (off_t)(address + done));

		if (put <= 0)
			return put < 0 ? -errno : -EFAULT;
		done += (size_t)put;
	}
	return 0;
}
