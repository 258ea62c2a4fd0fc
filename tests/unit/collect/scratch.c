/* scratch.c: the directories of scratch.h. */
#include "tests/unit/collect/scratch.h"

#include "collect/experiment/remove.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/xer-collect-XXXXXX";

void scratch_enter(void)
{
	cr_assert(mkdtemp(path) != NULL);
	cr_assert(chdir(path) == 0);
}

void scratch_leave(void)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	remove_contents(fd);
	close(fd);
	rmdir(path);
}

void scratch_put(const char *name, const void *bytes, unsigned long len, unsigned mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && fchmod(fd, mode) == 0);
	close(fd);
}
