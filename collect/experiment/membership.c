/* membership.c: adds an experiment to a group. Several recordings may do so at the same time: the
 * writer holds a lock on the file. */
#include "collect/experiment/membership.h"

#include "format/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 500, LOCK_PAUSE_MS = 10 };

#define HEAD FMT_GROUP_HEAD "\n"

static int refuse(struct cause *cause, const char *name, const char *why)
{
	return cause_set(cause, CAUSE_FAILED, "-g: %.3000s %s", name, why);
}

/* Returns 0 if the open file is empty or a group, else -EINVAL. */
static int check_header(int fd)
{
	char header[sizeof(HEAD) - 1];
	ssize_t got = pread(fd, header, sizeof(header), 0);

	if (got == 0)
		return 0;
	return got == (ssize_t)sizeof(header) && memcmp(header, HEAD, sizeof(header)) == 0
	               ? 0
	               : -EINVAL;
}

int membership_check(const char *name, struct cause *cause)
{
	size_t len = strlen(name), suffix = strlen(FMT_GROUP_SUFFIX);
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	struct stat st;
	int fd, status;

	if (strlen(base) <= suffix || strcmp(name + len - suffix, FMT_GROUP_SUFFIX) != 0)
		return refuse(cause, name,
		              "is no name of a group: it must end in " FMT_GROUP_SUFFIX);
	fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return cause_set(cause, CAUSE_FAILED, "-g: %.3000s cannot be opened: %s", name,
		                 strerror(errno));
	status = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? check_header(fd) : -EINVAL;
	close(fd);
	return status == 0 ? 0
	                   : refuse(cause, name, "is not an experiment group, and is left alone");
}

/* Take the lock, for a few seconds at most. Returns 0 or -errno. */
static int take_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000};
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	for (int try = 0; try < LOCK_TRIES; try++) {
		if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

static void release_lock(int fd)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	fcntl(fd, F_OFD_SETLK, &lock);
}

/* How the group names the experiment, as line[PATH_MAX]. Returns 0 or -errno. */
static int make_line(const char *name, const struct experiment_directory *experiment, char *line)
{
	const char *slash = strrchr(name, '/'), *last = strrchr(experiment->path, '/');
	char directory[PATH_MAX], real[PATH_MAX];
	int is_beside;

	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - name) + 1 : 1,
	         slash ? name : ".");
	if (!realpath(directory, real))
		return -errno;
	if (strchr(experiment->path, '\n'))
		return -EINVAL;
	is_beside = strlen(real) == (size_t)(last - experiment->path) &&
	            strncmp(real, experiment->path, strlen(real)) == 0;
	if (!is_beside)
		snprintf(line, PATH_MAX, "%s", experiment->path);
	else /* a line that begins with # would be a comment */
		snprintf(line, PATH_MAX, "%s%s", last[1] == '#' ? "./" : "", last + 1);
	return 0;
}

/* Append to the locked file: its header if it is new, the end of a line that has none, and the
 * experiment. */
static int append(const char *line, struct membership *membership)
{
	char text[PATH_MAX + sizeof(HEAD) + 2], last = '\n';
	struct rlimit limit;
	struct stat st;
	ssize_t len;

	if (fstat(membership->fd, &st) != 0)
		return -errno;
	if (check_header(membership->fd) != 0)
		return -EINVAL;
	membership->before = st.st_size;
	if (st.st_size > 0 && pread(membership->fd, &last, 1, st.st_size - 1) != 1)
		return -EIO;
	len = snprintf(text, sizeof(text), "%s%s%s\n", st.st_size == 0 ? HEAD : "",
	               last != '\n' ? "\n" : "", line);
	membership->after = st.st_size + len;
	/* Beyond the limit a write raises SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    (rlim_t)membership->after > limit.rlim_cur)
		return -EFBIG;
	if (pwrite(membership->fd, text, (size_t)len, st.st_size) == len)
		return 0;
	return ftruncate(membership->fd, st.st_size) == 0 ? -ENOSPC : -errno;
}

int membership_add(const char *name, const struct experiment_directory *experiment,
                   struct membership *out, struct cause *cause)
{
	char line[PATH_MAX];
	int status = make_line(name, experiment, line);

	out->fd = status == 0 ? open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
	                             FMT_FILE_MODE)
	                      : -1;
	if (status == 0 && out->fd < 0)
		status = -errno;
	if (status == 0)
		status = take_lock(out->fd);
	if (status == 0) {
		status = append(line, out);
		release_lock(out->fd);
	}
	if (status == 0)
		return 0;
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	return cause_set(cause, CAUSE_FAILED, "-g: cannot add %.2000s to %.2000s: %s",
	                 experiment->name, name, strerror(-status));
}

void membership_withdraw(struct membership *membership)
{
	struct stat st;

	if (membership->fd < 0)
		return;
	if (take_lock(membership->fd) == 0 && fstat(membership->fd, &st) == 0 &&
	    st.st_size == membership->after && ftruncate(membership->fd, membership->before) != 0)
		fprintf(stderr,
		        "xcollect: warning: the experiment group still names an experiment that does not exist\n");
	close(membership->fd);
	membership->fd = -1;
}
