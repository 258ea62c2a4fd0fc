/* file.c: opens the files of an experiment, which may be untrusted: no link is followed, and
 * nothing blocks. */
#include "experiment/base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int exp_file_open(int directory, const char *name)
{
	int fd = directory < 0
	                 ? -1
	                 : openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (directory < 0) /* a foreign log has no files around it */
		return -ENOENT;
	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EBADMSG;
}
