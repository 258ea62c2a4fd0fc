/* memory.c: read and write the target's memory. See memory.h. */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int memory_fd = -1;

int memory_open(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory_fd = open(path, O_RDWR | O_CLOEXEC);
	return memory_fd < 0 ? -errno : 0;
}

int memory_read(uint64_t address, void *to, size_t len)
{
	ssize_t done = pread(memory_fd, to, len, (off_t)address);

	if (done < 0)
		return -errno;
	return (size_t)done == len ? 0 : -EFAULT;
}

int memory_write(uint64_t address, const void *from, size_t len)
{
	ssize_t done = pwrite(memory_fd, from, len, (off_t)address);

	if (done < 0)
		return -errno;
	return (size_t)done == len ? 0 : -EFAULT;
}
