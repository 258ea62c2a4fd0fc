/* experiment.c: names and creates the experiment directory, and puts whole files into it. A name is
 * taken by mkdir, which is exclusive: two recordings never share a directory. */
#include "collect/experiment/experiment.h"

#include "collect/experiment/remove.h"

#include "format/layout.h"
#include "format/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_NAME "test.1.er"
#define DEFAULT_SNAPSHOT "snapshot.1.er"

/* NAME.er split for counting: PREFIX (with its dot), number. A name without number is all prefix.
 */
struct name_parts {
	char prefix[PATH_MAX];
	unsigned long number;
	int is_counted;
};

static void split_name(const char *name, struct name_parts *out)
{
	size_t stem = strlen(name) - strlen(FMT_EXPERIMENT_SUFFIX);
	size_t at = stem;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	*out = (struct name_parts){.is_counted = at < stem && at > 1 && name[at - 1] == '.' &&
	                                         name[at - 2] != '/'};
	if (!out->is_counted)
		at = stem;
	snprintf(out->prefix, sizeof(out->prefix), "%.*s", (int)at, name);
	out->number = out->is_counted ? strtoul(name + at, NULL, 10) : 0;
}

static int check_name(const char *name, struct cause *cause)
{
	const char *base = strrchr(name, '/');
	size_t len = strlen(name);
	size_t suffix = strlen(FMT_EXPERIMENT_SUFFIX);

	base = base ? base + 1 : name;
	if (strlen(base) <= suffix || strcmp(name + len - suffix, FMT_EXPERIMENT_SUFFIX) != 0)
		return cause_set(cause, CAUSE_FAILED,
		                 "'%s' is no name of an experiment: it must end in .er", name);
	if (len > PATH_MAX / 2)
		return cause_set(cause, CAUSE_FAILED, "the name of the experiment is too long");
	return 0;
}

/* The name to begin with where none was given: that of the group, if there is one, as
 * usual[PATH_MAX]. */
static const char *default_name(const struct request *request, char *usual)
{
	const char *group = request->experiment_group;
	const char *base = group ? strrchr(group, '/') : NULL;

	if (request->action == OPTIONS_SNAPSHOT)
		return DEFAULT_SNAPSHOT;
	if (!group)
		return DEFAULT_NAME;
	base = base ? base + 1 : group;
	snprintf(usual, PATH_MAX, "%.*s.1" FMT_EXPERIMENT_SUFFIX,
	         (int)(strlen(base) - strlen(FMT_GROUP_SUFFIX)), base);
	return usual;
}

/* The name with its directory, without slashes at the end. */
static int make_name(const struct request *request, char *out, struct cause *cause)
{
	char usual[PATH_MAX];
	const char *name = request->output ? request->output : default_name(request, usual);
	const char *directory = request->directory;
	size_t len;

	if (directory && name[0] == '/')
		return cause_set(cause, CAUSE_FAILED,
		                 "-d and an absolute name of the experiment do not go together");
	if (snprintf(out, PATH_MAX, "%s%s%s", directory ? directory : "", directory ? "/" : "",
	             name) >= PATH_MAX)
		return cause_set(cause, CAUSE_FAILED, "the name of the experiment is too long");
	for (len = strlen(out); len > 1 && out[len - 1] == '/'; len--)
		out[len - 1] = '\0';
	return check_name(out, cause);
}

static int overwrite(const char *name, struct cause *cause)
{
	int status = remove_experiment(name);

	if (status == 0 || status == -ENOENT)
		return 0;
	if (status == -EBUSY)
		return cause_set(cause, CAUSE_FAILED,
		                 "%s is being recorded, and is not overwritten", name);
	if (status == -EINVAL || status == -ENOTDIR)
		return cause_set(cause, CAUSE_FAILED,
		                 "%s is not an experiment, and is not overwritten", name);
	return cause_set(cause, CAUSE_FAILED, "cannot delete %s: %s", name, strerror(-status));
}

/* Make the directory, or for a dry run see whether it could be: 0, -EEXIST, -errno. */
static int take_name(const char *name, int dry_run)
{
	struct stat status;

	if (!dry_run)
		return mkdir(name, FMT_DIRECTORY_MODE) < 0 ? -errno : 0;
	return lstat(name, &status) == 0 ? -EEXIST : 0;
}

/* Take the name, or the next free number of a counted one. `name` is changed to what was taken. */
static int take_free_name(char *name, int dry_run, struct cause *cause)
{
	struct name_parts parts;
	int status;

	split_name(name, &parts);
	while ((status = take_name(name, dry_run)) == -EEXIST && parts.is_counted)
		snprintf(name, PATH_MAX, "%.*s%lu" FMT_EXPERIMENT_SUFFIX, PATH_MAX - 32,
		         parts.prefix, ++parts.number);
	if (status == -EEXIST)
		return cause_set(cause, CAUSE_FAILED, "%s exists; -O overwrites it", name);
	if (status < 0)
		return cause_set(cause, CAUSE_FAILED, "cannot make %s: %s", name,
		                 strerror(-status));
	return 0;
}

static int open_directory(struct experiment_directory *out, struct cause *cause)
{
	out->fd = open(out->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out->fd >= 0 && realpath(out->name, out->path) &&
	    mkdirat(out->fd, FMT_DIR_ARCHIVES, FMT_DIRECTORY_MODE) == 0)
		return 0;
	cause_set(cause, CAUSE_FAILED, "cannot make %s: %s", out->name, strerror(errno));
	experiment_remove(out);
	return cause->exit_code;
}

int experiment_create(const struct request *request, struct experiment_directory *out,
                      struct cause *cause)
{
	int status = make_name(request, out->name, cause);

	out->fd = -1;
	if (status == 0 && request->overwrite && !request->dry_run)
		status = overwrite(out->name, cause);
	if (status == 0 && !(request->overwrite && request->dry_run))
		status = take_free_name(out->name, request->dry_run, cause);
	if (status == 0 && !request->dry_run)
		status = open_directory(out, cause);
	return status;
}

void experiment_remove(struct experiment_directory *experiment)
{
	if (experiment->fd >= 0)
		remove_contents(experiment->fd);
	rmdir(experiment->name);
	experiment_close(experiment);
}

void experiment_close(struct experiment_directory *experiment)
{
	if (experiment->fd >= 0)
		close(experiment->fd);
	experiment->fd = -1;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	unsigned tries = 0;

	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (retry_call(written, &tries))
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

int experiment_put_file(const struct experiment_directory *experiment, const char *name,
                        const char *bytes, size_t size)
{
	char temporary[64];
	struct rlimit limit;
	int fd, status;

	/* Beyond the limit a write raises SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    size > limit.rlim_cur)
		return -EFBIG;
	snprintf(temporary, sizeof(temporary), ".tmp.%d.%s", (int)getpid(), name);
	fd = openat(experiment->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	            FMT_FILE_MODE);
	if (fd < 0)
		return -errno;
	status = write_all(fd, bytes, size);
	close(fd);
	if (status == 0 && renameat(experiment->fd, temporary, experiment->fd, name) < 0)
		status = -errno;
	if (status < 0)
		unlinkat(experiment->fd, temporary, 0);
	return status;
}
